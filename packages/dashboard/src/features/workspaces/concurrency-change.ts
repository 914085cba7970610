import type { Concurrency } from '@parley/contract/concurrency'

/** What of the concurrency of a workspace can be set; null takes the default. */
export interface ConcurrencySettings {
  readonly baseConcurrency: number | null
  readonly purchasedConcurrency: number | null
  readonly concurrencyPurchaseLimit: number | null
}

/** The settings behind an answer, which tells the sum. */
export function settingsOf(answer: Concurrency): ConcurrencySettings {
  return {
    baseConcurrency: answer.maxConcurrent - answer.purchasedConcurrency,
    purchasedConcurrency: answer.purchasedConcurrency,
    concurrencyPurchaseLimit: answer.concurrencyPurchaseLimit,
  }
}

/** The fields that differ. */
export function concurrencyChanges(
  before: ConcurrencySettings,
  now: ConcurrencySettings,
): Partial<ConcurrencySettings> {
  const names = Object.keys(before) as (keyof ConcurrencySettings)[]
  return Object.fromEntries(names.filter((name) => before[name] !== now[name]).map((name) => [name, now[name]]))
}
