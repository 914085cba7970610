import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DocumentBlock, ReadDocument } from '../read-document.ts'
import { chunkDocument } from './chunk-document.ts'
import { documentArbitrary, documentOf, heading, item, paragraph } from './document-test-kit.ts'

const sizes = { maxChunkSize: 2000, minChunkSize: 400 }
const small = { maxChunkSize: 600, minChunkSize: 200 }

/** About `length` characters in sentences that can be told apart. */
const prose = (name: string, length: number): string => {
  const sentences: string[] = []
  for (let index = 0, size = 0; size < length; index += 1) {
    const sentence = `The ${name} says its sentence number ${index} here.`
    sentences.push(sentence)
    size += sentence.length + 1
  }
  return sentences.join(' ')
}

const bare = (text: string): string => text.replace(/\s+/g, '')

describe('chunkDocument', () => {
  test('a section is a passage under its path, neighbours below the least size are joined', () => {
    const chunks = chunkDocument(
      documentOf(
        [
          heading(1, 'House guide'),
          paragraph(prose('welcome', 500)),
          heading(2, 'Rooms'),
          heading(3, 'Double'),
          paragraph(prose('double', 450)),
          heading(3, 'Single'),
          paragraph(prose('single', 300)),
          paragraph(prose('desk', 300)),
          heading(2, 'Garage'),
          paragraph(prose('garage', 450)),
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
    expect(chunks[2]?.text).toBe(`${prose('single', 300)}\n\n${prose('desk', 300)}`)
  })

  test('a first heading that is not the title stays in every path', () => {
    const chunks = chunkDocument(documentOf([heading(1, 'Guide'), paragraph('Hello.')], 'Hotel'), sizes)
    expect(chunks).toEqual([{ position: 0, headings: ['Guide'], page: null, text: 'Hello.' }])
  })

  test('tiny sections under one parent share a passage, which says their headings', () => {
    const chunks = chunkDocument(
      documentOf([
        heading(1, 'Questions'),
        heading(2, 'May I bring a dog?'),
        paragraph('Yes.'),
        heading(2, 'Is there a lift?'),
        paragraph('No.'),
        heading(2, 'Where do I park?'),
        paragraph(prose('garage', 390)),
      ]),
      sizes,
    )
    expect(chunks).toEqual([
      { position: 0, headings: ['Questions'], page: null, text: 'May I bring a dog?\nYes.\n\nIs there a lift?\nNo.' },
      { position: 1, headings: ['Questions', 'Where do I park?'], page: null, text: prose('garage', 390) },
    ])
  })

  test('sections under different parents are never joined', () => {
    const chunks = chunkDocument(
      documentOf([
        heading(1, 'Bikes'),
        paragraph(prose('bikes', 450)),
        heading(2, 'Tern'),
        paragraph('Red.'),
        heading(1, 'Helmets'),
        heading(2, 'Nut'),
        paragraph('Blue.'),
        paragraph(prose('nut', 450)),
      ]),
      sizes,
    )
    expect(chunks.map(({ headings }) => headings)).toEqual([['Bikes'], ['Bikes', 'Tern'], ['Helmets', 'Nut']])
  })

  test('a long paragraph is cut at ends of sentences into parts of about one size', () => {
    const text = prose('manual', 4500)
    const chunks = chunkDocument(documentOf([paragraph(text)]), sizes)
    expect(chunks).toHaveLength(3)
    for (const chunk of chunks) {
      expect(chunk.text).toMatch(/^The .*here\.$/)
      expect(chunk.text.length).toBeGreaterThan(1300)
    }
    expect(chunks.map((chunk) => chunk.text).join(' ')).toBe(text)
  })

  test('abbreviations, ordinals and decimals do not end a sentence', () => {
    const sentence = 'Dr. Brand opens on 3. May with approx. 2.5 kg of flour, e.g. rye, for guests.'
    const chunks = chunkDocument(documentOf([paragraph(Array(20).fill(sentence).join(' '))]), small)
    for (const chunk of chunks) expect(chunk.text).toMatch(/^Dr\. .*guests\.$/)
  })

  test('languages without spaces are cut behind their own marks', () => {
    const chunks = chunkDocument(documentOf([paragraph('チェックインは十五時からです。'.repeat(100))]), small)
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) expect(chunk.text).toMatch(/^チェック.*です。$/)
  })

  test('a list keeps its lead-in, which every further part of it repeats', () => {
    const items = Array.from({ length: 40 }, (_, index) => item(`Damage number ${index} by something that happens`))
    const chunks = chunkDocument(
      documentOf([paragraph(`${prose('policy', 450)} Not covered are:`), ...items, paragraph(prose('end', 450))]),
      small,
    )
    const lists = chunks.filter((chunk) => chunk.text.includes('- Damage'))
    expect(lists.length).toBeGreaterThan(3)
    for (const chunk of lists) expect(chunk.text).toMatch(/^Not covered are:\n- Damage/)
    expect(chunks.filter((chunk) => chunk.text.includes('- Damage number 39'))).toHaveLength(1)
    expect(chunks[0]?.text).toBe(prose('policy', 450))
  })

  test('a list that fits stays whole with its lead-in', () => {
    const chunks = chunkDocument(
      documentOf([paragraph(prose('before', 450)), paragraph('Please bring'), item('your card'), item('a towel')]),
      sizes,
    )
    expect(chunks.at(-1)?.text).toContain('Please bring\n- your card\n- a towel')
  })

  test('preformatted lines keep their breaks', () => {
    const text = '  open --now\n    --force\n\nclose'
    const [chunk] = chunkDocument(documentOf([{ kind: 'preformatted', text, page: 7 }]), sizes)
    expect(chunk).toEqual({ position: 0, headings: [], page: 7, text })
  })

  test('paragraphs share a passage as long as both and the break between them fit', () => {
    const lengths = (second: number): number[] => {
      const paragraphs = [paragraph('a'.repeat(49)), paragraph('b'.repeat(second))]
      const chunks = chunkDocument(documentOf(paragraphs), { maxChunkSize: 100, minChunkSize: 100 })
      return chunks.map(({ text }) => text.length)
    }
    expect(lengths(49)).toEqual([100])
    expect(lengths(50)).toEqual([49, 50])
  })

  test('pages stay apart, so that each passage is cited by its own', () => {
    const on = (page: number, text: string): DocumentBlock => ({ kind: 'paragraph', text, page })
    const chunks = chunkDocument(
      documentOf([on(36, prose('one', 450)), on(37, 'Short.'), on(38, prose('two', 450)), on(39, prose('three', 450))]),
      sizes,
    )
    expect(chunks.map(({ page }) => page)).toEqual([36, 37, 38, 39])
  })

  test('a heading with nothing under it is kept as text, one that is a paragraph is one', () => {
    const long = prose('heading', 500)
    const chunks = chunkDocument(
      documentOf([heading(1, 'Part one'), heading(1, 'Part two'), heading(1, long), heading(2, 'Closed')]),
      sizes,
    )
    expect(chunks).toEqual([
      { position: 0, headings: [], page: null, text: 'Part one' },
      { position: 1, headings: ['Part two'], page: null, text: long },
      { position: 2, headings: ['Part two'], page: null, text: 'Closed' },
    ])
  })

  test('nothing gives nothing', () => {
    expect(chunkDocument(documentOf([]), sizes)).toEqual([])
    expect(chunkDocument(documentOf([paragraph(' \n '), item(' '), heading(1, ' ')]), sizes)).toEqual([])
  })
})

describe('whatever the document', () => {
  const bounds = fc.constantFrom(sizes, small, { maxChunkSize: 6000, minChunkSize: 200 })

  test('no passage is longer than allowed or empty, positions count', () => {
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

  test('every character of the document stands in the passages, in order', () => {
    fc.assert(
      fc.property(documentArbitrary, bounds, (document, chunkSizes) => {
        const all = chunkDocument(document, chunkSizes).map(({ headings, text }) => `${headings.join('')}${text}`)
        expect(missingFrom(bare(all.join('')), document)).toBe('')
      }),
    )
  })

  test('nothing stands twice where no lead-in is repeated', () => {
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
        expect(bare(text.join(''))).toBe(bare(paragraphs.blocks.map(blockText).join('')))
      }),
    )
  })

  test('no character that people see as one is cut', () => {
    const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
    const seen = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment)
    const hard = fc.array(fc.constantFrom('👩‍👩‍👧‍👦', 'e\u0301', '🇩🇪', 'नि', 'x', ' ', '漢', '👍🏽', '. '), {
      minLength: 300,
      maxLength: 900,
    })
    fc.assert(
      fc.property(hard, (parts) => {
        const text = parts.join('').trim()
        const chunks = chunkDocument(documentOf([paragraph(text)]), small)
        const visible = (all: string[]): string[] => all.filter((one) => one.trim() !== '')
        expect(chunks.flatMap((chunk) => visible(seen(chunk.text)))).toEqual(visible(seen(text.replace(/\s+/g, ' '))))
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['paragraphs', [...Array(5000).keys()].map((index) => paragraph(prose(`part ${index}`, 1000)))],
    ['one paragraph', [paragraph(prose('giant', 5_000_000))]],
    ['one word', [paragraph('x'.repeat(5_000_000))]],
    ['one word of pictographs', [paragraph('👩‍👩‍👧‍👦'.repeat(450_000))]],
    ['full stops', [paragraph('.'.repeat(5_000_000))]],
    ['headings', [...Array(60_000).keys()].map((index) => heading((index % 9) + 1, prose('heading', 80)))],
  ])('5 MB of %s take no longer than they must', (_, blocks) => {
    const start = performance.now()
    expect(chunkDocument(documentOf(blocks), sizes).length).toBeGreaterThan(1000)
    // Some 0.2 s on an idle machine; what grew with the square of the size would take minutes.
    expect(performance.now() - start).toBeLessThan(8000)
  })
})

function blockText(block: DocumentBlock): string {
  return block.kind === 'table' ? '' : block.text
}

/** What is left of the document's text when its characters are looked for in order, `''` when all are there. */
function missingFrom(all: string, document: ReadDocument): string {
  const wanted = bare(document.blocks.map(blockText).join(''))
  let at = 0
  for (let index = 0; index < wanted.length; index += 1) {
    at = all.indexOf(wanted.charAt(index), at) + 1
    if (at === 0) return wanted.slice(index)
  }
  return ''
}
