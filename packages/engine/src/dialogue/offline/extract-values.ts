import { type FoundDate, type FoundTime, findDates, findTimes } from './calendar.ts'
import { trimEndMarks } from './cut-text.ts'

/** A number with the words around it, which tell what it counts. */
export interface FoundNumber {
  readonly value: number
  /** "One", which may stand for a thing. */
  readonly inWords: boolean
  readonly before: string
  readonly after: string
}

/** What can be recognised in one message without knowing what it was for. */
export interface MessageValues {
  readonly text: string
  readonly emails: readonly string[]
  readonly phones: readonly string[]
  readonly urls: readonly string[]
  readonly dates: readonly FoundDate[]
  readonly times: readonly FoundTime[]
  readonly references: readonly string[]
  readonly numbers: readonly FoundNumber[]
  readonly quoted: readonly string[]
  readonly name: string | null
  readonly address: string | null
}

const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu
const url = /\bhttps?:\/\/[^\s<>"']{1,500}[^\s<>"'.,;:!?)]/gi
const quotation = /["“„«]([^"“”„«»]{1,300})["”“»]|(?<![\p{L}])['‘]([^'‘’]{2,200})['’](?!\p{L})/gu
const labelledReference =
  /\b(?:order|booking|reservation|reference|ref|confirmation|invoice|ticket|customer|account|tracking|case|policy|member(?:ship)?|patient|contract|id|number|no|code)\b\.?(?:\s(?:number|no\.?|id|code|reference|nr\.?))?(?:\s(?:is|was))?\s*(?:[:#]\s*)?#?([A-Za-z]{0,6}[-_]?\d[A-Za-z0-9_-]{1,30})\b/gi
const bareReference = /#\s?([A-Za-z0-9][A-Za-z0-9_-]{1,30})\b|\b([A-Z]{1,6}-?\d[A-Z0-9-]{1,30})\b/g
const phone = /(?<![\p{L}\d#])(?:\+|00)?\(?\d[\d ()/.-]{5,22}\d(?![\p{L}\d])/gu
const numberWords: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  dozen: 12,
  couple: 2,
}
const number = new RegExp(
  `(?<![\\p{L}\\d.,])(-?\\d{1,12}(?:[.,]\\d{1,4})?)(?![\\d])|\\b(${Object.keys(numberWords).join('|')})\\b`,
  'giu',
)
const nameLead =
  /\b(?:my (?:full )?name(?:'s|’s| is)|i(?:'m|’m| am) called|the name(?:'s|’s| is)|name(?:'s|’s| is| will be)|under the name(?: of)?|this is|it(?:'s|’s| is)|i(?:'m|’m| am)|name\s?:|ich hei(?:ß|ss)e|mein name ist|je m'appelle|me llamo|mi nombre es|mi chiamo|call me)\s+/giu
const nameWords = /^[\p{L}][\p{L}'’.-]*(?:\s+[\p{L}][\p{L}'’-]*){0,3}/u
const nameEnd =
  /^(?:and|my|i|from|with|at|on|in|for|the|a|an|to|please|calling|speaking|here|email|e-mail|phone|number|but|or|born|und|of)$/i
const street =
  /\b\d{1,5}[a-z]? (?:[A-Z][\p{L}'.-]{1,40} ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|square|sq|way|court|ct|boulevard|blvd|place|pl)\b\.?(?:,? (?:[A-Z]{0,2}[\p{Lu}\p{N}][\p{L}\p{N}-]*,? ?){0,5})?|(?<![\p{L}\d_-])\p{Lu}[\p{L}-]{1,60}(?:straße|strasse|str\.|gasse|weg|platz|allee) \d{1,4}[a-z]?(?:,? \d{4,5} \p{Lu}[\p{L}-]+)?/gu

/** Writes a name as names are written when it was given in lower case. */
export function capitaliseName(name: string): string {
  return name === name.toLowerCase() ? name.replace(/(^|[\s'’-])(\p{Ll})/gu, (found) => found.toUpperCase()) : name
}

/** A name that a message states ("my name is …"); after the vaguer "I am" only capitalised words count. */
export function findName(text: string): string | null {
  for (const lead of text.matchAll(nameLead)) {
    const following = nameWords.exec(text.slice(lead.index + lead[0].length))?.[0] ?? ''
    const words = following.split(/\s+/)
    const end = words.findIndex((word) => nameEnd.test(word))
    const name = trimEndMarks((end < 0 ? words : words.slice(0, end)).slice(0, 4).join(' '), ".'’-")
    const certain = /name|call|hei|llamo|appelle|chiamo/i.test(lead[0])
    if (
      name !== '' &&
      (certain ? name.split(' ').length <= 4 : /^\p{Lu}[\p{L}'’.-]+(?: \p{Lu}[\p{L}'’-]+)*$/u.test(name))
    ) {
      if (
        !certain &&
        /^(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|I|Ok|Yes|No|January|February|March|April|May|June|July|August|September|October|November|December)\b/.test(
          name,
        )
      )
        continue
      return capitaliseName(name)
    }
  }
  return null
}

/** Recognises values in a message; long messages are read up to 4,000 characters. `today` resolves relative dates. */
export function extractValues(message: string, today: string | null): MessageValues {
  const text = message.slice(0, 4_000)
  let rest = text
  const take = (pattern: RegExp, accept: (found: readonly string[]) => string | null): string[] => {
    const values: string[] = []
    rest = rest.replace(pattern, (...found) => {
      const groups = found.filter((part): part is string => typeof part === 'string').slice(0, -1)
      const value = accept(groups)
      if (value === null) return found[0]
      values.push(value)
      return ' '.repeat(String(found[0]).length)
    })
    return [...new Set(values)]
  }
  const last = (found: readonly string[]): string => found[found.length - 1] ?? ''
  const emails = take(email, (found) => found[0] ?? null)
  const urls = take(url, (found) => found[0] ?? null)
  const quoted = [...text.matchAll(quotation)].map((found) => found[1] ?? found[2] ?? '')
  const dates = findDates(rest, today)
  for (const date of dates) rest = blank(rest, date.index, date.text.length)
  const times = findTimes(rest)
  for (const time of times) rest = blank(rest, time.index, time.text.length)
  const address = take(street, (found) => trimEndMarks(found[0] ?? '', ','))[0] ?? null
  const references = take(labelledReference, last)
  references.push(...take(bareReference, last))
  const phones = take(phone, (found) =>
    (found[0] ?? '').replace(/\D/g, '').length >= 7 ? (found[0] ?? '').trim() : null,
  )
  const numbers = [...rest.matchAll(number)].map((found) => ({
    value:
      found[1] !== undefined ? Number(found[1].replace(',', '.')) : (numberWords[(found[2] ?? '').toLowerCase()] ?? 0),
    inWords: found[1] === undefined,
    before: rest.slice(Math.max(0, found.index - 40), found.index),
    after: rest.slice(found.index + found[0].length, found.index + found[0].length + 40),
  }))
  return { text, emails, phones, urls, dates, times, references, numbers, quoted, name: findName(text), address }
}

function blank(text: string, index: number, length: number): string {
  return text.slice(0, index) + ' '.repeat(length) + text.slice(index + length)
}
