import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partsOf, tokensOf } from './flite-text.ts'

test.each([
  ['It’s “naïve” — yes…', ["It's", '"naive"', '', 'yes...']],
  ['Größe 你好 $25.50', ['Grosse', '', '$25.50']],
  ['', []],
])('%s is spelled in letters that the voices know', (text, spellings) => {
  expect(tokensOf(text).map(({ spoken }) => spoken)).toEqual(spellings)
})

test('a long text is cut at its sentences, then at clauses, then at words', () => {
  expect(partsOf('One two three. Four five six, seven eight nine ten eleven', 24)).toEqual([
    'One two three.',
    'Four five six,',
    'seven eight nine ten',
    'eleven',
  ])
})

test('whatever is cut, the words stay the same and no part is too long', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 8, max: 80 }), (text, most) => {
      const parts = partsOf(text, most)
      expect(parts.every((part) => part.length <= most && part.trim() !== '')).toBe(true)
      expect(parts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }),
  )
})
