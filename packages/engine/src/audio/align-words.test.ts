import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignWords, getLengthInText, weighWord } from './align-words.ts'
import type { AudioCues } from './audio-envelope.ts'

/** Builds cues for audio of `steps` steps from the positions of syllable peaks, hisses and quiet steps. */
function cuesOf(
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

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)
const weights = (text: string) => text.split(' ').map(weighWord)

test('sizes each word by its syllable peaks', () => {
  const endWith = (peaks: readonly number[]): number => {
    const form = { from: 0, to: 100, isComplete: true, pace: 4.25 }
    return alignWords(weights('banana oil'), cuesOf(100, { peaks }), form)?.ends[0]?.end ?? 0
  }
  const [usual, stretchedWord] = [endWith([8, 22, 36, 72]), endWith([8, 30, 62, 85])]
  expect(usual).toBeLessThan(62)
  expect(stretchedWord).toBeGreaterThan(62)
})

test('aligns silence with punctuation', () => {
  const cues = cuesOf(120, { peaks: [10, 28, 80, 100], quiet: range(40, 70) })
  const aligned = alignWords(weights('Good day, my friend'), cues, { from: 0, to: 120, isComplete: true, pace: 3.75 })
  const comma = aligned?.ends[1]
  expect(comma?.end).toBeLessThan(44)
  expect(comma?.next).toBeGreaterThan(65)
})

test('leaves words open whose audio has not arrived', () => {
  const cues = cuesOf(60, { peaks: [10, 30, 50] })
  const aligned = alignWords(weights('one two three four five six seven eight'), cues, {
    from: 0,
    to: 60,
    isComplete: false,
    pace: 4,
  })
  expect(aligned?.ends.length).toBeGreaterThanOrEqual(2)
  expect(aligned?.ends.length).toBeLessThanOrEqual(4)
})

test('ends words in order and within the audio, and all of them once it is complete', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}[,.]?$/), { minLength: 1, maxLength: 12 })
  const stepsPerWord = fc.integer({ min: 20, max: 40 })
  fc.assert(
    fc.property(words, stepsPerWord, fc.array(fc.nat(399)), fc.boolean(), (texts, steps, peaks, isComplete) => {
      const to = texts.length * steps
      const weighed = texts.map(weighWord)
      const lengths = weighed.map((word, index) => getLengthInText(word, index === texts.length - 1))
      const pace = to / lengths.reduce((sum, length) => sum + length, 0)
      const cues = cuesOf(to, { peaks })
      const ends = alignWords(weighed, cues, { from: 0, to, isComplete, pace })?.ends
      expect(isComplete && ends === undefined).toBe(false)
      if (ends === undefined) return
      if (isComplete) expect([ends.length, ends.at(-1)?.next]).toEqual([texts.length, to])
      let before = 0
      for (const { end, next } of ends) {
        expect(end).toBeGreaterThan(before)
        expect(next).toBeGreaterThanOrEqual(end)
        before = next
      }
      expect(before).toBeLessThanOrEqual(to)
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
  const lengthOf = (word: string): number => weighWord(word).length
  expect(lengthOf('42')).toBeGreaterThan(lengthOf('train'))
  expect(lengthOf('BBC')).toBeGreaterThan(2 * lengthOf('bbc'))
  expect(lengthOf('5%')).toBeGreaterThan(lengthOf('five'))
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
