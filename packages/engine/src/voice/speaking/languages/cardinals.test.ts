import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { italian } from './italian.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'
import type { SpokenLanguage } from './spoken-language.ts'

const LANGUAGES: readonly (readonly [string, SpokenLanguage])[] = [
  ['English', english],
  ['German', german],
  ['French', french],
  ['Spanish', spanish],
  ['Italian', italian],
  ['Portuguese', portuguese],
  ['Dutch', dutch],
]
const SPOKEN = /^[\p{L}]+(?:[ -][\p{L}]+)*$/u

describe.each(LANGUAGES)('%s', (_name, language) => {
  test('speaks every number differently', () => {
    const spokenNumbers = Array.from({ length: 20_000 }, (_, value) => language.formatCardinal(value))
    for (const spoken of spokenNumbers) expect(spoken).toMatch(SPOKEN)
    expect(new Set(spokenNumbers).size).toBe(spokenNumbers.length)
    const large = fc.tuple(fc.maxSafeNat(), fc.maxSafeNat()).map((pair) => pair.map((value) => value % 1e15))
    fc.assert(
      fc.property(large, ([first = 0, second = 0]) => {
        expect(language.formatCardinal(first)).toMatch(SPOKEN)
        if (first !== second) expect(language.formatCardinal(first)).not.toBe(language.formatCardinal(second))
      }),
    )
  })

  test('speaks every ordinal, year, day and time', () => {
    for (let value = 1; value <= 1_000; value += 1) expect(language.formatOrdinal(value, '') ?? 'none').toMatch(SPOKEN)
    for (let year = 1_000; year <= 2_100; year += 1) expect(language.formatYear(year)).toMatch(SPOKEN)
    for (let month = 1; month <= 12; month += 1) {
      for (let day = 1; day <= 31; day += 1)
        expect(language.formatDate({ day, month, year: 1999 }, '')).not.toMatch(/undefined| {2}|\d/)
    }
    for (let hour = 0; hour <= 24; hour += 1) {
      for (let minute = 0; minute < 60; minute += 1) {
        expect(language.formatTime({ hour, minute, meridiem: null })).not.toMatch(/undefined| {2}|\d/)
      }
    }
  })
})

test.each([
  [english, 1_000_021, 'one million twenty-one'],
  [german, 1_002_101, 'eine Million zweitausendeinhunderteins'],
  [german, 2_016_000_000, 'zwei Milliarden sechzehn Millionen'],
  [french, 280_000, 'deux cent quatre-vingt mille'],
  [french, 200_000_000, 'deux cents millions'],
  [french, 97, 'quatre-vingt-dix-sept'],
  [french, 81, 'quatre-vingt-un'],
  [spanish, 21_100_131, 'veintiún millones cien mil ciento treinta y uno'],
  [spanish, 1_000_000_000, 'mil millones'],
  [italian, 1_108_201, 'un milione centoottomiladuecentouno'],
  [portuguese, 2_000_345, 'dois milhões trezentos e quarenta e cinco'],
  [dutch, 1_022, 'duizend tweeëntwintig'],
] as const)('%# %d', (language, value, spoken) => {
  expect(language.formatCardinal(value)).toBe(spoken)
})

test('inflects ordinals by language', () => {
  expect([3, 7, 8, 16, 20, 101].map((value) => german.formatOrdinal(value, 'am'))).toEqual([
    'dritten',
    'siebten',
    'achten',
    'sechzehnten',
    'zwanzigsten',
    'einhundertersten',
  ])
  expect([5, 9, 21, 80].map((value) => french.formatOrdinal(value, ''))).toEqual([
    'cinquième',
    'neuvième',
    'vingt et unième',
    'quatre-vingtième',
  ])
  expect([11, 23, 26].map((value) => italian.formatOrdinal(value, ''))).toEqual([
    'undicesimo',
    'ventitreesimo',
    'ventiseiesimo',
  ])
  expect([1, 8, 20, 103].map((value) => dutch.formatOrdinal(value, ''))).toEqual([
    'eerste',
    'achtste',
    'twintigste',
    'honderdderde',
  ])
})
