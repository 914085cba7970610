import { computeMod97, computeWeightedSum, hasValidLuhn } from './check-digits.ts'
import { buildTokenPattern, isItemNumber } from './number-forms.ts'
import { findRanges, type PersonalRange } from './word-patterns.ts'

/** IBAN lengths by country, from the ISO 13616 registry. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FO GL NL SD FK',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'LY PT ST',
    26: 'IS TR',
    27: 'BI DJ FR GR IT MC MR SM',
    28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, Number(length)] as const)),
)

const IBAN_START = /(?<![\p{L}\p{N}])[A-Za-z]{2} ?\d{2}(?=[ \u00a0-]?[A-Za-z0-9])/gu

/** Finds international bank account numbers with their country's length and valid check digits. */
export function findIbans(text: string): PersonalRange[] {
  const ranges: PersonalRange[] = []
  for (const { index } of text.matchAll(IBAN_START)) {
    const length = IBAN_LENGTHS.get(text.slice(index, index + 2).toUpperCase())
    if (length === undefined) continue
    const end = findIbanEnd(text, index, length)
    if (end === null) continue
    const iban = text.slice(index, end).replace(/[^A-Za-z0-9]/g, '')
    if (computeMod97(iban.slice(4) + iban.slice(0, 4)) === 1)
      ranges.push({ start: index, end, category: 'bank_account' })
  }
  return ranges
}

/** Returns the end of exactly `length` letters and digits with single separators, or null if there are fewer or more. */
function findIbanEnd(text: string, start: number, length: number): number | null {
  let position = start
  for (let count = 0; count < length; count += 1) {
    if (count > 0 && /[ \u00a0-]/.test(text.charAt(position))) position += 1
    if (!/[A-Za-z0-9]/.test(text.charAt(position))) return null
    position += 1
  }
  return /[\p{L}\p{N}]/u.test(text.charAt(position)) ? null : position
}

/** 12-34-56 12345678, optionally with the word "account" between them. */
const SORT_CODE_AND_ACCOUNT = buildTokenPattern(
  '\\d{2}([- ])\\d{2}\\1\\d{2}(?:[ ,;/]{1,3}(?:and |acc(?:oun)?t\\.? ?(?:number|no\\.?)?:? ?(?:is )?)?)\\d{8}',
)

/** Finds British accounts: a sort code followed by an account number. */
export function findSortCodes(text: string): PersonalRange[] {
  return findFullMatches(text, SORT_CODE_AND_ACCOUNT)
}

function findFullMatches(text: string, pattern: RegExp): PersonalRange[] {
  return [...text.matchAll(pattern)].map(({ index, 0: matchedText }) => {
    return { start: index, end: index + matchedText.length, category: 'bank_account' }
  })
}

const ROUTING_NUMBER = buildTokenPattern('\\d{9}|\\d{4}[- ]\\d{4}[- ]\\d')
const ROUTING_WORDS = /(?<!\p{L})(?:routing|aba|transit|wire transfer|direct deposit|checking|savings)(?!\p{L})/iu
const CONTEXT_CHARACTERS = 80

/** Finds US bank routing numbers if the surrounding words mention a bank. */
export function findRoutingNumbers(text: string): PersonalRange[] {
  return findRanges(text, ROUTING_NUMBER, 'bank_account').filter(({ start, end }) => {
    const hasBankContext = ROUTING_WORDS.test(
      text.slice(Math.max(0, start - CONTEXT_CHARACTERS), end + CONTEXT_CHARACTERS),
    )
    return hasBankContext && isRoutingNumber(text.slice(start, end).replace(/\D/g, ''))
  })
}

/** Whether the digits are a US bank routing number. The check uses weights 3, 7 and 1. */
export function isRoutingNumber(digits: string): boolean {
  return (
    /^(?:0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(digits) &&
    /[1-9]/.test(digits) &&
    computeWeightedSum(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0
  )
}

interface CardBrand {
  /** Pattern of the first digits, ISO/IEC 7812. */
  readonly prefix: RegExp
  readonly lengths: readonly number[]
}

/** Prefixes and lengths of card brands. Required because one in ten other numbers passes the Luhn check. */
const CARD_BRANDS: readonly CardBrand[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:30[0-5]|3095|3[689])/, lengths: [14, 16, 19] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:6011|64[4-9]|65|62|60[4-8]|8[12])/, lengths: [16, 17, 18, 19] },
  // Debit cards of several countries.
  { prefix: /^(?:5018|5020|5038|5[6-8]|6304|67)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  { prefix: /^(?:220[0-4]|506[01]|508|6363|6362|9792)/, lengths: [16, 17, 18, 19] },
]
const MIN_DIGITS = 12
const MAX_DIGITS = 19
const LEGACY_LENGTH = 13

