import type { Usage } from '@parley/contract/usage'

/** Sums over entries of usage. Rates and times are not summed: no average of averages is told. */
export interface UsageTotals {
  readonly calls: number
  readonly chats: number
  readonly minutes: number
  readonly cost: number
  readonly errors: number
}

export function totalsOf(entries: readonly Usage[]): UsageTotals {
  const sum = (pick: (entry: Usage) => number): number => entries.reduce((total, entry) => total + pick(entry), 0)
  return {
    calls: sum(({ calls }) => calls),
    chats: sum(({ chats }) => chats),
    minutes: sum(({ minutes }) => minutes),
    cost: sum(({ cost }) => cost),
    errors: sum(({ errors }) => errors),
  }
}

/** One entry for every day, in order: days without anything are left out of the answer. */
export function fillDays(entries: readonly Usage[], days: readonly string[]): Usage[] {
  const byDay = new Map(entries.map((entry) => [entry.key, entry]))
  return days.map((key) => byDay.get(key) ?? emptyUsage(key))
}

function emptyUsage(key: string): Usage {
  const none = { calls: 0, chats: 0, minutes: 0, cost: 0, errors: 0 }
  return { key, ...none, successRate: null, latencyP50Ms: null, latencyP95Ms: null }
}
