import { PII_CATEGORIES, type PiiCategory } from '@parley/contract/after-conversation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as national from './national-ids.ts'
import { isCard, isRoutingNumber } from './payment-numbers.ts'
import { isGermanInsuranceId, isHealthServiceId, isMedicareId } from './personal-numbers.ts'
import { createRedactor } from './redactor.ts'

const fullRedactor = createRedactor(PII_CATEGORIES, [])

describe('numbers recognizable without context', () => {
  test.each<[PiiCategory, string]>([
    ['ssn', '078-05-1120'],
    ['ssn', '912 70 1234'],
    ['ssn', 'AB 12 34 56 C'],
    ['ssn', 'ab123456c'],
    ['ssn', '046 454 286'],
    ['ssn', '15 070649 C 103'],
    ['ssn', '15070649C103'],
    ['ssn', '86 095 742 719'],
    ['ssn', '2 55 08 14 168 025 38'],
    ['ssn', '255081416802538'],
    ['ssn', '12345678Z'],
    ['ssn', '12.345.678-Z'],
    ['ssn', 'X1234567L'],
    ['ssn', 'RSSMRA85T10A562S'],
    ['ssn', 'rss mra 85t10 a562 s'],
    ['ssn', '1112.22.333'],
    ['ssn', '44051401359'],
    ['ssn', '811228-9874'],
    ['ssn', '19811228-9874'],
    ['ssn', '131052-308T'],
    ['ssn', '85.07.30-033.28'],
    ['ssn', '756.1234.5678.97'],
    ['ssn', '1237 010180'],
    ['ssn', '529.982.247-25'],
    ['medical_id', '943 476 5919'],
    ['medical_id', '1EG4-TE5-MK73'],
    ['medical_id', '1EG4TE5MK73'],
    ['medical_id', 'A123456780'],
    ['bank_account', 'GB82 WEST 1234 5698 7654 32'],
    ['bank_account', 'NL91ABNA0417164300'],
    ['bank_account', 'FR14 2004 1010 0505 0001 3M02 606'],
    ['bank_account', '20-00-00 55779911'],
    ['credit_card', '4242 4242 4242 4242'],
    ['credit_card', '3782 822463 10005'],
    ['credit_card', '5555-5555-5555-4444'],
    ['credit_card', '2223003122003222'],
    ['credit_card', '6011 1111 1111 1117'],
    ['credit_card', '3056 930902 5904'],
    ['passport', 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<'],
    ['passport', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'],
    ['passport', 'I<UTOD231458907<<<<<<<<<<<<<<<'],
    ['passport', '7408122F1204159UTO<<<<<<<<<<<6'],
    ['driver_license', 'MORGA657054SM9IJ'],
  ])('%s: %s', (category, number) => {
    expect(createRedactor([category], []).redactText(`It is ${number}, thanks.`)).toBe(`It is [${category}], thanks.`)
  })

  test('a routing number needs context', () => {
    expect(fullRedactor.redactText('For the direct deposit take 021000021.')).toBe(
      'For the direct deposit take [bank_account].',
    )
    expect(fullRedactor.redactText('The part 021000021 fits, 021000022 does not.')).toBe(
      'The part 021000021 fits, 021000022 does not.',
    )
  })

  test.each([
    '000-12-3456, 666-12-3456, 912-49-1234',
    'BG123456A and AB123456E',
    '123 456 789 pieces were sold',
    '12345678A',
    'RSSMRA85T10A562T',
    '811228-9875, 131052-308A',
    'DE89 3704 0044 0532 0130 01',
    'GB82WEST1234569876543',
    '4111111111111112 and 9111111111111118 and 1234567812345670',
    'order number 4006381333931, article 4111111111119',
    'A123456781',
    '1EG4-TE5-SK73',
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'chat_00000000004111111111111111',
  ])('keeps a number without a valid check digit: %s', (text) => {
    const otherCategories = PII_CATEGORIES.filter((category) => category !== 'phone_number')
    expect(createRedactor(otherCategories, []).redactText(text)).toBe(text)
  })

  test('groups of a card that stays are not a phone number', () => {
    const text = '378282246310005, DE89 3704 0044 0532 0130 00'
    expect(createRedactor(['phone_number'], []).redactText(text)).toBe(text)
  })
})

/** Digits, and letters as `A`, with optional separators. */
interface Kind {
  readonly name: string
  readonly category: PiiCategory
  readonly isValid: (compact: string) => boolean
  /** Format without separators: `0` a digit, `A` a letter, anything else literal. */
  readonly pattern: string
  /** Common notations, as group lengths and separators. */
  readonly groupings: readonly (readonly [lengths: readonly number[], separator: string])[]
}

const KINDS: readonly Kind[] = [
  buildKind('Canada', national.isSocialInsuranceNumber, '000000000', [[3, 3, 3], ' '], [[3, 3, 3], '-']),
  buildKind('United States', national.isSocialSecurityNumber, '000000000', [[3, 2, 4], '-'], [[3, 2, 4], ' ']),
  buildKind('United Kingdom', national.isNationalInsuranceNumber, 'AA000000A', [[9], ''], [[2, 2, 2, 2, 1], ' ']),
  buildKind('German tax', national.isGermanTaxId, '00000000000', [[11], ''], [[2, 3, 3, 3], ' ']),
  buildKind('German pension', national.isGermanPensionId, '00000000A000', [[12], ''], [[2, 6, 1, 3], ' ']),
  buildKind('France', national.isFrenchId, '100000000000000', [[15], ''], [[1, 2, 2, 2, 3, 3, 2], ' '], [[13, 2], ' ']),
  buildKind('Spain', national.isSpanishId, '00000000A', [[9], ''], [[8, 1], '-'], [[8, 1], ' ']),
  buildKind('Spain, of foreigners', national.isSpanishId, 'X0000000A', [[9], ''], [[1, 7, 1], '-']),
  buildKind('Italy', national.isItalianId, 'RSSMRA00T10A000A', [[16], ''], [[3, 3, 5, 4, 1], ' ']),
  buildKind('Netherlands', national.isDutchId, '000000000', [[4, 2, 3], '.'], [[4, 2, 3], ' ']),
  buildKind('Poland', national.isPolishId, '00000000000', [[11], '']),
  buildKind('Norway', national.isNorwegianId, '00000000000', [[11], ''], [[6, 5], ' ']),
  buildKind('Sweden', national.isSwedishId, '0000000000', [[6, 4], '-']),
  buildKind('Finland', national.isFinnishId, '000000000A', [[6, 4], '-']),
  buildKind('Belgium', national.isBelgianId, '00000000000', [[6, 5], '-']),
  buildKind('Switzerland', national.isSwissId, '7560000000000', [[13], ''], [[3, 4, 4, 2], '.']),
  buildKind('Austria', national.isAustrianId, '0000000000', [[4, 6], ' ']),
  buildKind('Brazil', national.isBrazilianId, '00000000000', [[3, 3, 3, 2], ' ']),
  { ...buildKind('NHS', isHealthServiceId, '0000000000', [[3, 3, 4], ' ']), category: 'medical_id' },
  { ...buildKind('Medicare', isMedicareId, '0AA0AA0AA00', [[11], ''], [[4, 3, 4], '-']), category: 'medical_id' },
  {
    ...buildKind('German insured', isGermanInsuranceId, 'A000000000', [[10], ''], [[1, 3, 3, 3], ' ']),
    category: 'medical_id',
  },
  {
    ...buildKind('Visa', isCard, '4000000000000000', [[16], ''], [[4, 4, 4, 4], ' '], [[4, 4, 4, 4], '-']),
    category: 'credit_card',
  },
  {
    ...buildKind('American Express', isCard, '370000000000000', [[15], ''], [[4, 6, 5], ' ']),
    category: 'credit_card',
  },
]

function buildKind(
  name: string,
  isValid: Kind['isValid'],
  pattern: string,
  ...groupings: (readonly [number[], string])[]
): Kind {
  return { name, category: 'ssn', isValid, pattern, groupings }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Builds any number of a format, valid or not. Each character is derived from a number of 0 to 25. */
function buildNumber({ pattern }: Kind, chances: readonly number[]): string {
  return [...pattern]
    .map((part, index) => {
      const chance = chances[index] ?? 0
      if (part === '0') return String(chance % 10)
      return part === 'A' ? ALPHABET.charAt(chance) : part
    })
    .join('')
}

/** Returns the next valid number in order, wrapping around. */
function findValidFrom(
  kind: Kind,
  chances: readonly number[],
  step: (attempts: number) => readonly number[],
): string | null {
  for (let attempts = 0; attempts < 4_000; attempts += 1) {
    const number = buildNumber(kind, attempts === 0 ? chances : step(attempts))
    if (kind.isValid(number)) return number
  }
  return null
}

function groupDigits(number: string, lengths: readonly number[], separator: string): string {
  let position = 0
  return lengths
    .map((length) => {
      position += length
      return number.slice(position - length, position)
    })
    .join(separator)
}

const chances = fc.array(fc.nat({ max: 25 }), { minLength: 16, maxLength: 16 })

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (_name, one) => {
  const redactor = createRedactor([one.category], [])

  test('a valid number is redacted in every grouping', () => {
    let valid = 0
    fc.assert(
      fc.property(chances, fc.nat({ max: 25 }), (given, salt) => {
        const number = findValidFrom(one, given, (attempts) =>
          given.map((chance, index) => (chance + salt + attempts * (index * 7 + 3) + (attempts >> (index % 5))) % 26),
        )
        if (number === null) return
        valid += 1
        for (const [lengths, separator] of one.groupings) {
          const groupedNumber = groupDigits(number, lengths, separator)
          expect(redactor.redactText(`well, ${groupedNumber} is it`)).toBe(`well, [${one.category}] is it`)
        }
      }),
      { numRuns: 60 },
    )
    expect(valid).toBeGreaterThan(5)
  })

  test('keeps a number that fails the check', () => {
    const sameCategoryKinds = KINDS.filter(({ category }) => category === one.category)
    fc.assert(
      fc.property(chances, (given) => {
        const number = buildNumber(one, given)
        if (sameCategoryKinds.some(({ isValid }) => isValid(number))) return
        for (const [lengths, separator] of one.groupings) {
          const groupedNumber = groupDigits(number, lengths, separator)
          expect(redactor.redactText(`well, ${groupedNumber} is it`)).toBe(`well, ${groupedNumber} is it`)
        }
      }),
      { numRuns: 200 },
    )
  })
})

test('routing numbers end in the right digit', () => {
  expect(['021000021', '011401533', '091000019'].map(isRoutingNumber)).toEqual([true, true, true])
  expect(['021000022', '991000019', '000000000', '12345678'].map(isRoutingNumber)).toEqual([false, false, false, false])
})
