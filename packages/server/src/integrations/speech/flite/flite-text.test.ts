import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignPrefixes, type SpokenPhone, timeWords } from './flite-speaker.ts'
import { splitParts, splitTokens } from './flite-text.ts'

test.each([
  ['It’s “naïve” — yes…', ["It's", '"naive"', '', 'yes...']],
  ['Größe 你好 $25.50', ['Grosse', '', '$25.50']],
  ['', []],
])('%s is spelled in letters that the voices know', (text, spellings) => {
  expect(splitTokens(text).map(({ spoken }) => spoken)).toEqual(spellings)
})

test('a long text is cut at its sentences, then at clauses, then at words', () => {
  expect(splitParts('One two three. Four five six, seven eight nine ten eleven', 24)).toEqual([
    'One two three.',
    'Four five six,',
    'seven eight nine ten',
    'eleven',
  ])
})

test('any split keeps the words and the maximum length', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 8, max: 80 }), (text, most) => {
      const parts = splitParts(text, most)
      expect(parts.every((part) => part.length <= most && part.trim() !== '')).toBe(true)
      expect(parts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }),
  )
})

const phones = (text: string): SpokenPhone[] =>
  text.split(' ').map((name, index) => ({ name, startMs: index * 100, endMs: index * 100 + 100 }))

test('words begin and end with their own sounds, also where running speech joins, changes and drops some', () => {
  const words = [
    { text: 'want', phones: ['w', 'aa', 'n', 't'] },
    { text: 'to', phones: ['t', 'uw'] },
    { text: '—', phones: [] },
    { text: 'go', phones: ['g', 'ow'] },
  ]
  expect(timeWords(words, phones('w aa n t ax g ow'))).toEqual([
    { text: 'want', startMs: 0, endMs: expect.any(Number) },
    { text: 'to', startMs: expect.any(Number), endMs: 500 },
    { text: '—', startMs: 500, endMs: 500 },
    { text: 'go', startMs: 500, endMs: 700 },
  ])
})

test('without any sound all words are where the text is', () => {
  expect(timeWords([{ text: '你好', phones: [] }], [])).toEqual([{ text: '你好', startMs: 0, endMs: 0 }])
})

test('every prefix reaches at least as far as the one before, and the last one everything', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 })
  fc.assert(
    fc.property(names, names, (expected, spoken) => {
      const reached = alignPrefixes(expected, spoken)
      expect(reached).toHaveLength(expected.length + 1)
      expect(reached.at(-1)).toBe(spoken.length)
      expect(reached.every((place, index) => place >= (reached[index - 1] ?? 0))).toBe(true)
    }),
  )
})
