import { describe, expect, test } from 'vitest'
import { readServiceWords } from '../service-words/service-words.ts'
import { createChunks, createIndex, createQuery, findTexts } from './lexical-test-kit.ts'
import { type PlannedWord, planQuery } from './plan-query.ts'
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
    expect(findTexts(texts, question)).toEqual([texts[position]])
  })

  test('scores less than the correct word', () => {
    const score = (question: string): number =>
      search([createIndex({ a: createChunks(texts) })], createQuery(question))[0]?.score ?? 0
    expect(score('restaurant')).toBe(1)
    expect(score('restaurnat')).toBeCloseTo(0.8)
    expect(score('restuarnat')).toBeCloseTo(0.6)
  })

  test('does not match distant words; numbers and codes are never corrected', () => {
    expect(findTexts(['The cat sleeps.', 'Room A-113 costs €45.', 'The X-200 is sold out.'], 'bat')).toEqual([])
    expect(findTexts(['Room A-113 costs €45.'], '114')).toEqual([])
    expect(findTexts(['Room A-113 costs €45.'], 'how much is 46')).toEqual([])
    expect(findTexts(['Only X-200 here.', 'And X-300.'], 'X-200')).toEqual(['Only X-200 here.', 'And X-300.'])
    expect(findTexts(['Only X-200 here.', 'And X-300.'], 'X-200', { filterScore: 0.9 })).toEqual(['Only X-200 here.'])
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
    expect(findTexts(texts, question)[0]).toBe(texts[position])
  }
})

const plan = (texts: readonly string[], ...said: readonly string[]): readonly PlannedWord[] => {
  const weighted = said.map((text, age) => ({ text, weight: age === 0 ? 1 : 0.3 }))
  return planQuery([createIndex({ source: createChunks(texts) })], weighted)
}

test('plans the 192 most distinctive words of a long question', () => {
  const words = Array.from({ length: 400 }, (_, at) =>
    `qz${at}`.replace(/\d/g, (digit) => 'bdfghjklmp'.charAt(Number(digit))),
  )
  const knownWords = words.slice(300, 350)
  const planned = plan([knownWords.join(' ')], words.join(' '))
  expect(planned).toHaveLength(192)
  expect(planned.filter(({ terms }) => [...terms.values()].includes(1))).toHaveLength(knownWords.length)
})

test('searches for the last word of a question of 1,900 words', () => {
  expect(findTexts(['The pool opens in May.', 'Dogs stay free.'], `${'lorem ipsum '.repeat(950)} pool`)).toEqual([
    'The pool opens in May.',
  ])
})

test('repeated words saturate', () => {
  const [once, twice, often] = ['tariff', 'tariff tariff', 'tariff '.repeat(50)].map(
    (question) => plan(['A tariff.'], question)[0]?.weight ?? 0,
  )
  expect([once, twice]).toEqual([1, 1.5])
  expect(often).toBeGreaterThan(2.5)
  expect(often).toBeLessThan(3)
})

test('earlier texts affect the ranking but not the score', () => {
  const index = createIndex({ source: createChunks(['The city bike weighs 14 kg.', 'The cargo bike weighs 38 kg.']) })
  const texts = [
    { text: 'How much does it weigh?', weight: 1 },
    { text: 'The cargo bike is sold out in our other shop, I fear.', weight: 0.3 },
  ]
  const hits = search([index], { ...createQuery(''), texts })
  expect(hits.map(({ position }) => position)).toEqual([1, 0])
  expect(hits[0]?.score).toBe(hits[1]?.score)
})

test('function words rank passages in small knowledge bases only', () => {
  const texts = ['Pay before the visit.', 'Pay after the visit.']
  expect(findTexts(texts, 'pay after visit')[0]).toBe(texts[1])
  const many = [...texts, ...Array.from({ length: 1000 }, (_, at) => `Page ${at}.`)]
  expect(findTexts(many, 'pay after visit').slice(0, 2)).toEqual(texts)
})

test('a word in a short heading weighs more than in a long one', () => {
  const text = 'It lasts for a day.'
  const index = createIndex({
    a: createChunks([text], { headings: ['Overview of everything that has a battery in this house'] }),
    b: createChunks([text], { headings: ['Battery'] }),
  })
  expect(search([index], createQuery('battery')).map(({ key }) => key)).toEqual(['b', 'a'])
})

function findScores(texts: readonly string[], question: string): number[] {
  const hits = search([createIndex({ source: createChunks(texts) })], createQuery(question))
  return texts.map((_text, position) => hits.find((hit) => hit.position === position)?.score ?? 0)
}

describe('synonyms', () => {
  const texts = [
    'The pool is open from May to September.',
    'Dogs stay for twelve a night.',
    'The lift is out of order.',
  ]

  test.each([
    ['Can we go swimming?', 0],
    ['I have a puppy', 1],
    ['Is there an elevator', 2],
  ])('%s', (question, position) => {
    expect(findTexts(texts, question)[0]).toBe(texts[position])
  })

  test('score less than the word itself', () => {
    const texts = ['Swimming is possible here.', 'The pool is here.', 'Nothing of the kind.']
    expect(findScores(texts, 'swimming')).toEqual([1, 0.5, 0])
    expect(findTexts(texts, 'swimming')[0]).toBe(texts[0])
    expect(findScores([texts[0] ?? ''], 'swimming')).toEqual([1])
  })

  test('are ignored in long questions and earlier texts', () => {
    const filler = 'the hall with the green lamp near the old stairs '.repeat(3)
    expect(findTexts(texts, `${filler} swimming`)).toEqual([])
    const earlier = [
      { text: 'lift', weight: 1 },
      { text: 'swimming', weight: 0.5 },
    ]
    expect(search([createIndex({ source: createChunks(texts) })], { ...createQuery(''), texts: earlier })).toHaveLength(
      1,
    )
  })

  test('match across languages', () => {
    const german = [
      'Ein Stellplatz in der Tiefgarage ist für Gäste da.',
      'Das Frühstück ist im Saal und nicht im Zimmer.',
    ]
    expect(findTexts(german, 'Where can I park?')).toEqual([german[0]])
    expect(findTexts(german, 'Is there any breakfast?')).toEqual([german[1]])
    expect(findTexts(['The breakfast is served in the hall.'], 'Gibt es bei euch ein Frühstück?')).toHaveLength(1)
  })
})

describe('everyday words', () => {
  test('weigh less than distinctive words', () => {
    const texts = ['Take the blue one with you.', 'The Heron carries a basket.']
    expect(findTexts(texts, 'Should I take the Heron?')[0]).toBe(texts[1])
  })

  test('depend on the language of the question', () => {
    const index = createIndex({
      plus: createChunks(['Costs of the Plus account are available on request.']),
      basic: createChunks(['Costs of the Basic account are available on request.']),
      french: createChunks(['Il n’y a plus de places dans le camping, mais vous êtes sur la liste.']),
    })
    expect(search([index], createQuery('What are the costs of the Plus account?'))[0]?.key).toBe('plus')
  })
})

test('the synonym lists are well-formed', () => {
  const groups = readServiceWords()
  expect(groups.length).toBeGreaterThan(150)
  for (const group of groups) {
    expect([...group.keys()]).toEqual(['en', 'de', 'fr', 'es', 'it', 'nl'])
    for (const words of group.values()) {
      expect(new Set(words).size).toBe(words.length)
      for (const word of words) expect(word).toMatch(/^[\p{Ll}-]*$/u)
    }
    expect(group.get('en')?.[0]).not.toBe('')
  }
})
