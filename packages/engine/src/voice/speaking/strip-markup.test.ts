import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMarkupStripper, stripMarkup } from './strip-markup.ts'

/** Strips the text in chunks. */
function stripInChunks(text: string, cuts: readonly number[]): string {
  const stripper = createMarkupStripper()
  const boundaries = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b)
  const parts = boundaries.slice(1).flatMap((boundary, index) => stripper.push(text.slice(boundaries[index], boundary)))
  return [...parts, ...stripper.end()].map((part) => part.text).join('')
}

describe('stripped text', () => {
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

  test('is the same for every chunking', () => {
    fc.assert(
      fc.property(marked, fc.array(fc.nat(200), { maxLength: 20 }), (text, cuts) => {
        expect(stripInChunks(text, cuts)).toBe(stripMarkup(text).text)
      }),
      { numRuns: 5_000 },
    )
  })

  test('maps its characters to their original positions', () => {
    fc.assert(
      fc.property(marked, (text) => {
        const plain = stripMarkup(text)
        expect(plain.positions).toHaveLength(plain.text.length)
        for (const [index, position] of plain.positions.entries()) {
          if (/[a-z0-9]/i.test(plain.text[index] ?? '')) expect(text[position]).toBe(plain.text[index])
        }
        expect([...plain.positions].sort((a, b) => a - b)).toEqual(plain.positions)
      }),
    )
  })

  test('equals the input without markup', () => {
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
