import type { UsageGroup } from '@parley/contract/usage'
import { utcDaysUntil } from '../../lib/days.ts'

/** Which figures are shown, as the address holds it. */
export interface UsageSearch {
  /** Days until now; 30 when absent. Not together with `from`. */
  readonly days?: number
  /** First and last day, `2026-11-23`. */
  readonly from?: string
  readonly to?: string
  /** By day when absent. */
  readonly by?: Exclude<UsageGroup, 'day'>
}

export const RANGES_DAYS = [7, 30, 90, 365] as const
export const DEFAULT_DAYS = 30
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Reads the search part of an address; what makes no sense is left out. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { days, from, to, by } = search
  const range = RANGES_DAYS.find((one) => one === Number(days))
  return {
    ...(range !== undefined && range !== DEFAULT_DAYS && { days: range }),
    ...(typeof from === 'string' && DAY.test(from) && { from }),
    ...(typeof to === 'string' && DAY.test(to) && { to }),
    ...((by === 'agent' || by === 'workspace') && { by }),
  }
}

/** The first and the last day that an address asks for. `today` is that of UTC, as all days of usage are. */
export function usageRange(
  { days = DEFAULT_DAYS, from, to }: UsageSearch,
  today: string,
): { readonly from: string; readonly to: string } {
  return { from: from ?? utcDaysUntil(startOf(today), days)[0] ?? today, to: to ?? today }
}

const LONGEST_RANGE_DAYS = 366
const DAY_MS = 86_400_000
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** The days from one to another, both among them; never more than a year. */
export function daysOf({ from, to }: { readonly from: string; readonly to: string }): string[] {
  const count = Math.round((startOf(to) - startOf(from)) / DAY_MS) + 1
  return utcDaysUntil(startOf(to), Math.max(1, Math.min(LONGEST_RANGE_DAYS, count)))
}
