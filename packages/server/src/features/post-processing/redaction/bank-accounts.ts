import { remainderMod97, weightedSum } from './check-digits.ts'
import { standalone } from './number-forms.ts'
import { type PersonalRange, rangesOf } from './personal-ranges.ts'

/** How long the account numbers of a country are, from the registry of ISO 13616. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
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

const START = /(?<![\p{L}\p{N}])[A-Za-z]{2} ?\d{2}(?=[ \u00a0-]?[A-Za-z0-9])/gu

/** International bank account numbers: as long as those of their country, with check digits that are right. */
export function findInternationalAccounts(text: string): PersonalRange[] {
  const found: PersonalRange[] = []
  for (const { index } of text.matchAll(START)) {
    const length = LENGTHS.get(text.slice(index, index + 2).toUpperCase())
    if (length === undefined) continue
    const end = endOf(text, index, length)
    if (end === null) continue
    const signs = text.slice(index, end).replace(/[^A-Za-z0-9]/g, '')
    if (remainderMod97(signs.slice(4) + signs.slice(0, 4)) === 1)
      found.push({ start: index, end, category: 'bank_account' })
  }
  return found
}

/** Where so many letters and digits are over, with single signs between them; `null` where they are not, or more follow. */
function endOf(text: string, start: number, length: number): number | null {
  let position = start
  for (let count = 0; count < length; count += 1) {
    if (count > 0 && /[ \u00a0-]/.test(text.charAt(position))) position += 1
    if (!/[A-Za-z0-9]/.test(text.charAt(position))) return null
    position += 1
  }
  return /[\p{L}\p{N}]/u.test(text.charAt(position)) ? null : position
}

/** 12-34-56 12345678, also with the word "account" between them. */
const SORT_CODE_AND_ACCOUNT = standalone(
  '\\d{2}([- ])\\d{2}\\1\\d{2}(?:[ ,;/]{1,3}(?:and |acc(?:oun)?t\\.? ?(?:number|no\\.?)?:? ?(?:is )?)?)\\d{8}',
)

/** British accounts: a sort code and the number of an account behind it. */
export function findSortCodes(text: string): PersonalRange[] {
  return fullMatchRanges(text, SORT_CODE_AND_ACCOUNT)
}

function fullMatchRanges(text: string, pattern: RegExp): PersonalRange[] {
  return [...text.matchAll(pattern)].map(({ index, 0: found }) => {
    return { start: index, end: index + found.length, category: 'bank_account' }
  })
}

const ROUTING_NUMBER = standalone('\\d{9}|\\d{4}[- ]\\d{4}[- ]\\d')
const ROUTING_WORDS = /(?<!\p{L})(?:routing|aba|transit|wire transfer|direct deposit|checking|savings)(?!\p{L})/iu
const CONTEXT_CHARACTERS = 80

/** American banks, where the words around say that there is talk of one. */
export function findRoutingNumbers(text: string): PersonalRange[] {
  return rangesOf(text, ROUTING_NUMBER, 'bank_account').filter(({ start, end }) => {
    const isNear = ROUTING_WORDS.test(text.slice(Math.max(0, start - CONTEXT_CHARACTERS), end + CONTEXT_CHARACTERS))
    return isNear && isRoutingNumber(text.slice(start, end).replace(/\D/g, ''))
  })
}

/** Of a district of the Federal Reserve, with weights 3, 7 and 1. */
export function isRoutingNumber(digits: string): boolean {
  return (
    /^(?:0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(digits) &&
    /[1-9]/.test(digits) &&
    weightedSum(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0
  )
}
