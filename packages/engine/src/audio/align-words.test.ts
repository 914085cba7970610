import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignWords, getLengthInText, weighWord } from './align-words.ts'
import type { AudioCues } from './audio-envelope.ts'

/** Builds audio cues of `steps` steps with syllable peaks, hisses and quiet steps at these positions. */
function buildCues(
  steps: number,
  { peaks, hiss = [], quiet = [] }: { peaks: readonly number[]; hiss?: readonly number[]; quiet?: readonly number[] },
): AudioCues {
  const cues = { syllables: [0], hisses: [0], quiet: [0] }
  for (let step = 0; step < steps; step += 1) {
    cues.syllables.push((cues.syllables[step] ?? 0) + (peaks.includes(step) ? 1 : 0))
    cues.hisses.push((cues.hisses[step] ?? 0) + (hiss.includes(step) ? 1 : 0))
    cues.quiet.push(quiet.includes(step) ? (cues.quiet[step] ?? 0) + 1 : 0)
  }
  return {
    syllables: Float64Array.from(cues.syllables),
    hisses: Float64Array.from(cues.hisses),
    quiet: Float64Array.from(cues.quiet),
  }
}

const createRange = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)
const weighWords = (text: string) => text.split(' ').map(weighWord)

test('sizes each word by its syllable peaks', () => {
  const alignFirstWord = (peaks: readonly number[]): number => {
    const form = { from: 0, to: 100, isComplete: true, pace: 4.25 }
    return alignWords(weighWords('banana oil'), buildCues(100, { peaks }), form)?.ends[0]?.end ?? 0
  }
  const [typicalEnd, stretchedEnd] = [alignFirstWord([8, 22, 36, 72]), alignFirstWord([8, 30, 62, 85])]
  expect(typicalEnd).toBeLessThan(62)
  expect(stretchedEnd).toBeGreaterThan(62)
})

test('aligns silence with punctuation', () => {
  const cues = buildCues(120, { peaks: [10, 28, 80, 100], quiet: createRange(40, 70) })
  const alignment = alignWords(weighWords('Good day, my friend'), cues, {
    from: 0,
    to: 120,
    isComplete: true,
    pace: 3.75,
  })
  const comma = alignment?.ends[1]
  expect(comma?.end).toBeLessThan(44)
  expect(comma?.next).toBeGreaterThan(65)
})

test('returns only the words whose audio has arrived', () => {
  const cues = buildCues(60, { peaks: [10, 30, 50] })
  const alignment = alignWords(weighWords('one two three four five six seven eight'), cues, {
    from: 0,
    to: 60,
    isComplete: false,
    pace: 4,
  })
  expect(alignment?.ends.length).toBeGreaterThanOrEqual(2)
  expect(alignment?.ends.length).toBeLessThanOrEqual(4)
})

test('returns ordered word ends within the audio, and all ends once it is complete', () => {
  const wordTexts = fc.array(fc.stringMatching(/^[a-z]{1,9}[,.]?$/), { minLength: 1, maxLength: 12 })
  const stepsPerWord = fc.integer({ min: 20, max: 40 })
  fc.assert(
    fc.property(wordTexts, stepsPerWord, fc.array(fc.nat(399)), fc.boolean(), (texts, steps, peaks, isComplete) => {
      const to = texts.length * steps
      const weights = texts.map(weighWord)
      const lengths = weights.map((word, index) => getLengthInText(word, index === texts.length - 1))
      const pace = to / lengths.reduce((sum, length) => sum + length, 0)
      const cues = buildCues(to, { peaks })
      const ends = alignWords(weights, cues, { from: 0, to, isComplete, pace })?.ends
      expect(isComplete && ends === undefined).toBe(false)
      if (ends === undefined) return
      if (isComplete) expect([ends.length, ends.at(-1)?.next]).toEqual([texts.length, to])
      let previousEnd = 0
      for (const { end, next } of ends) {
        expect(end).toBeGreaterThan(previousEnd)
        expect(next).toBeGreaterThanOrEqual(end)
        previousEnd = next
      }
      expect(previousEnd).toBeLessThanOrEqual(to)
    }),
  )
})

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

test('weighs digits, symbols and spelled letters more than their length', () => {
  const getWordLength = (word: string): number => weighWord(word).length
  expect(getWordLength('42')).toBeGreaterThan(getWordLength('train'))
  expect(getWordLength('BBC')).toBeGreaterThan(2 * getWordLength('bbc'))
  expect(getWordLength('5%')).toBeGreaterThan(getWordLength('five'))
})

test('weighs every word at least 1', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (word) => {
      const { length, syllables, hisses } = weighWord(word)
      expect(length).toBeGreaterThanOrEqual(1)
      expect(Math.min(syllables, hisses)).toBeGreaterThanOrEqual(0)
    }),
  )
})
