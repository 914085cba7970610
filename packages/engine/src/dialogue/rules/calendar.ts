/** A date found in a text. `iso` is `YYYY-MM-DD`, or `null` if the words do not determine the date. */
export interface FoundDate {
  readonly text: string
  readonly iso: string | null
  readonly index: number
}

/** A time of day found in a text, as `HH:MM` on a 24-hour clock. */
export interface FoundTime {
  readonly text: string
  readonly value: string
  readonly index: number
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const GERMAN_MONTHS: Readonly<Record<string, string>> = { mär: 'mar', mrz: 'mar', mai: 'may', okt: 'oct', dez: 'dec' }
const WEEKDAY_PREFIXES = ['su|so', 'mo', 'tu|di', 'we|mi', 'th|do', 'fr', 'sa']
const MONTH =
  '(jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|oktober|nov(?:ember)?|dec(?:ember)?|dezember)\\.?'
const WEEKDAY =
  '(monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)'
const YEAR = '(?:,?\\s(\\d{4}))?'

const ISO_DATE = /\b(\d{4})-(\d{2})-(\d{2})(?!\d)/g
const DAY_FIRST_DATE = new RegExp(
  `\\b(?:the )?(\\d{1,2})(?:st|nd|rd|th|\\.)?(?: of)? ${MONTH}${YEAR}(?![\\p{L}])`,
  'giu',
)
const MONTH_FIRST_DATE = new RegExp(
  `\\b${MONTH} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?${YEAR}(?![\\d:])(?! ?[ap]\\.?m\\b)`,
  'giu',
)
const DOTTED_DATE = /\b(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?(?!\d)/g
const SLASHED_DATE = /(?<![\d/])(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?(?![\d/])/g
const RELATIVE_DATE = new RegExp(
  `\\b(?:the )?day after tomorrow\\b|(?<!\\p{L})übermorgen\\b|\\b(?:today|tonight|tomorrow|heute)\\b|(?<!guten )\\bmorgen\\b|\\bin (\\d{1,3}) (?:days?|tagen?)\\b|\\b(?:(?:this|next|coming|nächste[nr]?|kommende[nr]?|diese[nr]?) )?${WEEKDAY}(?:s|nachmittag|vormittag|morgen|abend)?\\b`,
  'giu',
)

function toIsoDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  if (Number.isNaN(date.getTime()) || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  return date.toISOString().slice(0, 10)
}

function addDays(iso: string, days: number): string {
  return new Date(Date.parse(`${iso}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** Resolves a date to its next occurrence if no year is given. Returns `null` if today's date is unknown. */
function resolveDate(year: string | undefined, month: number, day: number, today: string | null): string | null {
  if (year !== undefined) return toIsoDate(Number(year), month, day)
  if (today === null) return null
  const thisYear = Number(today.slice(0, 4))
  const candidate = toIsoDate(thisYear, month, day)
  return candidate !== null && candidate < today ? toIsoDate(thisYear + 1, month, day) : candidate
}

function findMonth(name: string): number {
  const prefix = name.toLowerCase().slice(0, 3)
  return MONTHS.indexOf(GERMAN_MONTHS[prefix] ?? prefix) + 1
}

/** Returns the day of the week, where 0 is Sunday, or `null` if the word is not a weekday. */
function findWeekday(word: string): number | null {
  const prefix = word.toLowerCase().slice(0, 2)
  const weekday = WEEKDAY_PREFIXES.findIndex((prefixes) => prefixes.split('|').includes(prefix))
  return weekday < 0 ? null : weekday
}

function resolveRelativeDate(match: RegExpMatchArray, today: string | null): string | null {
  if (today === null) return null
  const words = match[0].toLowerCase()
  if (/after|über/.test(words)) return addDays(today, 2)
  if (words === 'tomorrow' || words === 'morgen') return addDays(today, 1)
  if (/^(?:to|heute)/.test(words)) return today
  if (match[1] !== undefined) return addDays(today, Number(match[1]))
  const currentWeekday = new Date(`${today}T00:00:00Z`).getUTCDay()
  const daysAhead = ((findWeekday(match[2] ?? '') ?? currentWeekday) - currentWeekday + 7) % 7 || 7
  // "Next Friday" is ambiguous.
  return /^n[eä]/.test(words) && daysAhead < 6 ? null : addDays(today, daysAhead)
}

function resolveSlashedDate(match: RegExpMatchArray, today: string | null): string | null {
  const [first, second] = [Number(match[1]), Number(match[2])]
  if (first > 12) return resolveDate(match[3], second, first, today)
  return second > 12 || first === second ? resolveDate(match[3], first, second, today) : null
}

/** Finds all dates in a text, in order. `today` (`YYYY-MM-DD`) resolves relative dates; with `null` they stay unresolved. */
export function findDates(source: string, today: string | null): FoundDate[] {
  const dates: FoundDate[] = []
  let text = source
  const collect = (pattern: RegExp, resolveMatch: (found: RegExpMatchArray) => string | null): void => {
    for (const match of text.matchAll(pattern))
      dates.push({ text: match[0].trim(), iso: resolveMatch(match), index: match.index })
    text = text.replace(pattern, (matchText) => ' '.repeat(matchText.length))
  }
  collect(ISO_DATE, (match) => toIsoDate(Number(match[1]), Number(match[2]), Number(match[3])))
  collect(DAY_FIRST_DATE, (match) => resolveDate(match[3], findMonth(match[2] ?? ''), Number(match[1]), today))
  collect(MONTH_FIRST_DATE, (match) => resolveDate(match[3], findMonth(match[1] ?? ''), Number(match[2]), today))
  collect(DOTTED_DATE, (match) => resolveDate(match[3], Number(match[2]), Number(match[1]), today))
  collect(SLASHED_DATE, (match) => resolveSlashedDate(match, today))
  collect(RELATIVE_DATE, (match) => resolveRelativeDate(match, today))
  return dates.sort((left, right) => left.index - right.index)
}

const CLOCK_TIME =
  /\b(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?m\b\.?|\b([01]?\d|2[0-3]):(\d{2})(?::\d{2})?\b(?: uhr\b)?|\b(noon|midnight|mittags?|mitternacht)\b|\b(?:at|around|by|from|um|gegen|ab) ([01]?\d|2[0-3])(?: ?(?:o'?clock|h|uhr))?\b(?![\d/:-]|\.\d|\s?(?:[ap]\.?m\b|€|%|people|guests|persons|days|personen|tage))|\b([01]?\d|2[0-3]) ?(?:o'?clock|uhr)\b/gi

/** Finds all times of day in a text, in order. "At 7" is read as 07:00, without guessing the afternoon. */
export function findTimes(text: string): FoundTime[] {
  const times: FoundTime[] = []
  for (const match of text.matchAll(CLOCK_TIME)) {
    const period = match[3]?.toLowerCase()
    const namedTime = match[6]?.toLowerCase()
    let hour =
      namedTime === undefined
        ? Number(match[1] ?? match[4] ?? match[7] ?? match[8])
        : /^(?:noon|mittag)/.test(namedTime)
          ? 12
          : 0
    if (period !== undefined && (hour < 1 || hour > 12)) continue
    if (period === 'p' && hour < 12) hour += 12
    if (period === 'a' && hour === 12) hour = 0
    const minute = Number(match[2] ?? match[5] ?? 0)
    if (minute > 59) continue
    const value = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
    times.push({ text: match[0].replace(/[.]$/, ''), value, index: match.index })
  }
  return times
}

/** Finds the current date that a prompt states ("Today is Friday, November 20, 2026"), as `YYYY-MM-DD`. */
export function findToday(text: string): string | null {
  for (const match of text.matchAll(
    /\b(?:today(?:'s date)?|current (?:date|time|day)|the date|heute ist)\b(.{0,80})/gi,
  )) {
    const date = findDates(match[1] ?? '', null).find(({ iso }) => iso !== null)
    if (date?.iso) return date.iso
  }
  return null
}

const DAY_NAME =
  /(?<!\p{L})(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?(?!\p{L})|(?<!\p{L})(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?(?!\p{L})/giu
const DAY_GROUP =
  /(?<!\p{L})(?:week-?ends?|wochenenden?|weekdays?|werktags?|wochentags?|daily|every day|täglich|7 days)(?!\p{L})/giu
const RANGE = /^\s?(?:–|-|to|through|until|till|bis)\s?$/i

/** Returns the weekdays that a text names, with ranges and weekends expanded. 0 is Sunday. */
export function findWeekdays(text: string): ReadonlySet<number> {
  const days = new Set<number>()
  let previousDay: { readonly day: number; readonly end: number } | null = null
  for (const match of text.matchAll(DAY_NAME)) {
    const day = findWeekday(match[0]) ?? 0
    days.add(day)
    if (
      previousDay !== null &&
      match.index - previousDay.end < 10 &&
      RANGE.test(text.slice(previousDay.end, match.index))
    ) {
      for (let dayBetween: number = previousDay.day; dayBetween !== day; dayBetween = (dayBetween + 1) % 7)
        days.add(dayBetween)
    }
    previousDay = { day, end: match.index + match[0].length }
  }
  for (const [dayGroup] of text.matchAll(DAY_GROUP)) {
    const isWeekend = /end/i.test(dayGroup)
    const isEveryDay = /daily|every|täglich|7/i.test(dayGroup)
    for (const day of isEveryDay ? [0, 1, 2, 3, 4, 5, 6] : isWeekend ? [6, 0] : [1, 2, 3, 4, 5]) days.add(day)
  }
  return days
}
