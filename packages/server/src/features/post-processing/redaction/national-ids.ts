import {
  computeWeightedCrossSum,
  computeWeightedSum,
  hasValidArticleCheck,
  hasValidDocumentCheck,
  hasValidLuhn,
  hasValidMod11And10,
  isValidMonthDay,
} from './check-digits.ts'
import { buildTokenPattern, findNumbers, type NumberFormat, type NumberRules } from './number-forms.ts'
import { findRanges, type PersonalRange } from './word-patterns.ts'

/** Machine-readable lines of passports (2 of 44 characters), visas (2 of 36) and identity cards (3 of 30), ICAO 9303. */
const MACHINE_READABLE_LINE = /(?<![A-Za-z0-9<])(?:[A-Z0-9<]{44}|[A-Z0-9<]{36}|[A-Z0-9<]{30})(?![A-Za-z0-9<])/g

/** Finds machine-readable lines. Number lines need valid check digits, and name lines need fillers. */
export function findMachineReadableLines(text: string): PersonalRange[] {
  return findRanges(text, MACHINE_READABLE_LINE, 'passport').filter(({ start, end }) =>
    isDocumentLine(text.slice(start, end)),
  )
}

function isDocumentLine(line: string): boolean {
  if (!line.includes('<')) return false
  if (isNameLine(line)) return true
  return line.length === 30 ? isCardLine(line) : isNumberLine(line)
}

/** Whether the line contains a name, such as PETROV<<ANA<<<<. Passports and visas have a prefix of five characters. */
function isNameLine(line: string): boolean {
  const names = line.length === 30 ? line : /^[PVIAC][A-Z<][A-Z<]{3}(.*)$/.exec(line)?.[1]
  return names !== undefined && /^[A-Z]+(?:<[A-Z]+)*(?:<<[A-Z]+(?:<[A-Z]+)*)?<+$/.test(names) && names.includes('<<')
}

/** Whether the line is the second line of a passport or visa: number, birth date and expiry date. */
function isNumberLine(line: string): boolean {
  return (
    /^[A-Z<]{3}\d{6}\d[MFX<]\d{6}\d/.test(line.slice(10)) &&
    hasValidCheckDigit(line, 0, 9) &&
    hasValidCheckDigit(line, 13, 19) &&
    hasValidCheckDigit(line, 21, 27)
  )
}

/** Whether the line is the first line of a card (number) or the second (birth and expiry dates). */
function isCardLine(line: string): boolean {
  if (/^[ACI][A-Z<]{4}/.test(line)) return hasValidCheckDigit(line, 5, 14)
  return /^\d{7}[MFX<]\d{7}[A-Z<]{3}/.test(line) && hasValidCheckDigit(line, 0, 6) && hasValidCheckDigit(line, 8, 14)
}

/** Whether the character at `check` is the valid check digit of the characters from `start`. */
function hasValidCheckDigit(line: string, start: number, checkIndex: number): boolean {
  return hasValidDocumentCheck(line.slice(start, checkIndex), line.charAt(checkIndex))
}

/** For example, MORGA657054SM9IJ: surname, birth date (women's months plus 50), initials and check characters. */
const BRITISH_LICENSE = buildTokenPattern(
  '(?=[a-z9]{5})[a-z]{1,5}9{0,4} ?\\d(?:0[1-9]|1[0-2]|5[1-9]|6[0-2])(?:0[1-9]|[12]\\d|3[01])\\d ?[a-z][a-z9]\\d[a-z]{2}(?: ?\\d{2})?',
)

/** Finds British driving licenses. Others are not recognizable without context. */
export function findDrivingLicenses(text: string): PersonalRange[] {
  return findRanges(text, BRITISH_LICENSE, 'driver_license').filter(({ start, end }) => {
    return /^[a-z9]{5} ?\d/i.test(text.slice(start, end))
  })
}

/**
 * Whether the number is a US Social Security or taxpayer number: no area 000, 666 or 9xx, no group 00, no serial 0000. Taxpayer
 * numbers (9xx) need an issued group.
 */