interface DigitGroup {
  readonly start: number
  readonly end: number
}

/** Finds card numbers with a known prefix, a valid length and a valid check digit. */
export function findCards(text: string): PersonalRange[] {
  const groups: DigitGroup[] = [...text.matchAll(/\d+/g)].map(({ index, 0: digits }) => {
    return { start: index, end: index + digits.length }
  })
  const ranges: PersonalRange[] = []
  for (let firstIndex = 0; firstIndex < groups.length; firstIndex += 1) {
    const lastIndex = findCardEnd(text, groups, firstIndex)
    if (lastIndex === null) continue
    ranges.push({ start: groups[firstIndex]?.start ?? 0, end: groups[lastIndex]?.end ?? 0, category: 'credit_card' })
    firstIndex = lastIndex
  }
  return ranges
}

/** Returns the index of the last group of the longest card number that starts at a group, or null if there is none. */
function findCardEnd(text: string, groups: readonly DigitGroup[], firstIndex: number): number | null {
  let digits = ''
  const lengths: number[] = []
  let end: number | null = null
  for (let index = firstIndex; index < groups.length; index += 1) {
    const group = groups[index]
    const previousGroup = groups[index - 1]
    if (group === undefined || (index === firstIndex && isWithinWord(text, group.start))) break
    if (index > firstIndex && previousGroup !== undefined && !isGroupGap(text, previousGroup.end, group.start)) break
    if (digits.length + group.end - group.start > MAX_DIGITS) break
    digits += text.slice(group.start, group.end)
    lengths.push(group.end - group.start)
    if (/[\p{L}_]/u.test(text.charAt(group.end)) || !isCard(digits) || !isGroupedAsCard(digits, lengths)) continue
    // Article numbers have as many digits as old cards.
    if (digits.length === LEGACY_LENGTH && lengths.length === 1 && isItemNumber(text, group.start)) continue
    // Cards are rarely that short, but parts of longer numbers often are.
    if (digits.length <= LEGACY_LENGTH && lengths.length > 1 && isInsideGroups(text, groups, [firstIndex, index]))
      continue
    end = index
  }
  return end
}

/** Whether groups of three or more digits precede the first group or follow the last. */
function isInsideGroups(
  text: string,
  groups: readonly DigitGroup[],
  [firstIndex, lastIndex]: readonly [number, number],
): boolean {
  const areJoined = (before: DigitGroup | undefined, after: DigitGroup | undefined): boolean =>
    before !== undefined && after !== undefined && isGroupGap(text, before.end, after.start)
  const isLong = (group: DigitGroup | undefined): boolean => group !== undefined && group.end - group.start >= 3
  return (
    (isLong(groups[firstIndex - 1]) && areJoined(groups[firstIndex - 1], groups[firstIndex])) ||
    (isLong(groups[lastIndex + 1]) && areJoined(groups[lastIndex], groups[lastIndex + 1]))
  )
}

/** Whether the digits are part of an id such as `a41f4111…`. */
function isWithinWord(text: string, start: number): boolean {
  return /(?:_|\d\p{L}{1,8})$/u.test(text.slice(Math.max(0, start - 9), start))
}

export function isCard(digits: string): boolean {
  if (digits.length < MIN_DIGITS || !hasValidLuhn(digits)) return false
  return CARD_BRANDS.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits))
}

/** Whether the digits are ungrouped or grouped like a card number, unlike dates, times and lists of years. */
function isGroupedAsCard(digits: string, lengths: readonly number[]): boolean {
  if (lengths.length > 1 && (digits.match(/.{1,4}/g) ?? []).every((group) => /^(?:19|20)\d{2}$/.test(group)))
    return false
  return lengths.slice(0, -1).every((length) => length >= 3) || new Set(lengths).size === 1
}

function isGroupGap(text: string, start: number, end: number): boolean {
  return /^(?:[ .\u00a0\u202f\u2010-\u2013-]| {2}| [-–] )$/.test(text.slice(start, Math.min(end, start + 4)))
}
