import { describe, expect, test } from 'vitest'
import type { DocumentBlock } from '../read-document.ts'
import { chunkDocument } from './chunk-document.ts'
import { documentOf, heading, paragraph } from './document-test-kit.ts'

const sizes = { maxChunkSize: 600, minChunkSize: 200 }

function table(header: readonly string[], rows: readonly (readonly string[])[]): DocumentBlock {
  return { kind: 'table', header, rows, page: 2 }
}

const textOf = (block: DocumentBlock): string | undefined => chunkDocument(documentOf([block]), sizes)[0]?.text

describe('tables', () => {
  test('each row says what its values are', () => {
    expect(
      textOf(
        table(
          ['Room', 'Price', 'Sea view:'],
          [
            ['Single', '€ 89', 'no'],
            ['Double', '', 'yes'],
          ],
        ),
      ),
    ).toBe('Room: Single; Price: € 89; Sea view: no\nRoom: Double; Sea view: yes')
  })

  test('without a header values stand beside each other, two columns as name and value', () => {
    expect(
      textOf(
        table(
          [],
          [
            ['Battery', '500 Wh'],
            ['Weight:', '23 kg'],
          ],
        ),
      ),
    ).toBe('Battery: 500 Wh\nWeight: 23 kg')
    expect(textOf(table([], [['a', 'b', 'c']]))).toBe('a; b; c')
  })

  test('headers that no row says are kept', () => {
    expect(textOf(table(['Name', 'Notes'], [['Tern', '']]))).toBe('Notes\nName: Tern')
    expect(textOf(table(['Name', 'Notes'], []))).toBe('Name; Notes')
  })

  test('a long table is cut between rows; heading, page and introduction stay with each part', () => {
    const rows = Array.from({ length: 60 }, (_, index) => [`Model ${index}`, `${index}99 €`])
    const chunks = chunkDocument(
      documentOf([heading(1, 'Prices'), paragraph('Prices include tax:'), table(['Bike', 'Price'], rows)]),
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

  test('a row that is too long repeats its first cell', () => {
    const long = 'A sentence about the Tern that tells a lot. '.repeat(30).trim()
    const chunks = chunkDocument(documentOf([table(['Bike', 'About', 'Price'], [['Tern', long, '899 €']])]), sizes)
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) expect(chunk.text).toContain('Bike: Tern; ')
    expect(chunks.at(-1)?.text).toContain('Price: 899 €')
  })
})
