import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DocumentBlock, ReadDocument } from '../read-document.ts'
import { chunkDocument } from './chunk-document.ts'
import { createDocument, documentArbitrary, heading, item, paragraph } from './document-test-kit.ts'

const sizes = { maxChunkSize: 2000, minChunkSize: 400 }
const small = { maxChunkSize: 600, minChunkSize: 200 }

/** Distinguishable sentences of about `length` characters. */
const createParagraph = (name: string, length: number): string => {
  const sentences: string[] = []
  for (let index = 0, size = 0; size < length; index += 1) {
    const sentence = `The ${name} says its sentence number ${index} here.`
    sentences.push(sentence)
    size += sentence.length + 1
  }
  return sentences.join(' ')
}

const stripWhitespace = (text: string): string => text.replace(/\s+/g, '')

describe('chunkDocument', () => {
  test('keeps a section in one passage under its path and joins small neighbors', () => {
    const chunks = chunkDocument(
      createDocument(
        [
          heading(1, 'House guide'),
          paragraph(createParagraph('welcome', 500)),
          heading(2, 'Rooms'),
          heading(3, 'Double'),
          paragraph(createParagraph('double', 450)),
          heading(3, 'Single'),
          paragraph(createParagraph('single', 300)),
          paragraph(createParagraph('desk', 300)),
          heading(2, 'Garage'),
          paragraph(createParagraph('garage', 450)),
        ],
        'House  Guide',
      ),
      sizes,
    )
    expect(chunks.map(({ position, headings }) => [position, ...headings])).toEqual([
      [0],
      [1, 'Rooms', 'Double'],
      [2, 'Rooms', 'Single'],
      [3, 'Garage'],
    ])
    expect(chunks[2]?.text).toBe(`${createParagraph('single', 300)}\n\n${createParagraph('desk', 300)}`)
  })

  test('keeps a first heading that differs from the title in every path', () => {
    const chunks = chunkDocument(createDocument([heading(1, 'Guide'), paragraph('Hello.')], 'Hotel'), sizes)
    expect(chunks).toEqual([{ position: 0, headings: ['Guide'], page: null, text: 'Hello.' }])
  })

  test('joins tiny sections of one parent into a passage with their headings', () => {
    const chunks = chunkDocument(
      createDocument([
        heading(1, 'Questions'),
        heading(2, 'May I bring a dog?'),
        paragraph('Yes.'),
        heading(2, 'Is there a lift?'),
        paragraph('No.'),
        heading(2, 'Where do I park?'),
        paragraph(createParagraph('garage', 390)),
      ]),
      sizes,
    )
    expect(chunks).toEqual([
      { position: 0, headings: ['Questions'], page: null, text: 'May I bring a dog?\nYes.\n\nIs there a lift?\nNo.' },
      { position: 1, headings: ['Questions', 'Where do I park?'], page: null, text: createParagraph('garage', 390) },
    ])
  })

  test('never joins sections of different parents', () => {
    const chunks = chunkDocument(
      createDocument([
        heading(1, 'Bikes'),
        paragraph(createParagraph('bikes', 450)),
        heading(2, 'Tern'),
        paragraph('Red.'),
        heading(1, 'Helmets'),
        heading(2, 'Nut'),
        paragraph('Blue.'),
        paragraph(createParagraph('nut', 450)),
      ]),
      sizes,
    )
    expect(chunks.map(({ headings }) => headings)).toEqual([['Bikes'], ['Bikes', 'Tern'], ['Helmets', 'Nut']])
  })

  test('cuts a long paragraph at sentence ends into parts of similar size', () => {
    const text = createParagraph('manual', 4500)
    const chunks = chunkDocument(createDocument([paragraph(text)]), sizes)
    expect(chunks).toHaveLength(3)
    for (const chunk of chunks) {
      expect(chunk.text).toMatch(/^The .*here\.$/)
      expect(chunk.text.length).toBeGreaterThan(1300)
    }
    expect(chunks.map((chunk) => chunk.text).join(' ')).toBe(text)
  })

  test('does not end sentences at abbreviations, ordinals and decimals', () => {
    const sentence = 'Dr. Brand opens on 3. May with approx. 2.5 kg of flour, e.g. rye, for guests.'
    const chunks = chunkDocument(createDocument([paragraph(Array(20).fill(sentence).join(' '))]), small)
    for (const chunk of chunks) expect(chunk.text).toMatch(/^Dr\. .*guests\.$/)
  })

  test('cuts languages without spaces at their own punctuation', () => {
    const chunks = chunkDocument(createDocument([paragraph('チェックインは十五時からです。'.repeat(100))]), small)
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) expect(chunk.text).toMatch(/^チェック.*です。$/)
  })

  test('repeats the lead-in of a list in every part', () => {
    const items = Array.from({ length: 40 }, (_, index) => item(`Damage number ${index} by something that happens`))
    const chunks = chunkDocument(
      createDocument([
        paragraph(`${createParagraph('policy', 450)} Not covered are:`),
        ...items,
        paragraph(createParagraph('end', 450)),
      ]),
      small,
    )
    const lists = chunks.filter((chunk) => chunk.text.includes('- Damage'))
    expect(lists.length).toBeGreaterThan(3)
    for (const chunk of lists) expect(chunk.text).toMatch(/^Not covered are:\n- Damage/)
    expect(chunks.filter((chunk) => chunk.text.includes('- Damage number 39'))).toHaveLength(1)
    expect(chunks[0]?.text).toBe(createParagraph('policy', 450))
  })

  test('keeps a list that fits in one passage with its lead-in', () => {
    const chunks = chunkDocument(
      createDocument([
        paragraph(createParagraph('before', 450)),
        paragraph('Please bring'),
        item('your card'),
        item('a towel'),
      ]),
      sizes,
    )
    expect(chunks.at(-1)?.text).toContain('Please bring\n- your card\n- a towel')
  })

  test('keeps the line breaks of preformatted text', () => {
    const text = '  open --now\n    --force\n\nclose'
    const [chunk] = chunkDocument(createDocument([{ kind: 'preformatted', text, page: 7 }]), sizes)
    expect(chunk).toEqual({ position: 0, headings: [], page: 7, text })
  })

  test('joins paragraphs while they fit with the break between them', () => {
    const lengths = (second: number): number[] => {
      const paragraphs = [paragraph('a'.repeat(49)), paragraph('b'.repeat(second))]
      const chunks = chunkDocument(createDocument(paragraphs), { maxChunkSize: 100, minChunkSize: 100 })
      return chunks.map(({ text }) => text.length)
    }
    expect(lengths(49)).toEqual([100])
    expect(lengths(50)).toEqual([49, 50])
  })

  test('never joins text of two pages', () => {
    const on = (page: number, text: string): DocumentBlock => ({ kind: 'paragraph', text, page })
    const chunks = chunkDocument(
      createDocument([
        on(36, createParagraph('one', 450)),
        on(37, 'Short.'),
        on(38, createParagraph('two', 450)),
        on(39, createParagraph('three', 450)),
      ]),
      sizes,
    )
    expect(chunks.map(({ page }) => page)).toEqual([36, 37, 38, 39])
  })

  test('keeps a heading without content as text', () => {
    const long = createParagraph('heading', 500)
    const chunks = chunkDocument(
      createDocument([heading(1, 'Part one'), heading(1, 'Part two'), heading(1, long), heading(2, 'Closed')]),
      sizes,
    )
    expect(chunks).toEqual([
      { position: 0, headings: [], page: null, text: 'Part one' },
      { position: 1, headings: ['Part two'], page: null, text: long },
      { position: 2, headings: ['Part two'], page: null, text: 'Closed' },
    ])
  })

  test('returns nothing for an empty document', () => {
    expect(chunkDocument(createDocument([]), sizes)).toEqual([])
    expect(chunkDocument(createDocument([paragraph(' \n '), item(' '), heading(1, ' ')]), sizes)).toEqual([])
  })
})

