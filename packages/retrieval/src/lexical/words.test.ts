import { describe, expect, test } from 'vitest'
import { asked, chunksOf, foundTexts, indexOf } from './lexical-test-kit.ts'
import { search } from './search.ts'
import { tokenize } from './tokenize.ts'

function termsOf(text: string): string[] {
  const { tokens, joined } = tokenize(text)
  return [...tokens, ...joined].map((token) => token.text)
}

describe('terms of a text', () => {
  test.each([
    ['€4.50', ['4.50', '€4.50']],
    ['4,50 €', ['4.50', '€4.50']],
    ['18.00', ['18']],
    ['1.200,50', ['1200.50']],
    ['1,200', ['1200']],
    ['version 2.10', ['version', '2.10']],
    ['24/7', ['24', '7', '24/7']],
    ['09:30', ['9:30']],
    ['10:00', ['10:00', '10']],
    ['9-17', ['9', '17']],
    ['A-113', ['a', '113', 'a113']],
    ['WX-200B', ['wx', '200', 'b', '200b', 'wx200b']],
    ['check-in', ['check', 'in', 'checkin']],
    ['500MB', ['500', 'mb', '500mb']],
    ["l'hôtel", ['l', 'hôtel']],
    ['info@hotel.com', ['info', 'hotel', 'com']],
    ['営業時間', ['営業', '業時', '時間']],
    ['', []],
  ])('%s', (text, terms) => {
    expect(termsOf(text)).toEqual(terms)
  })
})

describe('a word that no passage has', () => {
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
    ['restauration', 1],
    ['restau', 1],
    ['bycicles', 2],
    ['hoteks', 2],
  ])('%s is taken for one that is like it', (question, position) => {
    expect(foundTexts(texts, question)).toEqual([texts[position]])
  })

  test('counts less than the word itself', () => {
    const score = (question: string): number =>
      search([indexOf({ a: chunksOf(texts) })], asked(question))[0]?.score ?? 0
    expect(score('restaurant')).toBe(1)
    expect(score('restaurnat')).toBeCloseTo(0.8)
    expect(score('restuarnat')).toBeCloseTo(0.6)
  })

  test('is not taken for one that differs too much, and numbers and codes for no others', () => {
    expect(foundTexts(['The cat sleeps.', 'Room A-113 costs €45.', 'The X-200 is sold out.'], 'bat')).toEqual([])
    expect(foundTexts(['Room A-113 costs €45.'], '114')).toEqual([])
    expect(foundTexts(['Room A-113 costs €45.'], 'how much is 46')).toEqual([])
    expect(foundTexts(['Only X-200 here.', 'And X-300.'], 'X-200')).toEqual(['Only X-200 here.', 'And X-300.'])
    expect(foundTexts(['Only X-200 here.', 'And X-300.'], 'X-200', { filterScore: 0.9 })).toEqual(['Only X-200 here.'])
  })

  test('may be two words, and two words one', () => {
    const spellings = ['Check-in is at three.', 'The checkin desk is upstairs.', 'Check in with your card.']
    for (const question of ['check-in', 'check in']) expect(foundTexts(spellings, question)).toHaveLength(3)
    expect(foundTexts(spellings, 'checkin')).toHaveLength(2)
    expect(foundTexts(['Check in with your card.', 'Pay by card.'], 'checkin')[0]).toBe('Check in with your card.')
    expect(foundTexts(['Das Rad im Verleih ist neu.', 'Das Haus ist alt.'], 'Radverleih')).toEqual([
      'Das Rad im Verleih ist neu.',
    ])
  })
})

test('prices, times and codes are found as people write them', () => {
  const texts = [
    'Entry is €4.50.',
    'Entry is €5.40.',
    'Doors open at 10:30.',
    'Doors open at 10:00.',
    'Hall A-113 is big.',
    'Hall B-113 is big.',
  ]
  for (const [question, position] of [
    ['4,50 €', 0],
    ['€ 5.40', 1],
    ['10:30', 2],
    ['doors at 10', 3],
    ['A 113', 4],
    ['b113', 5],
  ] as const) {
    expect(foundTexts(texts, question)[0]).toBe(texts[position])
  }
})
