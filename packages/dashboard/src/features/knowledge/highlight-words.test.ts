import fc from 'fast-check'
import { expect, test } from 'vitest'
import { highlightWords } from './highlight-words.ts'

const listMarkedWords = (text: string, question: string): string[] =>
  highlightWords(text, question).flatMap((part) => (part.isHighlighted ? [part.text] : []))

test.each([
  ['How much are the new brake pads?', 'New brakes: pads for €24, the brake for €50', ['brakes', 'pads', 'brake']],
  [
    'Öffnungszeiten am Sonntag',
    'Am Sonntag geschlossen. OFFNUNGSZEITEN: Sonntags nie.',
    ['Sonntag', 'OFFNUNGSZEITEN', 'Sonntags'],
  ],
  ['who is it', 'It is who it was', ['It', 'is', 'who', 'it']],
  ['E5 or K-371?', 'K-371 replaces the E5.', ['371', 'E5']],
  ['営業時間', '営業時間は九時から', ['営業', '時間']],
  ['?!', 'Nothing to mark', []],
])('highlights the words of "%s" in "%s"', (question, text, words) =>
  expect(listMarkedWords(text, question)).toEqual(words),
)

test('treats HTML as text', () => {
  const text = '<script>alert("brakes")</script>'
  expect(
    highlightWords(text, 'script brakes')
      .map((part) => part.text)
      .join(''),
  ).toBe(text)
  expect(listMarkedWords(text, 'script brakes')).toEqual(['script', 'brakes', 'script'])
})

test('keeps the whole text for any question', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, question) => {
      expect(
        highlightWords(text, question)
          .map((part) => part.text)
          .join(''),
      ).toBe(text)
    }),
  )
})
