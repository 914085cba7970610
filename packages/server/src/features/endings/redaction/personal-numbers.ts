import type { PiiCategory } from '@parley/contract/after-conversation'
import { findInternationalAccounts, findRoutingNumbers, findSortCodes } from './bank-accounts.ts'
import { findCards } from './cards.ts'
import { findDrivingLicences, findMachineReadable } from './identity-documents.ts'
import { findMedicalIds } from './medical-ids.ts'
import { findNationalIds } from './national-ids.ts'
import type { NumberRules } from './number-forms.ts'
import type { PersonalRange } from './personal-ranges.ts'
import { findPhones } from './phones.ts'

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
