import { type FoundDate, type FoundTime, findDates, findTimes } from './calendar.ts'
import { trimEndMarks } from './sentences.ts'

/** A number with the surrounding words, which indicate what it counts. */
export interface FoundNumber {
  readonly value: number
  readonly before: string
  readonly after: string
}

/** Values that can be recognized in a message without knowing the question. */
export interface MessageValues {
  readonly text: string
  readonly emails: readonly string[]
  readonly phones: readonly string[]
  readonly urls: readonly string[]
  readonly dates: readonly FoundDate[]
  readonly times: readonly FoundTime[]
  readonly references: readonly string[]
  readonly numbers: readonly FoundNumber[]
  readonly name: string | null
  readonly address: string | null
}

/** Maximum number of characters read from a message. */
const MAX_CHARACTERS = 4_000

const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu
const URL = /\bhttps?:\/\/[^\s<>"']{1,500}[^\s<>"'.,;:!?)]/gi
const REFERENCE =
  /\b(?:order|booking|reservation|reference|ref|confirmation|invoice|ticket|customer|account|tracking|case|policy|member|contract|id|number|no|code|nummer|bestellung|rechnung)(?:\s(?:number|no|id|code|reference|nummer|nr))?\.?(?:\s(?:is|was|ist|lautet))?\s?[:#]?\s?#?([A-Za-z]{0,6}[-_]?\d[A-Za-z0-9_-]{1,30})\b/gi
const BARE_REFERENCE = /#\s?([A-Za-z0-9][A-Za-z0-9_-]{1,30})\b|\b([A-Z]{1,6}-?\d[A-Z0-9-]{1,30})\b/g
const PHONE = /(?<![\p{L}\d#])(?:\+|00)?\(?\d[\d ()/.-]{4,22}\d(?![\p{L}\d])/gu
const COUNTS =
  'one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 fifteen=15 twenty=20 thirty=30 dozen=12 couple=2 ein=1 eine=1 einen=1 zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 zwanzig=20'
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  COUNTS.split(' ').map((entry) => [entry.slice(0, entry.indexOf('=')), Number(entry.slice(entry.indexOf('=') + 1))]),
)
const NUMBER = new RegExp(
  `(?<![\\p{L}\\d.,])(-?\\d{1,12}(?:[.,]\\d{1,4})?)(?![\\d])|(?<!\\p{L})(${[...NUMBER_WORDS.keys()].join('|')})(?!\\p{L})`,
  'giu',
)
const NAME_LEAD =
  /\b(?:my (?:full )?name(?:'s| is)|i(?:'m| am) called|the name(?:'s| is)|name(?:'s| is)|under the name(?: of)?|this is|it(?:'s| is)|i(?:'m| am)|name:|ich hei(?:ß|ss)e|mein name ist|ich bin|hier ist|hier spricht|auf den namen|je m'appelle|me llamo|mi chiamo|call me)\s/giu
const CERTAIN_LEAD = /name|call|hei|llamo|appelle|chiamo/i
const NAME_WORDS = /^\p{L}[\p{L}'.-]{0,40}(?:\s\p{L}[\p{L}'-]{0,40}){0,3}/u
const NAME_END =
  /^(?:and|back|my|i|from|with|at|on|in|for|the|a|an|to|please|calling|speaking|here|email|phone|number|but|or|born|und|of|aus|von|meine?|ich|bitte|am|um|der|die|das|also|just|not|so|looking|interested|wondering|sorry|about|wegen|nicht|auf)$/i
const NOT_A_NAME =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|^(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|i|ok|yes|no)\b/i
const STREET =
  /\b\d{1,5}[a-z]? (?:[A-Z][\p{L}'.-]{1,40} ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|square|sq|way|court|boulevard|blvd|place|pl)\b|(?<![\p{L}\d_-])\p{Lu}[\p{L}-]{1,60}(?:straße|strasse|str\.|gasse|weg|platz|allee) \d{1,4}[a-z]?(?:,? \d{4,5} \p{Lu}[\p{L}-]{1,40})?/gu

/** Capitalizes a name that was typed in lowercase. */
export function capitalizeName(name: string): string {
  return name === name.toLowerCase() ? name.replace(/(^|[\s'-])(\p{Ll})/gu, (letter) => letter.toUpperCase()) : name
}

/** Matches a name at the start, as in "Bob Stone, 555 0100". */
const NAME_FIRST = /^(\p{Lu}[\p{L}'-]{1,40}(?: \p{Lu}[\p{L}'-]{1,40}){1,3}),\s?(?:\+?\d|[\w.]{1,40}@|on\b|at\b|am\b)/u

/** Matches a name at the end, as in "Monday at 9, Bob Stone". */
const NAME_LAST = /\d[^,]{0,20}, (\p{Lu}\p{Ll}{1,30} \p{Lu}\p{Ll}{1,30})[.!]?$/u

/** Finds a name that a message states ("my name is …"). After the less specific "I am", only capitalized words count. */
export function findName(text: string): string | null {
  for (const lead of text.matchAll(NAME_LEAD)) {
    const start = lead.index + lead[0].length
    const words = (NAME_WORDS.exec(text.slice(start, start + 170))?.[0] ?? '').split(/\s/)
    const end = words.findIndex((word) => NAME_END.test(word))
    const name = trimEndMarks((end < 0 ? words : words.slice(0, end)).join(' '), ".'-")
    if (name === '' || NOT_A_NAME.test(name)) continue
    const isCapitalized = name.split(' ').every((word) => /^\p{Lu}/u.test(word))
    if (CERTAIN_LEAD.test(lead[0]) || isCapitalized) return capitalizeName(name)
  }
  return NAME_FIRST.exec(text)?.[1] ?? NAME_LAST.exec(text)?.[1] ?? null
}

/** Recognizes the values in a message. `today` (`YYYY-MM-DD`) resolves relative dates. */
export function findValues(message: string, today: string | null): MessageValues {
  const text = message.slice(0, MAX_CHARACTERS).replaceAll('’', "'")
  let remainingText = text
  const extractMatches = (pattern: RegExp, toValue: (found: string, group: string) => string | null): string[] => {
    const values = new Set<string>()
    remainingText = remainingText.replace(pattern, (matchText: string, ...groups: unknown[]) => {
      const value = toValue(matchText, groups.slice(0, -2).find((group) => typeof group === 'string') as string)
      if (value === null) return matchText
      values.add(value)
      return ' '.repeat(matchText.length)
    })
    return [...values]
  }
  const blankOut = ({ index, text: dateText }: FoundDate | FoundTime): void => {
    remainingText =
      remainingText.slice(0, index) + ' '.repeat(dateText.length) + remainingText.slice(index + dateText.length)
  }
  const emails = extractMatches(EMAIL, (matchText) => matchText)
  const urls = extractMatches(URL, (matchText) => matchText)
  const dates = findDates(remainingText, today)
  dates.forEach(blankOut)
  const times = findTimes(remainingText)
  times.forEach(blankOut)
  const address = extractMatches(STREET, (matchText) => matchText)[0] ?? null
  const phones = extractMatches(PHONE, (matchText) =>
    matchText.replace(/\D/g, '').length >= 6 ? matchText.trim() : null,
  )
  const references = [
    ...extractMatches(REFERENCE, (_found, group) => group),
    ...extractMatches(BARE_REFERENCE, (_found, group) => group),
  ]
  const numbers = [...remainingText.matchAll(NUMBER)].map((match) => ({
    value:
      match[1] === undefined
        ? (NUMBER_WORDS.get((match[2] ?? '').toLowerCase()) ?? 0)
        : Number(match[1].replace(',', '.')),
    before: remainingText.slice(Math.max(0, match.index - 30), match.index),
    after: remainingText.slice(match.index + match[0].length, match.index + match[0].length + 30),
  }))
  return { text, emails, urls, phones, dates, times, references, numbers, name: findName(text), address }
}
