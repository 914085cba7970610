import { describe, expect, test } from 'vitest'
import { asked, chunksOf, foundTexts, indexOf } from './lexical-test-kit.ts'
import { search } from './search.ts'
import { tokenize } from './tokenize.ts'

describe('tokenize', () => {
  test.each([
    ['€4.50', ['4.50']],
    ['4,50 €', ['4.50']],
    ['18.00', ['18']],
    ['1.200,50', ['1200.50']],
    ['1,200', ['1200']],
    ['version 2.10', ['version', '2.10']],
    ['24/7', ['24', '7']],
    ['09:30', ['9:30']],
    ['9-17', ['9', '17']],
    ['WX-200B', ['wx', '200', 'b']],
    ['check-in', ['check', 'in']],
    ["l'hôtel", ['l', 'hôtel']],
    ['info@hotel.com', ['info', 'hotel', 'com']],
    ['営業時間', ['営業', '業時', '時間']],
    ['', []],
  ])('splits %s', (text, terms) => {
    expect(tokenize(text).map((token) => token.text)).toEqual(terms)
  })
})

describe('a misspelled word', () => {
  const texts = [
    'A reservation can be cancelled for free.',
    'The restaurant opens at noon.',
    'Our hotels have bicycles.',
  ]

  test.each([
    ['reservatoin', 0],
    ['resevation', 0],
    ['canceled', 0],
    ['restuarant', 1],
    ['bycicles', 2],
    ['hoteks', 2],
  ])('%s matches the word it is close to', (question, position) => {
    expect(foundTexts(texts, question)).toEqual([texts[position]])
  })

  test('scores less than the correct word', () => {
    const score = (question: string): number =>
      search([indexOf({ a: chunksOf(texts) })], asked(question))[0]?.score ?? 0
    expect(score('restaurant')).toBe(1)
    expect(score('restaurnat')).toBeCloseTo(0.8)
    expect(score('restuarnat')).toBeCloseTo(0.6)
  })

  test('does not match distant words; numbers and codes are never corrected', () => {
    expect(foundTexts(['The cat sleeps.', 'Room A-113 costs €45.', 'The X-200 is sold out.'], 'bat')).toEqual([])
    expect(foundTexts(['Room A-113 costs €45.'], '114')).toEqual([])
    expect(foundTexts(['Room A-113 costs €45.'], 'how much is 46')).toEqual([])
    expect(foundTexts(['Only X-200 here.', 'And X-300.'], 'X-200')).toEqual(['Only X-200 here.', 'And X-300.'])
    expect(foundTexts(['Only X-200 here.', 'And X-300.'], 'X-200', { filterScore: 0.9 })).toEqual(['Only X-200 here.'])
  })
})

test('matches prices, times and codes in other notations', () => {
  const texts = [
    'Entry is €4.50.',
    'Entry is €5.40.',
    'Doors open at 10:30.',
    'Hall A-113 is big.',
    'Hall B-113 is big.',
  ]
  for (const [question, position] of [
    ['4,50 €', 0],
    ['€ 5.40', 1],
    ['10:30', 2],
    ['A 113', 3],
    ['b113', 4],
  ] as const) {
    expect(foundTexts(texts, question)[0]).toBe(texts[position])
  }
})
