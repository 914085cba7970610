import fc from 'fast-check'
import { expect, test } from 'vitest'
import { weighWord } from './spoken-weight.ts'

test.each([
  ['train', { syllables: 1, hisses: 0, hasPunctuation: false }],
  ['leaves', { syllables: 1.5, hisses: 1, hasPunctuation: false }],
  ['everything,', { syllables: 4, hasPunctuation: true }],
  ['Straßen', { syllables: 2, hasPunctuation: false }],
  ['Москва?', { syllables: 2, hasPunctuation: true }],
  ['你好', { syllables: 2 }],
])('%s', (word, weight) => {
  expect(weighWord(word)).toMatchObject(weight)
})

test('digits, signs and letters that are named one by one take longer than they look', () => {
  const lengthOf = (word: string): number => weighWord(word).length
  expect(lengthOf('42')).toBeGreaterThan(lengthOf('train'))
  expect(lengthOf('BBC')).toBeGreaterThan(2 * lengthOf('bbc'))
  expect(lengthOf('5%')).toBeGreaterThan(lengthOf('five'))
})

test('every word takes some time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (word) => {
      const { length, syllables, hisses } = weighWord(word)
      expect(length).toBeGreaterThanOrEqual(1)
      expect(Math.min(syllables, hisses)).toBeGreaterThanOrEqual(0)
    }),
  )
})
