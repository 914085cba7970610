import { describe, expect, test } from 'vitest'
import {
  LOOPING_PDFS,
  MANUAL_FACT,
  makeColumns,
  makeLongPdf,
  makeManual,
} from '../../../../../../testing/documents/pdf-documents.ts'
import { describeBlocks, readFailure, readSample } from '../document-test-kit.ts'

describe('a manual of 50 pages', async () => {
  const { document } = await readSample(await makeManual())

  test('has a title, pages, and each text on its page', () => {
    expect(document).toMatchObject({ title: 'Kestrel service manual', pageCount: 50 })
    const fact = document.blocks.find((block) => block.kind === 'paragraph' && block.text.includes('4,200'))
    expect(fact).toMatchObject({ page: MANUAL_FACT.page, text: expect.stringContaining(MANUAL_FACT.sentence) })
  })

  test('has chapters and sections as headings', () => {
    const headings = document.blocks.filter((block) => block.kind === 'heading')
    expect(headings).toHaveLength(60)
    expect(headings).toContainEqual({ kind: 'heading', level: 1, text: MANUAL_FACT.chapter, page: 36 })
    expect(headings).toContainEqual({ kind: 'heading', level: 2, text: MANUAL_FACT.heading, page: 37 })
  })

  test('has tables', () => {
    const tables = document.blocks.filter((block) => block.kind === 'table')
    expect(tables).toHaveLength(10)
    expect(tables[7]).toEqual({
      kind: 'table',
      header: ['Name', 'Number', 'Price'],
      rows: [1, 2, 3].map((part) => [`Part 8-${part}`, `K-40${part}`, `8${part}.50 EUR`]),
      page: 40,
    })
  })

  test('has no running titles or page numbers, and hyphenated words are rejoined', () => {
    const text = document.blocks.map((block) => (block.kind === 'table' ? '' : block.text)).join('\n')
    expect(text).not.toMatch(/Hillside Cycle Works|Page \d+ of/)
    expect(text).toContain('Have the whole wheel checked by a workshop that knows the model, and keep the receipt.')
  })
})

test('columns are read one after another', async () => {
  const [title, left, right] = await describeBlocks(await makeColumns())
  expect(title).toBe('# News of the workshop')
  expect(left).toMatch(/^This is sentence 1 of the left .* sentence 12 of the left column of our letter\.$/)
  expect(right).toMatch(/^This is sentence 1 of the right .* sentence 12 of the right column of our letter\.$/)
})

test('limits the number of pages', async () => {
  expect(await readFailure(await makeLongPdf(11), { limits: { pages: 10 } })).toBe(
    'The document has more than 10 pages, the limit for one document: split it.',
  )
})

test.each(Object.entries(LOOPING_PDFS))('reading %s terminates', async (_name, make) => {
  expect(await readFailure(make())).toMatch(/seems to be damaged|has no text/)
})
