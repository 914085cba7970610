import { weightedCrossSum, weightedSum } from './check-digits.ts'
import { placeInAlphabet } from './national-id-checks.ts'
import { findNumbers, type NumberForm, type NumberRules, standingAlone } from './number-forms.ts'
import type { PersonalRange } from './personal-ranges.ts'

const FORMS: readonly NumberForm[] = [
  // 943 476 5919; with other signs it is how phone numbers are written
  { pattern: standingAlone('\\d{3}[ \\u00a0]\\d{3}[ \\u00a0]\\d{4}'), isValid: isHealthService },
  // 1EG4-TE5-MK73
  { pattern: standingAlone('[1-9][a-z][\\da-z]\\d[- ]?[a-z][\\da-z]\\d[- ]?[a-z]{2}\\d{2}'), isValid: isMedicare },
  // A123456780
  { pattern: standingAlone('[a-z] ?\\d{3} ?\\d{3} ?\\d{3}'), isValid: isGermanInsured },
]

/** Numbers of patients and insured that need no word before them: British, German and those of Medicare. */
export function findMedicalIds(text: string, rules: NumberRules): PersonalRange[] {
  return findNumbers(text, FORMS, { ...rules, category: 'medical_id' })
}

/** England and Wales: the last digit makes the weighted sum a multiple of eleven. */
export function isHealthService(number: string): boolean {
  return (
    /^[1-9]\d{9}$/.test(number) &&
    !/^(\d)\1{9}$/.test(number) &&
    weightedSum(number, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

const LETTER = '[AC-HJKMNP-RT-Y]'
const EITHER = '[\\dAC-HJKMNP-RT-Y]'
const MEDICARE = new RegExp(`^[1-9]${LETTER}${EITHER}\\d${LETTER}${EITHER}\\d${LETTER}{2}\\d{2}$`)

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