export function isSocialSecurityNumber(number: string): boolean {
  const match = /^(?!000|666)(\d{3})(?!00)(\d{2})(?!0000)\d{4}$/.exec(number)
  if (match === null) return false
  const [, area = '', group = ''] = match
  return !area.startsWith('9') || /^(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])$/.test(group)
}

/** Whether the number is a UK National Insurance number: a prefix in use, and a suffix from A to D. */
export function isNationalInsuranceNumber(number: string): boolean {
  return /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(number)
}

/** Whether the number is a Canadian Social Insurance Number. No issued number starts with 8. */
export function isSocialInsuranceNumber(number: string): boolean {
  return /^[0-79]\d{8}$/.test(number) && hasValidLuhn(number)
}

/** Whether the number is a German pension insurance number: area, birthday, initial, serial number and check digit. */
export function isGermanPensionId(number: string): boolean {
  const match = /^(\d{2})(\d{2})(\d{2})(\d{2})([A-Z])(\d{2})(\d)$/.exec(number)
  if (match === null) return false
  const [, area = '', day = '', month = '', year = '', letter = '', serial = '', checkDigit] = match
  if (!isValidMonthDay(month, day)) return false
  const digits = area + day + month + year + getAlphabetPosition(letter) + serial
  return computeWeightedCrossSum(digits, [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]) % 10 === Number(checkDigit)
}

/** Returns the position of a letter in the alphabet as two digits, with A = 01. */
export function getAlphabetPosition(letter: string): string {
  return String(letter.charCodeAt(0) - 64).padStart(2, '0')
}

/**
 * Whether the number is a German tax id. One of the first ten digits occurs two or three times, and all others at most once.
 */
