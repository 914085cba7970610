import { type PersonalRange, rangesOf } from './personal-ranges.ts'

/** Numbers that give themselves away by their form: cards, bank accounts, phones, social security. */

const MONTH_NUMBER = '(?:0?[1-9]|1[0-2])'
const DAY_NUMBER = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR_NUMBER = '(?:(?:19|20)\\d{2})'
const DATES = [
  `${YEAR_NUMBER}([-/.])${MONTH_NUMBER}\\1${DAY_NUMBER}`,
  `${DAY_NUMBER}([-/.])${MONTH_NUMBER}\\2(?:${YEAR_NUMBER}|\\d{2})`,
  `${MONTH_NUMBER}([-/.])${DAY_NUMBER}\\3(?:${YEAR_NUMBER}|\\d{2})`,
]
/** What is made of digits and signs and is no phone number: dates, times, addresses of computers, numbers in thousands. */
const OTHER_NUMBERS = new RegExp(
  `(?<!\\d|\\d[-/.])(?:${DATES.join('|')})(?:[T ]\\d{1,2}(?=:))?(?!\\d|[-/.]\\d)` +
    '|(?<![\\d:])\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?!\\d)' +
    '|(?<![\\d.])(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}(?![\\d.])' +
    '|(?<![\\d.+])[1-9]\\d{0,2}(?:\\.\\d{3}){2,4}(?![\\d.])' +
    '|(?<!\\d|\\d[-–/ ])(?:19|20)\\d{2}\\s?[-–/]\\s?(?:19|20)\\d{2}(?!\\d|[-–/ ]\\d)',
  'g',
)

const SOCIAL_SECURITY = /(?<![\d-])\d{3}([- ])\d{2}\1\d{4}(?![\d-])/g

/** Social security numbers in their usual form. */
export function findSocialSecurity(text: string): PersonalRange[] {
  return [...text.matchAll(SOCIAL_SECURITY)].map(({ index, 0: found }) => {
    return { start: index, end: index + found.length, category: 'ssn' }
  })
}

interface DigitGroup {
  readonly start: number
  readonly end: number
}

const CARD_DIGITS = { fewest: 13, most: 19 }

/** Card numbers: 13 to 19 digits, in groups or not, whose check digit is right. */
export function findCards(text: string): PersonalRange[] {
  const groups: DigitGroup[] = [...text.matchAll(/\d+/g)].map(({ index, 0: digits }) => {
    return { start: index, end: index + digits.length }
  })
  const found: PersonalRange[] = []
  for (let first = 0; first < groups.length; first += 1) {
    const last = cardEnd(text, groups, first)
    if (last === null) continue
    found.push({ start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0, category: 'credit_card' })
    first = last
  }
  return found
}

/** Index of the last group of the longest card number that begins with a group. */
function cardEnd(text: string, groups: readonly DigitGroup[], first: number): number | null {
  let digits = ''
  const lengths: number[] = []
  let end: number | null = null
  for (let index = first; index < groups.length; index += 1) {
    const group = groups[index]
    const before = groups[index - 1]
    if (group === undefined) break
    if (index > first && before !== undefined && !isGroupGap(text, before.end, group.start)) break
    if (digits.length + group.end - group.start > CARD_DIGITS.most) break
    digits += text.slice(group.start, group.end)
    lengths.push(group.end - group.start)
    if (digits.length >= CARD_DIGITS.fewest && isGroupedAsCard(digits, lengths) && hasCheckDigit(digits)) end = index
  }
  return end
}

/** In one piece, in groups of three and more with any rest, or spelled evenly; dates, times and lists of years are not. */
function isGroupedAsCard(digits: string, lengths: readonly number[]): boolean {
  if (lengths.length > 1 && areYears(digits.match(/.{1,4}/g) ?? [])) return false
  return lengths.slice(0, -1).every((length) => length >= 3) || new Set(lengths).size === 1
}

function isGroupGap(text: string, start: number, end: number): boolean {
  return end - start === 1 && /[ \-.\u00a0]/.test(text.charAt(start))
}

