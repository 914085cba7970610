import type { PiiCategory } from '@parley/contract/after-conversation'
import { findInternationalAccounts, findRoutingNumbers, findSortCodes } from './bank-accounts.ts'
import { findCards } from './cards.ts'
import { weightedCrossSum, weightedSum } from './check-digits.ts'
import { findDrivingLicences, findMachineReadable } from './identity-documents.ts'
import { placeInAlphabet } from './national-id-checks.ts'
import { findNationalIds } from './national-ids.ts'
import { findNumbers, type NumberForm, type NumberRules, standalone } from './number-forms.ts'
import type { PersonalRange } from './personal-ranges.ts'
import { findPhones } from './phones.ts'

const MEDICAL_FORMS: readonly NumberForm[] = [
  // 943 476 5919; with other signs it is how phone numbers are written
  { pattern: standalone('\\d{3}[ \\u00a0]\\d{3}[ \\u00a0]\\d{4}'), isValid: isHealthService },
  // 1EG4-TE5-MK73
  { pattern: standalone('[1-9][a-z][\\da-z]\\d[- ]?[a-z][\\da-z]\\d[- ]?[a-z]{2}\\d{2}'), isValid: isMedicare },
  // A123456780
  { pattern: standalone('[a-z] ?\\d{3} ?\\d{3} ?\\d{3}'), isValid: isGermanInsured },
]

const MEDICARE_LETTER = '[AC-HJKMNP-RT-Y]'
const MEDICARE_SIGN = '[\\dAC-HJKMNP-RT-Y]'
const MEDICARE = new RegExp(
  `^[1-9]${MEDICARE_LETTER}${MEDICARE_SIGN}\\d${MEDICARE_LETTER}${MEDICARE_SIGN}\\d${MEDICARE_LETTER}{2}\\d{2}$`,
)

export interface PersonalNumbers {
  /** Of a form that nothing else has. */
  readonly certain: readonly PersonalRange[]
  /** What words before it may call something else. */
  readonly likely: readonly PersonalRange[]
}

const NONE: PersonalNumbers = { certain: [], likely: [] }

/** All numbers of the categories that give themselves away by form and check digits. */
export function findNumbersOf(text: string, categories: ReadonlySet<PiiCategory>, rules: NumberRules): PersonalNumbers {
  if (!/\d/.test(text)) return categories.has('passport') ? { certain: findMachineReadable(text), likely: [] } : NONE
  const certain = [...findInternationalAccounts(text), ...findCards(text), ...findSortCodes(text)]
  const likely: PersonalRange[] = []
  if (categories.has('passport')) certain.push(...findMachineReadable(text))
  if (categories.has('bank_account')) likely.push(...findRoutingNumbers(text))
  if (categories.has('ssn')) likely.push(...findNationalIds(text, rules))
  if (categories.has('medical_id')) likely.push(...findMedicalIds(text, rules))
  if (categories.has('driver_license')) likely.push(...findDrivingLicences(text))
  if (categories.has('phone_number')) {
    // The groups of a card or an account look like phone numbers, also where cards are to stay.
    likely.push(...findPhones(without(text, certain), rules))
  }
  return { certain: certain.filter(({ category }) => categories.has(category)), likely }
}

/** A text of the same length with signs that are part of no number in the place of ranges, which may overlap. */
function without(text: string, ranges: readonly PersonalRange[]): string {
  if (ranges.length === 0) return text
  let masked = ''
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    masked += text.slice(masked.length, start)
    masked += '\ue000'.repeat(Math.max(0, end - masked.length))
  }
  return masked + text.slice(masked.length)
}

/** Numbers of patients and insured that need no word before them: British, German and those of Medicare. */
function findMedicalIds(text: string, rules: NumberRules): PersonalRange[] {
  return findNumbers(text, MEDICAL_FORMS, { ...rules, category: 'medical_id' })
}

/** England and Wales: the last digit makes the weighted sum a multiple of eleven. */
export function isHealthService(number: string): boolean {
  return (
    /^[1-9]\d{9}$/.test(number) &&
    !/^(\d)\1{9}$/.test(number) &&
    weightedSum(number, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

/** United States, beneficiaries of Medicare: letters that look like digits are not used. */
export function isMedicare(number: string): boolean {
  return MEDICARE.test(number)
}

/** Germany, the part of the insured's number that stays for life. */
export function isGermanInsured(number: string): boolean {
  if (!/^[A-Z]\d{9}$/.test(number)) return false
  const digits = placeInAlphabet(number.charAt(0)) + number.slice(1)
  return weightedCrossSum(digits, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 === Number(number.at(-1))
}
