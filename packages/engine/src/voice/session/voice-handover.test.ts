import { expect, test } from 'vitest'
import { findHandover, spreadWords } from './voice-handover.ts'

const TEXT = 'One two, three four.'
const WORDS = [
  { text: 'one', startMs: 0, endMs: 250 },
  { text: 'two,', startMs: 300, endMs: 550 },
  { text: 'three', startMs: 600, endMs: 850 },
]

test.each([
  ['nothing was synthesized', 0, 0, 'One two, three four.', 0],
  ['a word was synthesized', 280, 280, 'two, three four.', 280],
  ['most of a word was heard', 480, 480, 'three four.', 480],
  ['little of a word was heard', 340, 340, 'two, three four.', 340],
  ['most of a word was synthesized but not sent', 480, 300, 'two, three four.', 300],
  ['little of a word was synthesized and less was sent', 400, 320, 'two, three four.', 320],
  ['the last timed word was synthesized', 850, 850, 'four.', 850],
  ['most of the next word was synthesized before its times arrived', 1_120, 1_120, '', 1_120],
])('with word times, when %s', (_, synthesizedMs, sentMs, remainingText, keptMs) => {
  const handover = findHandover(TEXT, { synthesizedMs, sentMs, words: WORDS, speed: 1 })
  expect(handover).toMatchObject({ remainingText, keptMs })
  expect(
    [...handover.keptWords.map(({ text }) => text), ...remainingText.split(' ')].join(' ').trim().toLowerCase(),
  ).toBe(TEXT.toLowerCase())
})

test('continues a script without spaces within the text', () => {
  const words = [{ text: '你', startMs: 0, endMs: 250 }]
  expect(findHandover('你好，我是小王。', { synthesizedMs: 300, sentMs: 300, words, speed: 1 }).remainingText).toBe(
    '好，我是小王。',
  )
})

test.each([
  [65 * 8, 1, 'three four five six.'],
  [65 * 4, 2, 'three four five six.'],
  [10_000, 1, ''],
])('without word times, estimates by the speech rate: %d ms at speed %d', (synthesizedMs, speed, remainingText) => {
  const text = 'One two three four five six.'
  expect(findHandover(text, { synthesizedMs, sentMs: synthesizedMs, words: [], speed })).toMatchObject({
    remainingText,
  })
})

test('spreads words over the audio', () => {
  expect(spreadWords('three four', 1_100)).toEqual([
    { text: 'three', startMs: 0, endMs: 600 },
    { text: 'four', startMs: 600, endMs: 1_100 },
  ])
})
