import fc from 'fast-check'
import type { DocumentBlock, ReadDocument } from '../read-document.ts'

/** A document of these blocks; `page` may be omitted. */
export function createDocument(blocks: readonly DocumentBlock[], title: string | null = null): ReadDocument {
  return { title, blocks, pageCount: null, links: [] }
}

export const heading = (level: number, text: string): DocumentBlock => ({ kind: 'heading', level, text, page: null })
export const paragraph = (text: string): DocumentBlock => ({ kind: 'paragraph', text, page: null })
export const item = (text: string): DocumentBlock => ({ kind: 'list-item', text, page: null })

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.stringMatching(/^[a-z]{1,9}[.,:]?$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.constantFrom(
    '夏は暑い。',
    '한국어',
    '👩‍👩‍👧‍👦',
    'e\u0301',
    'สวัสดีครับ',
    'Dr.',
    '3.',
    'x'.repeat(300),
    '漢字'.repeat(200),
  ),
)
const words = fc.array(word, { minLength: 1, maxLength: 60 }).map((all) => all.join(' '))

/** Documents with all kinds of blocks and text that is hard to cut. */
export const documentArbitrary: fc.Arbitrary<ReadDocument> = fc
  .array(
    fc.oneof(
      fc.tuple(fc.integer({ min: 1, max: 12 }), words).map(([level, text]) => heading(level, text)),
      fc.tuple(fc.integer({ min: 1, max: 4 }), word).map(([level, text]) => heading(level, text)),
      words.map(paragraph),
      words.map((text) => paragraph(`${text}:`)),
      words.map(item),
      fc.array(words, { maxLength: 5 }).map((lines): DocumentBlock => {
        return { kind: 'preformatted', text: lines.join('\n'), page: 3 }
      }),
    ),
    { maxLength: 25 },
  )
  .map((blocks) => createDocument(blocks))
