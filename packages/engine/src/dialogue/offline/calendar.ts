/** A date as found in what somebody said. `iso` is `YYYY-MM-DD`, or `null` when the words leave it open. */
export interface FoundDate {
  readonly text: string
  readonly iso: string | null
  readonly index: number
}

/** A time of day as found in what somebody said, as `HH:MM` of 24 hours. */
export interface FoundTime {
  readonly text: string
  readonly value: string
  readonly index: number
}

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const year = '(?:,?\\s+(\\d{4}))?'
const isoDate = /\b(\d{4})-(\d{2})-(\d{2})(?!\d)/gi
const dayFirst = new RegExp(`\\b(?:the )?(\\d{1,2})(?:st|nd|rd|th|\\.)?(?: of)? ${month}${year}(?![a-z])`, 'gi')
const monthFirst = new RegExp(
  `\\b${month} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?${year}(?![\\d:])(?! ?[ap]\\.?m\\b)`,
  'gi',
)
const dotted = /\b(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?(?!\d)/g
const slashed = /(?<![\d/])(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?(?![\d/])/g
const relative =
  /\b(?:the )?day after tomorrow\b|\b(?:today|tonight|tomorrow)\b|\bin (\d{1,3}) days?\b|\b(?:this |next |coming )?(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/gi

function isoOf(yearNumber: number, monthNumber: number, day: number): string | null {
  const date = new Date(Date.UTC(yearNumber, monthNumber - 1, day))
  if (Number.isNaN(date.getTime()) || date.getUTCMonth() !== monthNumber - 1 || date.getUTCDate() !== day) return null
  const iso = date.toISOString().slice(0, 10)
  return /^\d{4}/.test(iso) ? iso : null
}

function daysAfter(iso: string, days: number): string {
  return new Date(Date.parse(`${iso}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The next such day from today on when no year was said; open without knowing today. */
function resolve(yearText: string | undefined, monthNumber: number, day: number, today: string | null): string | null {
  if (yearText !== undefined) return isoOf(Number(yearText), monthNumber, day)
  if (today === null) return null
  const thisYear = Number(today.slice(0, 4))
  const candidate = isoOf(thisYear, monthNumber, day)
  return candidate !== null && candidate < today ? isoOf(thisYear + 1, monthNumber, day) : candidate
}

function monthNumberOf(name: string): number {
  return monthNames.findIndex((full) => full.startsWith(name.toLowerCase().slice(0, 3))) + 1
}

function resolveRelative(found: RegExpMatchArray, today: string | null): string | null {
  if (today === null) return null
  const words = found[0].toLowerCase()
  if (words.includes('after')) return daysAfter(today, 2)
  if (words === 'tomorrow') return daysAfter(today, 1)
  if (words.startsWith('to')) return today
  if (found[1] !== undefined) return daysAfter(today, Number(found[1]))
  const wanted = dayNames.indexOf((found[2] ?? '').toLowerCase())
  const current = new Date(`${today}T00:00:00Z`).getUTCDay()
  const ahead = (wanted - current + 7) % 7 || 7
  // "Next Friday" means two different days to different people.
  return words.startsWith('next') && ahead < 6 ? null : daysAfter(today, ahead)
}

function resolveSlashed(found: RegExpMatchArray, today: string | null): string | null {
  const [first, second] = [Number(found[1]), Number(found[2])]
  if (first > 12) return resolve(found[3], second, first, today)
  if (second > 12 || first === second) return resolve(found[3], first, second, today)
  return null
}

/** All dates of a text in order. `today` (`YYYY-MM-DD`) resolves relative ones; `null` leaves them open. */
export function findDates(source: string, today: string | null): FoundDate[] {
  const dates: FoundDate[] = []
  let text = source
  const collect = (pattern: RegExp, read: (found: RegExpMatchArray) => string | null, always: boolean): void => {
    for (const found of text.matchAll(pattern)) {
      const iso = read(found)
      if (iso === null && !always) continue
      dates.push({ text: found[0].trim(), iso, index: found.index })
    }
    text = text.replace(pattern, (found) => ' '.repeat(found.length))
  }
  collect(isoDate, (found) => isoOf(Number(found[1]), Number(found[2]), Number(found[3])), false)
  collect(dayFirst, (found) => resolve(found[3], monthNumberOf(found[2] ?? ''), Number(found[1]), today), true)
  collect(monthFirst, (found) => resolve(found[3], monthNumberOf(found[1] ?? ''), Number(found[2]), today), true)
  collect(dotted, (found) => resolve(found[3], Number(found[2]), Number(found[1]), today), true)
  collect(slashed, (found) => resolveSlashed(found, today), true)
  collect(relative, (found) => resolveRelative(found, today), true)
  return dates.sort((left, right) => left.index - right.index)
}

const clockTime =
  /\b(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?m\b\.?|\b([01]?\d|2[0-3])[:](\d{2})(?::\d{2})?\b|\b(noon|midnight)\b|\b(?:at|around|by|from) ([01]?\d|2[0-3])(?: ?(?:o'?clock|h|uhr))?\b(?![\d/:-]|\.\d|\s?(?:[ap]\.?m\b|€|%|people|guests|persons|days|[a-z]+ street))|\b([01]?\d|2[0-3]) ?(?:o'?clock|uhr)\b/gi

/** All times of day of a text in order. "At 7" is read as 07:00: nothing is guessed. */
export function findTimes(text: string): FoundTime[] {
  const times: FoundTime[] = []
  for (const found of text.matchAll(clockTime)) {
    const halfDay = found[3]?.toLowerCase()
    const named = found[6]?.toLowerCase()
    let hour = named === undefined ? Number(found[1] ?? found[4] ?? found[7] ?? found[8]) : named === 'noon' ? 12 : 0
    if (halfDay !== undefined && (hour < 1 || hour > 12)) continue
    if (halfDay === 'p' && hour < 12) hour += 12
    if (halfDay === 'a' && hour === 12) hour = 0
    const minute = Number(found[2] ?? found[5] ?? 0)
    if (minute > 59) continue
    times.push({
      text: found[0],
      value: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
      index: found.index,
    })
  }
  return times
}

/** The current date that a prompt states ("Today is Friday, November 20, 2026"), as `YYYY-MM-DD`. */
export function findToday(text: string): string | null {
  const stated = /\b(?:today(?:'s date)?|current (?:date|time|day)|the date)\b(.{0,80})/gi
  for (const found of text.matchAll(stated)) {
    const date = findDates(found[1] ?? '', null).find((candidate) => candidate.iso !== null)
    if (date?.iso) return date.iso
  }
  return null
}
