import type { PiiCategory } from '@parley/contract/after-conversation'
import { computeWeightedCrossSum, computeWeightedSum } from './check-digits.ts'
import { findDrivingLicenses, findMachineReadable, findNationalIds, getAlphabetPosition } from './national-ids.ts'
import { buildTokenPattern, findNumbers, type NumberForm, type NumberRules } from './number-forms.ts'
import { findCards, findInternationalAccounts, findRoutingNumbers, findSortCodes } from './payment-numbers.ts'
import { findPhones } from './phones.ts'
import type { PersonalRange } from './word-patterns.ts'

const MEDICAL_FORMS: readonly NumberForm[] = [
  // 943 476 5919. Other separators denote phone numbers.
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
const MEDICARE_SIGN = '[\\dAC-HJKMNP-RT-Y]'
const MEDICARE = new RegExp(
  `^[1-9]${MEDICARE_LETTER}${MEDICARE_SIGN}\\d${MEDICARE_LETTER}${MEDICARE_SIGN}\\d${MEDICARE_LETTER}{2}\\d{2}$`,
)

interface PersonalNumbers {
  /** Numbers in unambiguous formats. */
  readonly certain: readonly PersonalRange[]
  /** Numbers that preceding words may give another meaning. */
  readonly likely: readonly PersonalRange[]
}

const NONE: PersonalNumbers = { certain: [], likely: [] }

/** Finds all numbers of the categories that are recognizable by format and check digits. */
export function findNumbersByCategory(
  text: string,
  categories: ReadonlySet<PiiCategory>,
  rules: NumberRules,
): PersonalNumbers {
  if (!/\d/.test(text)) return categories.has('passport') ? { certain: findMachineReadable(text), likely: [] } : NONE
  const certain = [...findInternationalAccounts(text), ...findCards(text), ...findSortCodes(text)]
  const likely: PersonalRange[] = []
  if (categories.has('passport')) certain.push(...findMachineReadable(text))
  if (categories.has('bank_account')) likely.push(...findRoutingNumbers(text))
  if (categories.has('ssn')) likely.push(...findNationalIds(text, rules))
  if (categories.has('medical_id')) likely.push(...findMedicalIds(text, rules))
  if (categories.has('driver_license')) likely.push(...findDrivingLicenses(text))
  if (categories.has('phone_number')) {
    // Groups of a card or account number look like phone numbers, even if card numbers are not redacted.
    likely.push(...findPhones(maskRanges(text, certain), rules))
  }
  return { certain: certain.filter(({ category }) => categories.has(category)), likely }
}

/** Replaces ranges of the text, which may overlap, with non-digits of equal length. */
function maskRanges(text: string, ranges: readonly PersonalRange[]): string {
  if (ranges.length === 0) return text
  let masked = ''
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    masked += text.slice(masked.length, start)
    masked += '\ue000'.repeat(Math.max(0, end - masked.length))
  }
  return masked + text.slice(masked.length)
}

/** Finds patient and insurance numbers that are recognizable without context: British, German and US Medicare numbers. */
function findMedicalIds(text: string, rules: NumberRules): PersonalRange[] {
  return findNumbers(text, MEDICAL_FORMS, { ...rules, category: 'medical_id' })
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
  return MEDICARE.test(number)
}

/** Whether the number is the permanent part of a German health insurance number. */
export function isGermanInsuranceId(number: string): boolean {
  if (!/^[A-Z]\d{9}$/.test(number)) return false
  const digits = getAlphabetPosition(number.charAt(0)) + number.slice(1)
  return computeWeightedCrossSum(digits, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 === Number(number.at(-1))
}