export function isGermanTaxId(number: string): boolean {
  if (!/^[1-9]\d{10}$/.test(number)) return false
  const counts = new Map<string, number>()
  for (const digit of number.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  const repeatedCounts = [...counts.values()].filter((count) => count > 1)
  return repeatedCounts.length === 1 && (repeatedCounts[0] ?? 0) <= 3 && hasValidMod11And10(number)
}

/** Whether the number is a French social security number: sex, year, month, place, serial number and key. */
export function isFrenchId(number: string): boolean {
  if (!/^[1-478]\d{2}(?:0[1-9]|1[0-2]|[23]\d|4[0-2]|[5-9]\d)(?:\d{2}|2[AB])\d{6}\d{2}$/.test(number)) return false
  const body = number.slice(0, 13).replace('2A', '19').replace('2B', '18')
  return 97 - (Number(body) % 97) === Number(number.slice(13))
}

const SPANISH_CHECK_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** Whether the number is a Spanish id of a citizen (eight digits and a letter) or foreigner (prefix X, Y or Z). */
export function isSpanishId(number: string): boolean {
  if (!/^(?:\d{8}|[XYZ]\d{7})[A-Z]$/.test(number)) return false
  const digits = number.slice(0, 8).replace(/[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return SPANISH_CHECK_LETTERS.charAt(Number(digits) % 23) === number.charAt(8)
}

const ITALIAN_FORMAT = /^[A-Z]{6}[\dLMNP-V]{2}[ABCDEHLMPRST][0-7LMNP-T][\dLMNP-V][A-Z][\dLMNP-V]{3}[A-Z]$/
/** Values of characters at odd positions by their place in the alphabet. Digits count as A to J. */
const ITALIAN_ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]

/** Whether the text is an Italian fiscal code. */
export function isItalianId(number: string): boolean {
  if (!ITALIAN_FORMAT.test(number)) return false
  let sum = 0
  for (let index = 0; index < 15; index += 1) {
    const character = number.charAt(index)
    const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65
    sum += index % 2 === 0 ? (ITALIAN_ODD_VALUES[value] ?? 0) : value
  }
  return sum % 26 === number.charCodeAt(15) - 65
}

/** Whether the number is a Dutch citizen service number (modulo 11). */
export function isDutchId(number: string): boolean {
  return /^(?!0{9})\d{9}$/.test(number) && computeWeightedSum(number, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0
}

/** Whether the number is a Polish PESEL number for a birth in the 1900s (months 01 to 12) or 2000s (21 to 32). */
export function isPolishId(number: string): boolean {
  if (!/^\d{2}[0-3]\d{8}$/.test(number)) return false
  const month = Number(number.slice(2, 4))
  const day = number.slice(4, 6)
  if (!isValidMonthDay(String(month > 20 ? month - 20 : month), day)) return false
  return computeWeightedSum(number, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0
}

/** Whether the number is a Swedish personal number. Coordination numbers add 60 to the day. The century is optional. */
export function isSwedishId(number: string): boolean {
  if (!/^(?:18|19|20)?\d{10}$/.test(number)) return false
  const tenDigits = number.slice(-10)
  const day = Number(tenDigits.slice(4, 6))
  return isValidMonthDay(tenDigits.slice(2, 4), String(day > 60 ? day - 60 : day)) && hasValidLuhn(tenDigits)
}

const FINNISH_CHECK_CHARACTERS = '0123456789ABCDEFHJKLMNPRSTUVWXY'

/** Whether the number is a Finnish id. The century sign is missing if it is punctuation. */
export function isFinnishId(number: string): boolean {
  const match = /^(\d{2})(\d{2})(\d{2})[A-FU-Y]?(\d{3})([\dA-Y])$/.exec(number)
  if (match === null) return false
  const [, day = '', month = '', year = '', serial = '', checkCharacter] = match
  return (
    isValidMonthDay(month, day) &&
    FINNISH_CHECK_CHARACTERS.charAt(Number(day + month + year + serial) % 31) === checkCharacter
  )
}

/** Whether the number is a Norwegian id with two check digits. Temporary numbers add 40 to the day. */
export function isNorwegianId(number: string): boolean {
  if (!/^\d{11}$/.test(number)) return false
  const day = Number(number.slice(0, 2))
  if (!isValidMonthDay(number.slice(2, 4), String(day > 40 ? day - 40 : day))) return false
  return (
    computeWeightedSum(number, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    computeWeightedSum(number, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

/** Whether the number is a Belgian national number. For births since 2000, the check includes a leading 2. */
export function isBelgianId(number: string): boolean {
  if (!/^\d{11}$/.test(number) || !isValidMonthDay(number.slice(2, 4), number.slice(4, 6))) return false
  const body = number.slice(0, 9)
  const checkDigits = Number(number.slice(9))
  return checkDigits === 97 - (Number(body) % 97) || checkDigits === 97 - (Number(`2${body}`) % 97)
}

/** Whether the number is a Swiss insurance number. */
export function isSwissId(number: string): boolean {
  return number.startsWith('756') && hasValidArticleCheck(number)
}

/**
 * Whether the number is an Austrian insurance number. The fourth digit is the check digit. The last six are the birth
 * date, with months up to 15.
 */
export function isAustrianId(number: string): boolean {
  if (!/^[1-9]\d{9}$/.test(number)) return false
  const month = Number(number.slice(6, 8))
  const isValidBirthday = month > 12 && month < 16 ? true : isValidMonthDay(String(month), number.slice(4, 6))
  return isValidBirthday && computeWeightedSum(number, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(number.charAt(3))
}

/** Whether the number is a Brazilian CPF number with two check digits. */
export function isBrazilianId(number: string): boolean {
  if (!/^(?!(\d)\1{10})\d{11}$/.test(number)) return false
  const computeCheckDigit = (weights: readonly number[]): number =>
    ((computeWeightedSum(number, weights) * 10) % 11) % 10
  return (
    computeCheckDigit([10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(number.charAt(9)) &&
    computeCheckDigit([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(number.charAt(10))
  )
}

/**
 * National ids that are recognizable without context because their format or check digits rarely match by chance. Other
 * ids (Dutch and Swedish without separators, Danish, Irish, Portuguese) need an introducing phrase.
 */
const NATIONAL_ID_FORMATS: readonly NumberFormat[] = [
  // 078-05-1120
  { pattern: buildTokenPattern('\\d{3}([- ])\\d{2}\\1\\d{4}'), isValid: isSocialSecurityNumber },
  // AB 12 34 56 C
  {
    pattern: buildTokenPattern('[a-z]{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?[a-d]'),
    isValid: isNationalInsuranceNumber,
  },
  // 046 454 286
  { pattern: buildTokenPattern('\\d{3}([- ])\\d{3}\\1\\d{3}'), isValid: isSocialInsuranceNumber },
  // 15 070649 C 103
  {
    pattern: buildTokenPattern('\\d{2}[ -]?\\d{2}[ .]?\\d{2}[ .]?\\d{2}[ -]?[a-z][ -]?\\d{2}[ ]?\\d'),
    isValid: isGermanPensionId,
  },
  // 86 095 742 719
  { pattern: buildTokenPattern('\\d{2} ?\\d{3} ?\\d{3} ?\\d{3}'), isValid: isGermanTaxId },
  // 2 55 08 14 168 025 38
  {
    pattern: buildTokenPattern('\\d[ .]?\\d{2}[ .]?\\d{2}[ .]?(?:\\d{2}|2[ab])[ .]?\\d{3}[ .]?\\d{3}[ .-]?\\d{2}'),
    isValid: isFrenchId,
  },
  // 12345678Z, 12.345.678-Z, X1234567L
  {
    pattern: buildTokenPattern('(?:\\d{2}\\.?\\d{3}\\.?\\d{3}|[xyz][- ]?\\d{7})-?[a-z]'),
    isValid: isSpanishId,
  },
  // After a space, only a capital letter matches because a lowercase letter may start the next word.
  { pattern: /(?<![\p{L}\p{N}])\d{8} [A-Z](?![\p{L}\p{N}])/gu, isValid: isSpanishId },
  // RSS MRA 85T10 A562 S
  {
    pattern: buildTokenPattern('[a-z]{3} ?[a-z]{3} ?[\\da-z]{2}[a-z][\\da-z]{2} ?[a-z][\\da-z]{3} ?[a-z]'),
    isValid: isItalianId,
  },
  // 1112.22.333
  { pattern: buildTokenPattern('\\d{4}([. ])\\d{2}\\1\\d{3}'), isValid: isDutchId },
  // 44051401359
  {
    pattern: buildTokenPattern('\\d{11}|\\d{6} \\d{5}'),
    isValid: (number) => isPolishId(number) || isNorwegianId(number),
  },
  // 811228-9874, 19811228-9874, 198112289874
  { pattern: buildTokenPattern('(?:\\d{2})?\\d{6}[-+]\\d{4}|(?:19|20)\\d{6} ?\\d{4}'), isValid: isSwedishId },
  // 131052-308T
  { pattern: buildTokenPattern('\\d{6}[-+a-fu-y]\\d{3}[\\da-y]'), isValid: isFinnishId },
  // 85.07.30-033.28
  {
    pattern: buildTokenPattern('\\d{2}([. ])\\d{2}\\1\\d{2}[- ]\\d{3}[. ]\\d{2}|\\d{6}-\\d{3}[. ]?\\d{2}'),
    isValid: isBelgianId,
  },
  // 756.1234.5678.97
  { pattern: buildTokenPattern('756[. ]?\\d{4}[. ]?\\d{4}[. ]?\\d{2}'), isValid: isSwissId },
  // 1237 010180
  { pattern: buildTokenPattern('\\d{4}[ /-]\\d{6}'), isValid: isAustrianId },
  // 529.982.247-25
  { pattern: buildTokenPattern('\\d{3}([. ])\\d{3}\\1\\d{3}[- ]\\d{2}'), isValid: isBrazilianId },
]

/** Finds national ids of people: social security, insurance and tax numbers. */
export function findNationalIds(text: string, rules: NumberRules): PersonalRange[] {
  return findNumbers(text, NATIONAL_ID_FORMATS, { ...rules, category: 'ssn' })
}
