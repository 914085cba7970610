import type { TimeRouting } from '@parley/contract/time-routing'

export type Weekday = TimeRouting['windows'][number]['days'][number]
export type TimeWindow = TimeRouting['windows'][number]

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Weekday[]

/** The API limit. */
export const MAX_WINDOWS = 50

const MONDAY = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000

export function listDayNames(language: string, style: 'short' | 'long'): Readonly<Record<Weekday, string>> {
  const format = new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' })
  const named = WEEKDAYS.map((day, at) => [day, format.format(new Date(MONDAY + at * DAY_MS))] as const)
  return Object.fromEntries(named) as Record<Weekday, string>
}

/** Adds or removes a day and keeps the order of the week. */
export function toggleDay(days: readonly Weekday[], day: Weekday): Weekday[] {
  return WEEKDAYS.filter((each) => (each === day ? !days.includes(each) : days.includes(each)))
}

/** Reads a typed time ("8", "830", "8.30", "17:5") as `HH:MM`. Other text is unchanged. */
export function readTime(typed: string): string {
  const match = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$|^(\d{1,2})[:.h ](\d)$/.exec(typed.trim())
  if (match === null) return typed.trim()
  const [hours = '', minutes = '0'] = match[1] === undefined ? [match[3], match[4]] : [match[1], match[2]]
  return `${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`
}

/** Suggested times: every half hour up to 24:00. */
export const TIME_OPTIONS: readonly string[] = Array.from(
  { length: 49 },
  (_, half) => `${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 === 0 ? '00' : '30'}`,
)

/** ID of the datalist with the suggested times. */
export const TIME_OPTIONS_ID = 'times-of-day'

export function isOverlapping(one: TimeWindow, other: TimeWindow): boolean {
  return one.days.some((day) => other.days.includes(day)) && one.start < other.end && other.start < one.end
}

export function moveEntry<Entry>(list: readonly Entry[], index: number, by: -1 | 1): Entry[] {
  const moved = [...list]
  const [entry] = moved.splice(index, 1)
  if (entry !== undefined) moved.splice(Math.max(0, index + by), 0, entry)
  return moved
}

export function listTimeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}

export const getBrowserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
