import { expect, test } from 'vitest'
import { asked, chunksOf, foundTexts, indexOf } from './lexical-test-kit.ts'
import { type PlannedWord, planQuery } from './plan-query.ts'
import { search } from './search.ts'

const plan = (texts: readonly string[], ...said: readonly string[]): readonly PlannedWord[] => {
  const weighted = said.map((text, age) => ({ text, weight: age === 0 ? 1 : 0.3 }))
  return planQuery([indexOf({ source: chunksOf(texts) })], weighted)
}

test('192 words of a long question are planned, those that tell most', () => {
  const words = Array.from({ length: 400 }, (_, at) =>
    `qz${at}`.replace(/\d/g, (digit) => 'bdfghjklmp'.charAt(Number(digit))),
  )
  const known = words.slice(300, 350)
  const planned = plan([known.join(' ')], words.join(' '))
  expect(planned).toHaveLength(192)
  expect(planned.filter(({ terms }) => [...terms.values()].includes(1))).toHaveLength(known.length)
})

test('a word late in a question of two thousand words is searched for', () => {
  expect(foundTexts(['The pool opens in May.', 'Dogs stay free.'], `${'lorem ipsum '.repeat(950)} pool`)).toEqual([
    'The pool opens in May.',
  ])
})

test('repeating a word counts less each time', () => {
  const [once, twice, often] = ['tariff', 'tariff tariff', 'tariff '.repeat(50)].map(
    (question) => plan(['A tariff.'], question)[0]?.weight ?? 0,
  )
  expect([once, twice]).toEqual([1, 1.5])
  expect(often).toBeGreaterThan(2.5)
  expect(often).toBeLessThan(3)
})

test('a form that is written as one is another name of its parts, not a further word', () => {
  const texts = ['Your debitcard is blocked.', 'A debit is a card payment.']
  const planned = plan(texts, 'debit card')
  expect(planned.map(({ terms }) => [...terms.keys()])).toEqual([
    expect.arrayContaining(['debit', 'debitcard']),
    expect.arrayContaining(['card', 'debitcard']),
  ])
  expect(foundTexts(texts, 'debit card', { filterScore: 1 })).toHaveLength(2)
})

test('what was said before ranks passages, and the score tells how much of the newest text they have', () => {
  const index = indexOf({ source: chunksOf(['The city bike weighs 14 kg.', 'The cargo bike weighs 38 kg.']) })
  const texts = [
    { text: 'How much does it weigh?', weight: 1 },
    { text: 'The cargo bike is sold out in our other shop, I fear.', weight: 0.3 },
  ]
  const hits = search([index], { ...asked(''), texts })
  expect(hits.map(({ position }) => position)).toEqual([1, 0])
  expect(hits[0]?.score).toBe(hits[1]?.score)
})

test('function words decide between passages of a small knowledge base only', () => {
  const texts = ['Pay before the visit.', 'Pay after the visit.']
  expect(foundTexts(texts, 'pay after visit')[0]).toBe(texts[1])
  const many = [...texts, ...Array.from({ length: 1000 }, (_, at) => `Page ${at}.`)]
  expect(foundTexts(many, 'pay after visit').slice(0, 2)).toEqual(texts)
})

test('a word in a short heading counts more than in a long one', () => {
  const text = 'It lasts for a day.'
  const index = indexOf({
    a: chunksOf([text], { headings: ['Overview of everything that has a battery in this house'] }),
    b: chunksOf([text], { headings: ['Battery'] }),
  })
  expect(search([index], asked('battery')).map(({ key }) => key)).toEqual(['b', 'a'])
})
