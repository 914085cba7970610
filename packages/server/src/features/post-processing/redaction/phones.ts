import { hasValidArticleCheck } from './check-digits.ts'
import { isItemNumber, type NumberRules } from './number-forms.ts'
import { findRanges, type PersonalRange } from './word-patterns.ts'

const MONTH_NUMBER = '(?:0?[1-9]|1[0-2])'
const DAY_NUMBER = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR_NUMBER = '(?:(?:19|20)\\d{2})'
const DATE_PATTERNS = [
  `${YEAR_NUMBER}([-/.])${MONTH_NUMBER}\\1${DAY_NUMBER}`,
  `${DAY_NUMBER}([-/.])${MONTH_NUMBER}\\2(?:${YEAR_NUMBER}|\\d{2})`,
  `${MONTH_NUMBER}([-/.])${DAY_NUMBER}\\3(?:${YEAR_NUMBER}|\\d{2})`,
]
/** Digit sequences that are not phone numbers: dates, times, IP addresses, numbers in thousands. */
const NON_PHONE_NUMBERS = new RegExp(
  `(?<!\\d|\\d[-/.])(?:${DATE_PATTERNS.join('|')})(?:[T ]\\d{1,2}(?=:))?(?!\\d|[-/.]\\d)` +
    '|(?<![\\d:])\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?!\\d)' +
    '|(?<![\\d.])(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}(?![\\d.])' +
    '|(?<![\\d.+])[1-9]\\d{0,2}(?:\\.\\d{3}){2,4}(?![\\d.])' +
    '|(?<!\\d|\\d[- ])\\d{4}(?:[ -]\\d{4}){3}(?![ -]?\\d)' +
    '|(?<!\\d|\\d[-–/ ])(?:19|20)\\d{2}\\s?[-–/]\\s?(?:19|20)\\d{2}(?!\\d|[-–/ ]\\d)',
  'g',
)

const CURRENCY = '(?:[$€£¥]|usd|eur|gbp|chf|pln|sek|dollars?|euros?|pounds?|francs?|franken|million(?:en|s)?)'
/** Amounts of money with spaces between thousands. */
const AMOUNTS = new RegExp(
  `[$€£¥] ?\\d{1,3}(?:[ \\u00a0]\\d{3}){1,4}(?![\\d-])|(?<![\\d+-]|\\d[ \\u00a0])\\d{1,3}(?:[ \\u00a0]\\d{3}){1,4}(?:[.,]\\d{2})? ?${CURRENCY}(?![\\p{L}\\d])`,
  'giu',
)
const MASK_CHARACTER = '\ue000'

/** Numbers of orders and other items: ungrouped, after a year, or versions. */
const ITEM_NUMBER = /^(?:\d{7,}|\d{4}[-/]\d{4,}|\d{1,4}(?:\.\d{1,6}){3})(?!\S)/
const PHONE_RUN = /(?<![\p{L}\p{N}_#])\+?\(?\+?\d(?:[\d() ./\u00a0\u2010-\u2013-]){5,40}\d(?!\d)/gu

/** Finds phone numbers that are grouped or have a country code, and ungrouped numbers of ten or more digits. */
export function findPhones(text: string, rules: NumberRules): PersonalRange[] {
  // Masks of equal length keep the positions unchanged.
  const maskedText = text
    .replaceAll(NON_PHONE_NUMBERS, (match) => MASK_CHARACTER.repeat(match.length))
    .replaceAll(AMOUNTS, (match) => MASK_CHARACTER.repeat(match.length))
  return findRanges(maskedText, PHONE_RUN, 'phone_number').flatMap(({ start, end, category }) => {
    const run = maskedText.slice(start, end)
    const itemLength = isItemNumber(maskedText, start) ? (ITEM_NUMBER.exec(run)?.[0].length ?? 0) : 0
    return splitPhoneRun(run.slice(itemLength), rules).map((phone) => {
      return { start: start + itemLength + phone.start, end: start + itemLength + phone.end, category }
    })
  })
}

/** Splits a run of digits into phone numbers by repeatedly taking the longest valid number. */
function splitPhoneRun(run: string, rules: NumberRules): { start: number; end: number }[] {
  const parts = [...run.matchAll(/[^ \u00a0]+/g)].map(({ index, 0: part }) => ({
    start: index,
    end: index + part.length,
  }))
  const phones: { start: number; end: number }[] = []
  let firstPart = 0
  while (firstPart < parts.length) {
    const start = parts[firstPart]?.start ?? 0
    const lastPart = parts.findLastIndex(
      ({ end }, index) => index >= firstPart && isPhone(run.slice(start, end), rules),
    )
    if (lastPart < 0) firstPart += 1
    else {
      phones.push({ start, end: parts[lastPart]?.end ?? start })
      firstPart = lastPart + 1
    }
  }
  return phones
}

/** Maximum length according to E.164. */
const MAX_PHONE_DIGITS = 15
/** Longer numbers without separators are not phone numbers. */
const MAX_BARE_DIGITS = 13

function isPhone(text: string, { bareDigits }: NumberRules): boolean {
  const groups = text.match(/\d+/g) ?? []
  const digits = groups.join('')
  if (digits.length < 7 || digits.length > MAX_PHONE_DIGITS || /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text)) return false
  if (text.includes('+')) return true
  if (groups.every((group) => /^(?:19|20)\d{2}$/.test(group)) || isCountingUp(groups)) return false
  if (groups.length === 1 && !text.includes('(')) {
    if (digits.startsWith('00')) return digits.length >= 10
    return bareDigits && digits.length >= 10 && digits.length <= MAX_BARE_DIGITS && !hasValidArticleCheck(digits)
  }
  const singleDigitCount = groups.filter((group) => group.length === 1).length
  // A list of small numbers is not a phone number. Digits spelled out one by one can be.
  if (singleDigitCount > 1) return singleDigitCount === groups.length && digits.length >= 10
  if (text.includes('(')) return true
  if (digits.length < 9) return /^(?:\d{3}[-. ]\d{4}|\d{4}[- ]\d{4}|0\d{1,4}[-/ ]\d{3,6})$/.test(text)
  return true
}

/** Whether the groups count up, such as "9 10 11 12 13", which is a list. */
function isCountingUp(groups: readonly string[]): boolean {
  return (
    groups.length >= 4 && groups.every((group, index) => index === 0 || Number(group) === Number(groups[index - 1]) + 1)
  )
}
