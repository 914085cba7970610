import { expect, test } from 'vitest'
import { remainingText } from './remaining-text.ts'

const WORDS = [
  { text: 'one', endMs: 300 },
  { text: 'two,', endMs: 600 },
  { text: 'three', endMs: 900 },
]

test.each([
  ['nothing was made', 0, 'One two, three four.'],
  ['a word was made', 300, 'two, three four.'],
  ['most of a word was made', 560, 'three four.'],
  ['little of a word was made', 340, 'two, three four.'],
  ['all timed words were made', 900, 'four.'],
])('with times, when %s', (_, synthesizedMs, rest) => {
  expect(remainingText('One two, three four.', { synthesizedMs, words: WORDS, speed: 1 })).toBe(rest)
})

test('without times the pace of speech tells, and a text of which more was made than it has is done', () => {
  const text = 'One two three four five six.'
  expect(remainingText(text, { synthesizedMs: 65 * 8, words: [], speed: 1 })).toBe('three four five six.')
  expect(remainingText(text, { synthesizedMs: 65 * 4, words: [], speed: 2 })).toBe('three four five six.')
  expect(remainingText(text, { synthesizedMs: 10_000, words: [], speed: 1 })).toBe('')
})
