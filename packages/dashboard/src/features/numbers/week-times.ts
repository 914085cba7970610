import type { TimeRouting } from '@parley/contract/time-routing'

export type Weekday = TimeRouting['windows'][number]['days'][number]
export type TimeWindow = TimeRouting['windows'][number]

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Weekday[]

/** Maximum number of windows in the API. */
export const MAX_WINDOWS = 50

const MONDAY = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000

export function listDayNames(language: string, style: 'short' | 'long'): Readonly<Record<Weekday, string>> {
  const format = new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' })
  const dayEntries = WEEKDAYS.map((day, index) => [day, format.format(new Date(MONDAY + index * DAY_MS))] as const)
  return Object.fromEntries(dayEntries) as Record<Weekday, string>
}

/** Adds or removes a day and keeps the order of the week. */
export function toggleDay(days: readonly Weekday[], day: Weekday): Weekday[] {
  return WEEKDAYS.filter((weekday) => (weekday === day ? !days.includes(weekday) : days.includes(weekday)))
}

/** Formats a time ("8", "830", "8.30", "17:5") as `HH:MM`. Other text is only trimmed. */
export function normalizeTime(text: string): string {
  const match = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$|^(\d{1,2})[:.h ](\d)$/.exec(text.trim())
  if (match === null) return text.trim()
  const [hours = '', minutes = '0'] = match[1] === undefined ? [match[3], match[4]] : [match[1], match[2]]
  return `${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`
}

/** Suggested times: every half hour up to 24:00. */
export const TIME_OPTIONS: readonly string[] = Array.from(
  { length: 49 },
  (_, halfHour) => `${String(Math.floor(halfHour / 2)).padStart(2, '0')}:${halfHour % 2 === 0 ? '00' : '30'}`,
)

/** ID of the datalist with the suggested times. */
export const TIME_OPTIONS_ID = 'times-of-day'

export function isOverlapping(first: TimeWindow, second: TimeWindow): boolean {
  return first.days.some((day) => second.days.includes(day)) && first.start < second.end && second.start < first.end
}

export function moveEntry<Entry>(list: readonly Entry[], index: number, offset: -1 | 1): Entry[] {
  const entries = [...list]
  const [entry] = entries.splice(index, 1)
  if (entry !== undefined) entries.splice(Math.max(0, index + offset), 0, entry)
  return entries
}

export function listTimeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}

export const getBrowserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
