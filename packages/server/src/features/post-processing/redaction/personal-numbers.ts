import type { PiiCategory } from '@parley/contract/after-conversation'
import { computeWeightedCrossSum, computeWeightedSum } from './check-digits.ts'
import { findDrivingLicenses, findMachineReadableLines, findNationalIds, getAlphabetPosition } from './national-ids.ts'
import { buildTokenPattern, findNumbers, type NumberFormat, type NumberRules } from './number-forms.ts'
import { findCards, findIbans, findRoutingNumbers, findSortCodes } from './payment-numbers.ts'
import { findPhones } from './phones.ts'
import type { PersonalRange } from './word-patterns.ts'

const MEDICAL_ID_FORMATS: readonly NumberFormat[] = [
  // 943 476 5919. Numbers with other separators are phone numbers.
  { pattern: buildTokenPattern('\\d{3}[ \\u00a0]\\d{3}[ \\u00a0]\\d{4}'), isValid: isHealthServiceId },
  // 1EG4-TE5-MK73
  {
    pattern: buildTokenPattern('[1-9][a-z][\\da-z]\\d[- ]?[a-z][\\da-z]\\d[- ]?[a-z]{2}\\d{2}'),
    isValid: isMedicareId,
  },
  // A123456780
  { pattern: buildTokenPattern('[a-z] ?\\d{3} ?\\d{3} ?\\d{3}'), isValid: isGermanInsuranceId },
]

const MEDICARE_LETTER = '[AC-HJKMNP-RT-Y]'
const MEDICARE_CHARACTER = '[\\dAC-HJKMNP-RT-Y]'
const MEDICARE_PATTERN = new RegExp(
  `^[1-9]${MEDICARE_LETTER}${MEDICARE_CHARACTER}\\d${MEDICARE_LETTER}${MEDICARE_CHARACTER}\\d${MEDICARE_LETTER}{2}\\d{2}$`,
)

interface PersonalNumbers {
  /** Numbers in unambiguous formats. */
  readonly certainRanges: readonly PersonalRange[]
  /** Numbers whose category may depend on the preceding words. */
  readonly likelyRanges: readonly PersonalRange[]
}

const NO_NUMBERS: PersonalNumbers = { certainRanges: [], likelyRanges: [] }

/** Finds all numbers of the categories that are recognizable by format and check digits. */
export function findNumbersByCategory(
  text: string,
  categories: ReadonlySet<PiiCategory>,
  rules: NumberRules,
): PersonalNumbers {
  if (!/\d/.test(text))
    return categories.has('passport') ? { certainRanges: findMachineReadableLines(text), likelyRanges: [] } : NO_NUMBERS
  const certainRanges = [...findIbans(text), ...findCards(text), ...findSortCodes(text)]
  const likelyRanges: PersonalRange[] = []
  if (categories.has('passport')) certainRanges.push(...findMachineReadableLines(text))
  if (categories.has('bank_account')) likelyRanges.push(...findRoutingNumbers(text))
  if (categories.has('ssn')) likelyRanges.push(...findNationalIds(text, rules))
  if (categories.has('medical_id')) likelyRanges.push(...findMedicalIds(text, rules))
  if (categories.has('driver_license')) likelyRanges.push(...findDrivingLicenses(text))
  if (categories.has('phone_number')) {
    // Masks card and account numbers because their groups look like phone numbers.
    likelyRanges.push(...findPhones(maskRanges(text, certainRanges), rules))
  }
  return { certainRanges: certainRanges.filter(({ category }) => categories.has(category)), likelyRanges }
}

/** Replaces ranges of the text, which may overlap, with non-digits of equal length. */
function maskRanges(text: string, ranges: readonly PersonalRange[]): string {
  if (ranges.length === 0) return text
  let maskedText = ''
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    maskedText += text.slice(maskedText.length, start)
    maskedText += '\ue000'.repeat(Math.max(0, end - maskedText.length))
  }
  return maskedText + text.slice(maskedText.length)
}

/** Finds patient and insurance numbers that are recognizable without context: British, German and US Medicare numbers. */
function findMedicalIds(text: string, rules: NumberRules): PersonalRange[] {
  return findNumbers(text, MEDICAL_ID_FORMATS, { ...rules, category: 'medical_id' })
}

/** Whether the number is an NHS number. The last digit makes the weighted sum a multiple of eleven. */
export function isHealthServiceId(number: string): boolean {
  return (
    /^[1-9]\d{9}$/.test(number) &&
    !/^(\d)\1{9}$/.test(number) &&
    computeWeightedSum(number, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

/** Whether the number is a US Medicare beneficiary number. Letters that resemble digits are not used. */
export function isMedicareId(number: string): boolean {
  return MEDICARE_PATTERN.test(number)
}

/** Whether the number is the permanent part of a German health insurance number. */
export function isGermanInsuranceId(number: string): boolean {
  if (!/^[A-Z]\d{9}$/.test(number)) return false
  const digits = getAlphabetPosition(number.charAt(0)) + number.slice(1)
  return computeWeightedCrossSum(digits, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 === Number(number.at(-1))
}
