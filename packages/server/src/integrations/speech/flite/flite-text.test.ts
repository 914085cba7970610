import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignPrefixes, type SpokenPhone, timeWords } from './flite-speaker.ts'
import { splitParts, splitTokens } from './flite-text.ts'

test.each([
  ['It’s “naïve” — yes…', ["It's", '"naive"', '', 'yes...']],
  ['Größe 你好 $25.50', ['Grosse', '', '$25.50']],
  ['', []],
])('spells %s with supported characters', (text, spellings) => {
  expect(splitTokens(text).map(({ spelling: spoken }) => spoken)).toEqual(spellings)
})

test('splits a long text at sentences, then at clauses, then at words', () => {
  expect(splitParts('One two three. Four five six, seven eight nine ten eleven', 24)).toEqual([
    'One two three.',
    'Four five six,',
    'seven eight nine ten',
    'eleven',
  ])
})

test('keeps all words and the maximum length', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 8, max: 80 }), (text, maxCharacters) => {
      const parts = splitParts(text, maxCharacters)
      expect(parts.every((part) => part.length <= maxCharacters && part.trim() !== '')).toBe(true)
      expect(parts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }),
  )
})

const createPhones = (text: string): SpokenPhone[] =>
  text.split(' ').map((name, index) => ({ name, startMs: index * 100, endMs: index * 100 + 100 }))

test('times words by their phones even if running speech joins, changes or drops phones', () => {
  const words = [
    { text: 'want', phones: ['w', 'aa', 'n', 't'] },
    { text: 'to', phones: ['t', 'uw'] },
    { text: '—', phones: [] },
    { text: 'go', phones: ['g', 'ow'] },
  ]
  expect(timeWords(words, createPhones('w aa n t ax g ow'))).toEqual([
    { text: 'want', startMs: 0, endMs: expect.any(Number) },
    { text: 'to', startMs: expect.any(Number), endMs: 500 },
    { text: '—', startMs: 500, endMs: 500 },
    { text: 'go', startMs: 500, endMs: 700 },
  ])
})

test('puts all words at the start of a text without phones', () => {
  expect(timeWords([{ text: '你好', phones: [] }], [])).toEqual([{ text: '你好', startMs: 0, endMs: 0 }])
})

test('returns prefix ends that never decrease and cover all phones', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 })
  fc.assert(
    fc.property(names, names, (expected, spoken) => {
      const prefixEnds = alignPrefixes(expected, spoken)
      expect(prefixEnds).toHaveLength(expected.length + 1)
      expect(prefixEnds.at(-1)).toBe(spoken.length)
      expect(prefixEnds.every((prefixEnd, index) => prefixEnd >= (prefixEnds[index - 1] ?? 0))).toBe(true)
    }),
  )
})