describe('for any document', () => {
  const bounds = fc.constantFrom(sizes, small, { maxChunkSize: 6000, minChunkSize: 200 })

  test('returns non-empty passages within the limit, with consecutive positions', () => {
    fc.assert(
      fc.property(documentArbitrary, bounds, (document, chunkSizes) => {
        const chunks = chunkDocument(document, chunkSizes)
        expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_, index) => index))
        for (const { text } of chunks) {
          expect(text.length).toBeLessThanOrEqual(chunkSizes.maxChunkSize)
          expect(text.trim()).not.toBe('')
        }
        expect(chunkDocument(document, chunkSizes)).toEqual(chunks)
      }),
    )
  })

  test('returns every character of the document in order', () => {
    fc.assert(
      fc.property(documentArbitrary, bounds, (document, chunkSizes) => {
        const chunks = chunkDocument(document, chunkSizes).map(({ headings, text }) => `${headings.join('')}${text}`)
        expect(findMissingText(stripWhitespace(chunks.join('')), document)).toBe('')
      }),
    )
  })

  test('repeats nothing except lead-ins', () => {
    const plain = documentArbitrary.map((document): ReadDocument => {
      return {
        ...document,
        blocks: document.blocks.filter(({ kind }) => kind === 'paragraph' || kind === 'preformatted'),
      }
    })
    fc.assert(
      fc.property(plain, bounds, (document, chunkSizes) => {
        const paragraphs = { ...document, blocks: document.blocks.filter(({ kind }) => kind === 'paragraph') }
        const text = chunkDocument(paragraphs, chunkSizes).map((chunk) => chunk.text)
        expect(stripWhitespace(text.join(''))).toBe(stripWhitespace(paragraphs.blocks.map(getBlockText).join('')))
      }),
    )
  })

  test('never splits a grapheme', () => {
    const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
    const seen = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment)
    const hard = fc.array(fc.constantFrom('👩‍👩‍👧‍👦', 'e\u0301', '🇩🇪', 'नि', 'x', ' ', '漢', '👍🏽', '. '), {
      minLength: 300,
      maxLength: 900,
    })
    fc.assert(
      fc.property(hard, (parts) => {
        const text = parts.join('').trim()
        const chunks = chunkDocument(createDocument([paragraph(text)]), small)
        const visible = (all: string[]): string[] => all.filter((one) => one.trim() !== '')
        expect(chunks.flatMap((chunk) => visible(seen(chunk.text)))).toEqual(visible(seen(text.replace(/\s+/g, ' '))))
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['paragraphs', [...Array(5000).keys()].map((index) => paragraph(createParagraph(`part ${index}`, 1000)))],
    ['one paragraph', [paragraph(createParagraph('giant', 5_000_000))]],
    ['one word', [paragraph('x'.repeat(5_000_000))]],
    ['one word of pictographs', [paragraph('👩‍👩‍👧‍👦'.repeat(450_000))]],
    ['full stops', [paragraph('.'.repeat(5_000_000))]],
    ['headings', [...Array(60_000).keys()].map((index) => heading((index % 9) + 1, createParagraph('heading', 80)))],
  ])('chunks 5 MB of %s in linear time', (_, blocks) => {
    const start = performance.now()
    expect(chunkDocument(createDocument(blocks), sizes).length).toBeGreaterThan(1000)
    // Takes 0.2 s on an idle machine; quadratic time would take minutes.
    expect(performance.now() - start).toBeLessThan(8000)
  })
})

function getBlockText(block: DocumentBlock): string {
  return block.kind === 'table' ? '' : block.text
}

/** Returns the rest of the text after finding its characters in order, `''` when all are found. */
function findMissingText(all: string, document: ReadDocument): string {
  const expectedText = stripWhitespace(document.blocks.map(getBlockText).join(''))
  let position = 0
  for (let index = 0; index < expectedText.length; index += 1) {
    position = all.indexOf(expectedText.charAt(index), position) + 1
    if (position === 0) return expectedText.slice(index)
  }
  return ''
}
