import { describe, expect, test } from 'vitest'
import type { DocumentBlock } from '../read-document.ts'
import { chunkDocument } from './chunk-document.ts'
import { createDocument, heading, paragraph } from './document-test-kit.ts'

const sizes = { maxChunkSize: 600, minChunkSize: 200 }

function createTable(header: readonly string[], rows: readonly (readonly string[])[]): DocumentBlock {
  return { kind: 'table', header, rows, page: 2 }
}

const getText = (block: DocumentBlock): string | undefined => chunkDocument(createDocument([block]), sizes)[0]?.text

describe('tables', () => {
  test('repeats the column names in each row', () => {
    expect(
      getText(
        createTable(
          ['Room', 'Price', 'Sea view:'],
          [
            ['Single', '€ 89', 'no'],
            ['Double', '', 'yes'],
          ],
        ),
      ),
    ).toBe('Room: Single; Price: € 89; Sea view: no\nRoom: Double; Sea view: yes')
  })

  test('without a header, lists values, or name and value for two columns', () => {
    expect(
      getText(
        createTable(
          [],
          [
            ['Battery', '500 Wh'],
            ['Weight:', '23 kg'],
          ],
        ),
      ),
    ).toBe('Battery: 500 Wh\nWeight: 23 kg')
    expect(getText(createTable([], [['a', 'b', 'c']]))).toBe('a; b; c')
  })

  test('keeps headers of empty columns', () => {
    expect(getText(createTable(['Name', 'Notes'], [['Tern', '']]))).toBe('Notes\nName: Tern')
    expect(getText(createTable(['Name', 'Notes'], []))).toBe('Name; Notes')
  })

  test('splits a long table between rows, with heading, page and lead-in in each part', () => {
    const rows = Array.from({ length: 60 }, (_, index) => [`Model ${index}`, `${index}99 €`])
    const chunks = chunkDocument(
      createDocument([heading(1, 'Prices'), paragraph('Prices include tax:'), createTable(['Bike', 'Price'], rows)]),
      sizes,
    )
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) {
      expect(chunk.headings).toEqual(['Prices'])
      expect(chunk.text).toMatch(/^Prices include tax:\nBike: Model \d+; Price: \d+ €/)
    }
    const lines = chunks.flatMap((chunk) => chunk.text.split('\n')).filter((line) => line.startsWith('Bike'))
    expect(lines).toEqual(rows.map(([name, price]) => `Bike: ${name}; Price: ${price}`))
    expect(chunks.slice(1).every(({ page }) => page === 2)).toBe(true)
  })

  test('repeats the first cell in each part of a long row', () => {
    const long = 'A sentence about the Tern that tells a lot. '.repeat(30).trim()
    const chunks = chunkDocument(
      createDocument([createTable(['Bike', 'About', 'Price'], [['Tern', long, '899 €']])]),
      sizes,
    )
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) expect(chunk.text).toContain('Bike: Tern; ')
    expect(chunks.at(-1)?.text).toContain('Price: 899 €')
  })
})
