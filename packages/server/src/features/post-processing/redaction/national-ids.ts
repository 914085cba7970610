import {
  isAustrian,
  isBelgian,
  isBrazilian,
  isDutch,
  isFinnish,
  isFrench,
  isGermanPension,
  isGermanTax,
  isItalian,
  isNationalInsurance,
  isNorwegian,
  isPolish,
  isSocialInsurance,
  isSocialSecurity,
  isSpanish,
  isSwedish,
  isSwiss,
} from './national-id-checks.ts'
import { findNumbers, type NumberForm, type NumberRules, standalone } from './number-forms.ts'
import type { PersonalRange } from './personal-ranges.ts'

/**
 * National numbers of persons that need no word before them: their form or their check digits are seldom right by chance. Of
 * others (Dutch and Swedish numbers without a sign in them, Danish, Irish and Portuguese ones) words have to tell.
 */
const FORMS: readonly NumberForm[] = [
  // 078-05-1120
  { pattern: standalone('\\d{3}([- ])\\d{2}\\1\\d{4}'), isValid: isSocialSecurity },
  // AB 12 34 56 C
  { pattern: standalone('[a-z]{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?\\d{2}[ -]?[a-d]'), isValid: isNationalInsurance },
  // 046 454 286
  { pattern: standalone('\\d{3}([- ])\\d{3}\\1\\d{3}'), isValid: isSocialInsurance },
  // 15 070649 C 103
  {
    pattern: standalone('\\d{2}[ -]?\\d{2}[ .]?\\d{2}[ .]?\\d{2}[ -]?[a-z][ -]?\\d{2}[ ]?\\d'),
    isValid: isGermanPension,
  },
  // 86 095 742 719
  { pattern: standalone('\\d{2} ?\\d{3} ?\\d{3} ?\\d{3}'), isValid: isGermanTax },
  // 2 55 08 14 168 025 38
  {
    pattern: standalone('\\d[ .]?\\d{2}[ .]?\\d{2}[ .]?(?:\\d{2}|2[ab])[ .]?\\d{3}[ .]?\\d{3}[ .-]?\\d{2}'),
    isValid: isFrench,
  },
  // 12345678Z, 12.345.678-Z, X1234567L
  {
    pattern: standalone('(?:\\d{2}\\.?\\d{3}\\.?\\d{3}|[xyz][- ]?\\d{7})-?[a-z]'),
    isValid: isSpanish,
  },
  // With a space only as a capital: the next word of a sentence is none.
  { pattern: /(?<![\p{L}\p{N}])\d{8} [A-Z](?![\p{L}\p{N}])/gu, isValid: isSpanish },
  // RSS MRA 85T10 A562 S
  {
    pattern: standalone('[a-z]{3} ?[a-z]{3} ?[\\da-z]{2}[a-z][\\da-z]{2} ?[a-z][\\da-z]{3} ?[a-z]'),
    isValid: isItalian,
  },
  // 1112.22.333
  { pattern: standalone('\\d{4}([. ])\\d{2}\\1\\d{3}'), isValid: isDutch },
  // 44051401359
  { pattern: standalone('\\d{11}|\\d{6} \\d{5}'), isValid: (number) => isPolish(number) || isNorwegian(number) },
  // 811228-9874, 19811228-9874, 198112289874
  { pattern: standalone('(?:\\d{2})?\\d{6}[-+]\\d{4}|(?:19|20)\\d{6} ?\\d{4}'), isValid: isSwedish },
  // 131052-308T
  { pattern: standalone('\\d{6}[-+a-fu-y]\\d{3}[\\da-y]'), isValid: isFinnish },
  // 85.07.30-033.28
  {
    pattern: standalone('\\d{2}([. ])\\d{2}\\1\\d{2}[- ]\\d{3}[. ]\\d{2}|\\d{6}-\\d{3}[. ]?\\d{2}'),
    isValid: isBelgian,
  },
  // 756.1234.5678.97
  { pattern: standalone('756[. ]?\\d{4}[. ]?\\d{4}[. ]?\\d{2}'), isValid: isSwiss },
  // 1237 010180
  { pattern: standalone('\\d{4}[ /-]\\d{6}'), isValid: isAustrian },
  // 529.982.247-25
  { pattern: standalone('\\d{3}([. ])\\d{3}\\1\\d{3}[- ]\\d{2}'), isValid: isBrazilian },
]

/** National numbers of persons: social security, insurance and tax. */
export function findNationalIds(text: string, rules: NumberRules): PersonalRange[] {
  return findNumbers(text, FORMS, { ...rules, category: 'ssn' })
}
