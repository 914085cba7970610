import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMarkupStripper, stripMarkup } from './strip-markup.ts'

/** The text cut at these places. */
function inChunks(text: string, cuts: readonly number[]): string {
  const stripper = createMarkupStripper()
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b)
  const parts = places.slice(1).flatMap((place, index) => stripper.push(text.slice(places[index], place)))
  return [...parts, ...stripper.end()].map((part) => part.text).join('')
}

describe('what is left of a text', () => {
  test.each([
    ['**Bold** and *slanted* and __strong__ and ~~gone~~', 'Bold and slanted and strong and gone'],
    ['Use `npm start` now', 'Use npm start now'],
    ['# Title\nText', 'Title\nText'],
    ['- one\n- two\n  * three', 'one\ntwo\n  three'],
    ['1. one\n2. two', '1. one\n2. two'],
    ['> quoted\n> twice', 'quoted\ntwice'],
    ['- [ ] open\n- [x] done', 'open\ndone'],
    ['above\n---\nbelow', 'above\nbelow'],
    ['See [the page](https://a.example/x_(y) "Title") for more', 'See the page for more'],
    ['See **[the page](https://a.example)**.', 'See the page.'],
    ['![A cat](cat.png) sits', 'A cat sits'],
    ['Wow![ok](a) and wow! [no link] here', 'Wowok and wow! [no link] here'],
    ['Write to <anna@a.example> or <https://a.example/b>', 'Write to anna@a.example or https://a.example/b'],
    ['One<br>two <b>three</b> <break time="1s"/>four', 'One\ntwo three four'],
    ['a < b and c > d, x<y', 'a < b and c > d, x<y'],
    ['2 * 3 * 4 and 2*3', '2 * 3 * 4 and 2*3'],
    ['snake_case_name and _slanted_', 'snake_case_name and slanted'],
    ['https://a.example/_next/x_y', 'https://a.example/_next/x_y'],
    ['```ts\nconst a = 1 * 2\n```\nDone', 'const a = 1 * 2\nDone'],
    ['| Name | Age |\n|------|-----|\n| Ann | 5 |', ' Name , Age \n Ann , 5 '],
    ['Yes 👍🏽 👨‍👩‍👧 🇩🇪 1️⃣ ok ☺️', 'Yes    1 ok '],
    ['© 2024 Acme™', '© 2024 Acme™'],
    ['\\*not\\* bold \\# \\>', '*not* bold # >'],
    ['john\\_doe@a.example, a\\*b, \\[1\\] and \\\\', 'john_doe@a.example, a*b, [1] and \\'],
    ['\\# no title\n\\- no list', '# no title\n- no list'],
    ['Q&amp;A &nbsp; R&D', 'Q&A   R&D'],
    ['as shown[1] and[^2]', 'as shown and'],
    ['क्‍ष and می‌خواهم', 'क्‍ष and می‌خواهم'],
  ])('%j', (text, expected) => {
    expect(stripMarkup(text).text).toBe(expected)
  })

  const marked = fc
    .array(
      fc.constantFrom(
        ...['*', '**', '_', '`', '```', '~~', '#', '# ', '- ', '> ', '|', '|---|', '[', '](', '](a)', ')', '<', '<b>'],
        ...[
          '>',
          '\\',
          '&amp;',
          '&',
          '!',
          '\n',
          ' ',
          'word',
          '5',
          '.',
          '👍🏽',
          '👨‍👩‍👧',
          '1️⃣',
          'http://a.b',
          '"',
          '=',
          ':',
        ],
      ),
      { maxLength: 25 },
    )
    .map((parts) => parts.join(''))

  test('does not depend on how the text comes', () => {
    fc.assert(
      fc.property(marked, fc.array(fc.nat(200), { maxLength: 20 }), (text, cuts) => {
        expect(inChunks(text, cuts)).toBe(stripMarkup(text).text)
      }),
      { numRuns: 5_000 },
    )
  })

  test('knows where each of its characters stood', () => {
    fc.assert(
      fc.property(marked, (text) => {
        const plain = stripMarkup(text)
        expect(plain.positions).toHaveLength(plain.text.length)
        for (const [at, position] of plain.positions.entries()) {
          if (/[a-z0-9]/i.test(plain.text[at] ?? '')) expect(text[position]).toBe(plain.text[at])
        }
        expect([...plain.positions].sort((a, b) => a - b)).toEqual(plain.positions)
      }),
    )
  })

  test('is all of a text without marks', () => {
    const plainText = fc.array(fc.constantFrom('a', 'ß', '中', 'क', ' ', '.', ',', '?', '5', '\n', '"'), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(plainText, (letters) => {
        expect(stripMarkup(letters.join('')).text).toBe(letters.join(''))
      }),
    )
  })
})