/** The formula of Luhn, ISO/IEC 7812-1. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2
    sum += index % 2 === 0 ? digit : doubled
  }
  return sum % 10 === 0 && /[1-9]/.test(digits)
}

const BANK_ACCOUNT = /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?:[ ]?[A-Za-z0-9]){11,30}/gu
const SHORTEST_BANK_ACCOUNT = 15

/** International bank account numbers whose check digits are right. */
export function findBankAccounts(text: string): PersonalRange[] {
  const found: PersonalRange[] = []
  for (const { index, 0: candidate } of text.matchAll(BANK_ACCOUNT)) {
    for (let length = candidate.length; length >= SHORTEST_BANK_ACCOUNT; length -= 1) {
      const after = text.charAt(index + length)
      if (candidate.charAt(length - 1) === ' ' || /[\p{L}\p{N}]/u.test(after)) continue
      if (!hasCheckDigits(candidate.slice(0, length).replaceAll(' ', ''))) continue
      found.push({ start: index, end: index + length, category: 'bank_account' })
      break
    }
  }
  return found
}

/** ISO 7064, MOD 97-10, as ISO 13616 uses it. */
function hasCheckDigits(account: string): boolean {
  if (account.length < SHORTEST_BANK_ACCOUNT) return false
  const moved = (account.slice(4) + account.slice(0, 4)).toUpperCase()
  let rest = 0
  for (const sign of moved) {
    const value = Number.parseInt(sign, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

function areYears(groups: readonly string[]): boolean {
  return groups.every((group) => /^(?:19|20)\d{2}$/.test(group))
}

const PHONE_RUN = /(?<![\p{L}\p{N}_#])\+?\(?\+?\d(?:[\d() ./\u00a0\u2010-\u2013-]){5,40}\d(?!\d)/gu

export interface PhoneRules {
  /** Whether digits without any sign between them count: not where numbers are mostly ids. */
  readonly bareDigits: boolean
}

/** Phone numbers as people write them, in groups or with a country's code; ten digits and more also without either. */
export function findPhones(text: string, rules: PhoneRules): PersonalRange[] {
  // Same length, so that what is found stands at the same place.
  const masked = text.replaceAll(OTHER_NUMBERS, (found) => '\ue000'.repeat(found.length))
  return rangesOf(masked, PHONE_RUN, 'phone_number').flatMap((range) =>
    phonesWithin(masked.slice(range.start, range.end), rules).map((found) => ({
      start: range.start + found.start,
      end: range.start + found.end,
      category: range.category,
    })),
  )
}

/** A run may hold several numbers, one after another: each time the longest that is one is taken. */
function phonesWithin(run: string, rules: PhoneRules): { start: number; end: number }[] {
  const pieces = [...run.matchAll(/[^ \u00a0]+/g)].map(({ index, 0: piece }) => ({
    start: index,
    end: index + piece.length,
  }))
  const found: { start: number; end: number }[] = []
  let first = 0
  while (first < pieces.length) {
    const start = pieces[first]?.start ?? 0
    const last = pieces.findLastIndex(({ end }, index) => index >= first && isPhone(run.slice(start, end), rules))
    if (last < 0) first += 1
    else {
      found.push({ start, end: pieces[last]?.end ?? start })
      first = last + 1
    }
  }
  return found
}

/** E.164: no number has more digits. */
const MOST_PHONE_DIGITS = 15

function isPhone(text: string, { bareDigits }: PhoneRules): boolean {
  const groups = text.match(/\d+/g) ?? []
  const digits = groups.join('')
  if (digits.length < 7 || digits.length > MOST_PHONE_DIGITS || /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text)) return false
  if (text.includes('+')) return true
  if (areYears(groups)) return false
  if (groups.length === 1 && !text.includes('(')) return (bareDigits || digits.startsWith('00')) && digits.length >= 10
  const singles = groups.filter((group) => group.length === 1).length
  // A list of small numbers is none; digits that were spelled one by one are.
  if (singles > 1) return singles === groups.length && digits.length >= 10
  if (text.includes('(')) return true
  if (digits.length < 9) return /^(?:\d{3}[-. ]\d{4}|\d{4}[- ]\d{4}|0\d{1,4}[-/ ]\d{3,6})$/.test(text)
  return true
}
