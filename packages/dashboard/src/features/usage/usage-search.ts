import type { UsageGroup } from '@parley/contract/usage'
import { listUtcDays } from '../../lib/days.ts'
import { readChoice, readDay, removeUndefined } from '../../parts/transcript/search-params.ts'

/** The range and grouping in the URL. */
export interface UsageSearch {
  /** Number of days until today. Defaults to 30. Not combined with `from`. */
  readonly days?: number
  readonly from?: string
  readonly to?: string
  /** Defaults to grouping by day. */
  readonly groupBy?: Exclude<UsageGroup, 'day'>
}

export const RANGE_OPTIONS_DAYS = [7, 30, 90, 365] as const
export const DEFAULT_DAYS = 30
const MAX_RANGE_DAYS = 366
const DAY_MS = 86_400_000

export function readUsageSearch({ days, from, to, groupBy }: Record<string, unknown>): UsageSearch {
  const rangeDays = RANGE_OPTIONS_DAYS.find((option) => option === Number(days))
  return removeUndefined({
    days: rangeDays === DEFAULT_DAYS ? undefined : rangeDays,
    from: readDay(from),
    to: readDay(to),
    groupBy: readChoice(groupBy, ['agent', 'workspace']),
  })
}

/** The first and last day of a range, inclusive, in UTC. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

export function resolveRange({ days = DEFAULT_DAYS, from, to }: UsageSearch, today: string): DayRange {
  return { from: from ?? listUtcDays(parseDay(today), days)[0] ?? today, to: to ?? today }
}

const parseDay = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** Lists the days of a range, up to one year. */
export function listDays({ from, to }: DayRange): string[] {
  const count = Math.round((parseDay(to) - parseDay(from)) / DAY_MS) + 1
  return listUtcDays(parseDay(to), Math.max(1, Math.min(MAX_RANGE_DAYS, count)))
}
