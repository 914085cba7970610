import type { Usage } from '@parley/contract/usage'

/** Rates and latencies have no total, because averages of averages would be wrong. */
export type UsageTotals = Pick<Usage, 'calls' | 'chats' | 'minutes' | 'cost' | 'errors'>

const ZERO_TOTALS: UsageTotals = { calls: 0, chats: 0, minutes: 0, cost: 0, errors: 0 }

export function calculateTotals(entries: readonly Usage[]): UsageTotals {
  return entries.reduce(
    (totals, entry) => ({
      calls: totals.calls + entry.calls,
      chats: totals.chats + entry.chats,
      minutes: totals.minutes + entry.minutes,
      cost: totals.cost + entry.cost,
      errors: totals.errors + entry.errors,
    }),
    ZERO_TOTALS,
  )
}

/** Adds entries for days without usage, which the API omits. */
export function fillDays(entries: readonly Usage[], days: readonly string[]): Usage[] {
  const entriesByDay = new Map(entries.map((entry) => [entry.key, entry]))
  const emptyRates = { successRate: null, latencyP50Ms: null, latencyP95Ms: null }
  return days.map((key) => entriesByDay.get(key) ?? { key, ...ZERO_TOTALS, ...emptyRates })
}
