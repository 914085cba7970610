import {
  hasValidArticleCheck,
  hasValidLuhn,
  hasValidMod11And10,
  isMonthAndDay,
  weightedCrossSum,
  weightedSum,
} from './check-digits.ts'

/** What makes a number that of a person, one function for each country. All take the number without separators, in capitals. */

/** United States: no area 000, 666 or 9xx, no group 00, no serial 0000; of taxpayers (9xx) the groups that were given out. */
export function isSocialSecurity(number: string): boolean {
  const match = /^(?!000|666)(\d{3})(?!00)(\d{2})(?!0000)\d{4}$/.exec(number)
  if (match === null) return false
  const [, area = '', group = ''] = match
  return !area.startsWith('9') || /^(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])$/.test(group)
}

/** United Kingdom: prefixes that are in use, and a suffix A to D. */
export function isNationalInsurance(number: string): boolean {
  return /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(number)
}

/** Canada: none begins with 8. */
export function isSocialInsurance(number: string): boolean {
  return /^[0-79]\d{8}$/.test(number) && hasValidLuhn(number)
}

/** Germany, pension insurance: area, day of birth, letter of the name, serial, check digit. */
export function isGermanPension(number: string): boolean {
  const match = /^(\d{2})(\d{2})(\d{2})(\d{2})([A-Z])(\d{2})(\d)$/.exec(number)
  if (match === null) return false
  const [, area = '', day = '', month = '', year = '', letter = '', serial = '', check] = match
  if (!isMonthAndDay(month, day)) return false
  const digits = area + day + month + year + placeInAlphabet(letter) + serial
  return weightedCrossSum(digits, [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]) % 10 === Number(check)
}

/** Two digits, A = 01. */
export function placeInAlphabet(letter: string): string {
  return String(letter.charCodeAt(0) - 64).padStart(2, '0')
}

/** Germany, tax: of the first ten digits one comes up twice or three times, all others once at most. */
export function isGermanTax(number: string): boolean {
  if (!/^[1-9]\d{10}$/.test(number)) return false
  const counts = new Map<string, number>()
  for (const digit of number.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  const repeated = [...counts.values()].filter((count) => count > 1)
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3 && hasValidMod11And10(number)
}

/** France: sex, year, month, place, serial, key. */
export function isFrench(number: string): boolean {
  if (!/^[1-478]\d{2}(?:0[1-9]|1[0-2]|[23]\d|4[0-2]|[5-9]\d)(?:\d{2}|2[AB])\d{6}\d{2}$/.test(number)) return false
  const body = number.slice(0, 13).replace('2A', '19').replace('2B', '18')
  return 97 - (Number(body) % 97) === Number(number.slice(13))
}

const SPANISH_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** Spain, of citizens (eight digits and a letter) and of foreigners (X, Y or Z in front). */
export function isSpanish(number: string): boolean {
  if (!/^(?:\d{8}|[XYZ]\d{7})[A-Z]$/.test(number)) return false
  const digits = number.slice(0, 8).replace(/[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return SPANISH_LETTERS.charAt(Number(digits) % 23) === number.charAt(8)
}

const ITALIAN_FORM = /^[A-Z]{6}[\dLMNP-V]{2}[ABCDEHLMPRST][0-7LMNP-T][\dLMNP-V][A-Z][\dLMNP-V]{3}[A-Z]$/
/** What a sign at an odd place counts, by its place in the alphabet; digits count as the letters A to J do. */
const ITALIAN_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/** Italy. */
export function isItalian(number: string): boolean {
  if (!ITALIAN_FORM.test(number)) return false
  let sum = 0
  for (let index = 0; index < 15; index += 1) {
    const sign = number.charAt(index)
    const value = /\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 65
    sum += index % 2 === 0 ? (ITALIAN_ODD[value] ?? 0) : value
  }
  return sum % 26 === number.charCodeAt(15) - 65
}

/** Netherlands, the test of eleven. */
export function isDutch(number: string): boolean {
  return /^(?!0{9})\d{9}$/.test(number) && weightedSum(number, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0
}

/** Poland: of those born in the 1900s (months 01 to 12) and 2000s (21 to 32). */
export function isPolish(number: string): boolean {
  if (!/^\d{2}[0-3]\d{8}$/.test(number)) return false
  const month = Number(number.slice(2, 4))
  const day = number.slice(4, 6)
  if (!isMonthAndDay(String(month > 20 ? month - 20 : month), day)) return false
  return weightedSum(number, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0
}

/** Sweden: day of birth (of coordination numbers 60 more), serial, check digit; with the century in front or without. */
export function isSwedish(number: string): boolean {
  if (!/^(?:18|19|20)?\d{10}$/.test(number)) return false
  const short = number.slice(-10)
  const day = Number(short.slice(4, 6))
  return isMonthAndDay(short.slice(2, 4), String(day > 60 ? day - 60 : day)) && hasValidLuhn(short)
}

const FINNISH_SIGNS = '0123456789ABCDEFHJKLMNPRSTUVWXY'

/** Finland, without the sign of the century, which is no digit and no letter up to 1999. */
export function isFinnish(number: string): boolean {
  const match = /^(\d{2})(\d{2})(\d{2})[A-FU-Y]?(\d{3})([\dA-Y])$/.exec(number)
  if (match === null) return false
  const [, day = '', month = '', year = '', serial = '', check] = match
  return isMonthAndDay(month, day) && FINNISH_SIGNS.charAt(Number(day + month + year + serial) % 31) === check
}

/** Norway: two check digits; days 40 higher are those of temporary numbers. */
export function isNorwegian(number: string): boolean {
  if (!/^\d{11}$/.test(number)) return false
  const day = Number(number.slice(0, 2))
  if (!isMonthAndDay(number.slice(2, 4), String(day > 40 ? day - 40 : day))) return false
  return (
    weightedSum(number, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weightedSum(number, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

/** Belgium: since 2000 a 2 counts in front. */
export function isBelgian(number: string): boolean {
  if (!/^\d{11}$/.test(number) || !isMonthAndDay(number.slice(2, 4), number.slice(4, 6))) return false
  const body = number.slice(0, 9)
  const check = Number(number.slice(9))
  return check === 97 - (Number(body) % 97) || check === 97 - (Number(`2${body}`) % 97)
}

/** Switzerland. */
export function isSwiss(number: string): boolean {
  return number.startsWith('756') && hasValidArticleCheck(number)
}

/** Austria: the fourth digit checks the others; the last six are the day of birth, months above 12 when days ran out. */
export function isAustrian(number: string): boolean {
  if (!/^[1-9]\d{9}$/.test(number)) return false
  const month = Number(number.slice(6, 8))
  const isDay = month > 12 && month < 16 ? true : isMonthAndDay(String(month), number.slice(4, 6))
  return isDay && weightedSum(number, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(number.charAt(3))
}

/** Brazil: two check digits. */
export function isBrazilian(number: string): boolean {
  if (!/^(?!(\d)\1{10})\d{11}$/.test(number)) return false
  const checkOf = (weights: readonly number[]): number => ((weightedSum(number, weights) * 10) % 11) % 10
  return (
    checkOf([10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(number.charAt(9)) &&
    checkOf([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(number.charAt(10))
  )
}
