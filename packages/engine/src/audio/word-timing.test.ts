import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countHeardWords,
  estimateWords as estimate,
  findInterruptedWordStart,
  getHeardPrefix,
  type Silence,
} from './word-timing.ts'

/** Estimates word times for complete audio. */
function estimateWords(text: string, fromMs: number, toMs: number, silences: readonly Silence[] = []) {
  return estimate(text, { fromMs, toMs, silences, isComplete: true, characterMs: 50, envelope: null })
}

const WORDS = [
  { text: 'one', startMs: 0, endMs: 100 },
  { text: 'two', startMs: 150, endMs: 300 },
  { text: 'three', startMs: 300, endMs: 600 },
]

test('estimates contiguous words across the audible audio', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zé]{1,9}[,.!?]?$/), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 1, max: 20_000 }),
      (texts, fromMs, durationMs) => {
        const words = estimateWords(texts.join('  '), fromMs, fromMs + durationMs)
        expect(words.map(({ text }) => text)).toEqual(texts)
        expect(words[0]?.startMs).toBe(fromMs)
        expect(words.at(-1)?.endMs).toBe(fromMs + durationMs)
        for (const [index, word] of words.entries()) {
          expect(word.endMs).toBeGreaterThan(word.startMs)
          if (index > 0) expect(word.startMs).toBe(words[index - 1]?.endMs)
        }
      },
    ),
  )
  expect(estimateWords('  ', 0, 100)).toEqual([])
  expect(estimateWords('well – yes', 0, 100).map(({ text }) => text)).toEqual(['well', 'yes'])
})

test('gives longer words and words before a pause more time', () => {
  const [shortWord, longWord, , lastWord] = estimateWords('a characteristic word, end', 0, 1_000)
  const [, , wordBeforePause] = estimateWords('a characteristic word, end', 0, 1_000)
  const [, , wordInSentence] = estimateWords('a characteristic words end', 0, 1_000)
  const getDuration = (word: { startMs: number; endMs: number } | undefined) =>
    (word?.endMs ?? 0) - (word?.startMs ?? 0)
  expect(getDuration(longWord)).toBeGreaterThan(3 * getDuration(shortWord))
  expect(getDuration(wordBeforePause)).toBeGreaterThan(getDuration(wordInSentence))
  expect(getDuration(lastWord)).toBeGreaterThan(getDuration(shortWord))
})

test('counts words as heard once their end was played', () => {
  expect([0, 99, 100, 299, 300, 599, 600, 9_999].map((atMs) => countHeardWords(WORDS, atMs))).toEqual([
    0, 0, 1, 1, 2, 2, 3, 3,
  ])
})

test('returns heard text as written, even if the voice reports fewer words', () => {
  expect(getHeardPrefix('One, two – three.', WORDS, 2)).toBe('One, two –')
  expect(getHeardPrefix('One two three', WORDS, 0)).toBe('')
  expect(getHeardPrefix('Onetwo three', WORDS, 2)).toBe('one two')
})

test('splits characters of scripts without spaces into words and joins them without spaces', () => {
  const getHeardText = (text: string, count: number) => getHeardPrefix(text, estimateWords(text, 0, 1_000), count)
  const listWords = (text: string) => estimateWords(text, 0, 1_000).map((word) => word.text)
  expect(listWords('你好，我是Anna Li。')).toEqual(['你', '好，', '我', '是', 'Anna', 'Li。'])
  expect(getHeardText('你好，我是Anna Li。', 2)).toBe('你好，')
  expect(getHeardText('你好，我是Anna Li。', 5)).toBe('你好，我是Anna')
  expect(listWords('データを – 3.50円')).toEqual(['デ', 'ー', 'タ', 'を', '3.50', '円'])
  expect(getHeardText('データを – 3.50円', 4)).toBe('データを –')
  // Thai words are not segmented.
  expect(listWords('สวัสดีครับ คุณลูกค้า')).toEqual(['สวัสดีครับ', 'คุณลูกค้า'])
})

test('finds the start of the word that a position interrupts', () => {
  expect([0, 50, 100, 120, 150, 151, 450, 600, 900].map((atMs) => findInterruptedWordStart(WORDS, atMs))).toEqual([
    0, 0, 100, 120, 150, 150, 300, 600, 900,
  ])
})

test('aligns a silence only with nearby punctuation', () => {
  const text = 'of course, I can do that for you'
  const words = estimateWords(text, 0, 2_000, [{ fromMs: 800, toMs: 1_000 }])
  expect(words[1]).toMatchObject({ text: 'course,', endMs: 800 })
  expect(words[2]).toMatchObject({ text: 'I', startMs: 1_000 })
  expect(words.at(-1)?.endMs).toBe(2_000)
  const wordsWithoutComma = estimateWords('of course I can do that for you', 0, 2_000, [{ fromMs: 800, toMs: 1_000 }])
  expect(wordsWithoutComma).toEqual(estimateWords('of course I can do that for you', 0, 2_000))
})

test('uses the pace of the received audio while more is arriving', () => {
  const text = 'one two three four five six seven, and eight nine ten eleven twelve'
  const audio = { fromMs: 0, toMs: 1_200, isComplete: false, characterMs: 34, envelope: null }
  const withSilence = estimate(text, { ...audio, silences: [{ fromMs: 1_000, toMs: 1_100 }] })
  const withoutSilence = estimate(text, { ...audio, silences: [] })
  expect(withSilence.at(-1)?.endMs).toBeLessThan(withoutSilence.at(-1)?.endMs ?? 0)
})
