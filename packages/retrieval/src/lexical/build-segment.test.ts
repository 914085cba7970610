import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyzeChunks } from './analyze-chunks.ts'
import { buildSegment } from './build-segment.ts'
import { createChunks, createIndex, createQuery, sourcesArbitrary } from './lexical-test-kit.ts'
import { readSegment } from './read-segment.ts'
import { search } from './search.ts'
import { SearchIndex } from './search-index.ts'
import { computeChecksum, SEGMENT_VERSION } from './segment-format.ts'

const segment = buildSegment(
  createChunks(['Breakfast is served from seven.', 'The pool is open.'], { title: 'House rules' }),
)

/** Replaces the checksum, so that the content behind it is read. */
function addChecksum(bytes: Uint8Array): Uint8Array {
  const body = bytes.length - 4
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(body, computeChecksum(bytes, body), true)
  return bytes
}

describe('segment', () => {
  test('contains the indexed passages', () => {
    fc.assert(
      fc.property(sourcesArbitrary, (sources) => {
        for (const chunks of Object.values(sources)) {
          const bytes = buildSegment(chunks)
          expect(buildSegment(structuredClone(chunks))).toEqual(bytes)
          const source = analyzeChunks(chunks)
          const read = readSegment(bytes)
          expect([...read.positions]).toEqual(source.chunks.map(({ position }) => position))
          expect([...read.lengths]).toEqual(source.chunks.flatMap(({ lengths }) => lengths))
          expect([...read.hashes]).toEqual(source.chunks.flatMap(({ hash }) => hash))
          expect(read.languages).toEqual(source.languages)
          const index = new SearchIndex()
          index.add('key', bytes)
          for (const term of new Set(source.chunks.flatMap(({ occurrences }) => [...occurrences.keys()]))) {
            const frequency = source.chunks.filter(({ occurrences }) => occurrences.has(term)).length
            expect([term, index.getFrequency(term)]).toEqual([term, frequency])
          }
          for (const [word, terms] of source.aliases)
            expect(index.findTerms(word)).toEqual(expect.arrayContaining([...terms]))
        }
      }),
      { numRuns: 50 },
    )
  })

  test('can be read from a larger buffer', () => {
    const around = new Uint8Array(segment.length + 20).fill(7)
    around.set(segment, 10)
    const index = new SearchIndex()
    index.add('key', around.subarray(10, 10 + segment.length))
    expect(search([index], createQuery('pool'))).toMatchObject([{ key: 'key', position: 1 }])
  })

  test('of another version is rejected with its version', () => {
    const copy = segment.slice()
    copy[3] = SEGMENT_VERSION + 1
    expect(() => new SearchIndex().add('key', addChecksum(copy))).toThrow(`version ${SEGMENT_VERSION + 1}`)
  })

  test('with damage anywhere is rejected, and the index stays unchanged', () => {
    const index = createIndex({ key: createChunks(['The pool is open.']) })
    for (let at = 0; at < segment.length; at++) {
      const damaged = segment.slice()
      damaged[at] = (damaged[at] ?? 0) ^ 0x10
      expect(() => index.add('key', damaged)).toThrow(/index segment/)
      expect(() => index.add('key', segment.slice(0, at))).toThrow(/index segment/)
    }
    expect(search([index], createQuery('pool'))).toMatchObject([{ key: 'key', position: 0, score: 1 }])
  })

  test('of arbitrary bytes never hangs, and an accepted one can be searched', () => {
    const change = fc.tuple(fc.nat({ max: segment.length - 5 }), fc.nat({ max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = segment.slice()
        for (const [index, value] of changes) bytes[Math.max(4, index)] = value
        const index = new SearchIndex()
        try {
          index.add('key', addChecksum(bytes))
        } catch (error) {
          expect(String(error)).toMatch(/index segment/)
          return
        }
        for (const question of ['pool', 'breakfest house', 'is the']) search([index], createQuery(question))
        index.remove('key')
        expect(index.chunkCount).toBe(0)
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(() => new SearchIndex().add('key', bytes)).toThrow(/index segment/)
      }),
    )
  })
})

test('distinguishes equal texts by headings and title', () => {
  const hashOf = (title: string, headings: string[]): string =>
    analyzeChunks(createChunks(['The battery lasts a day.'], { title, headings }))
      .chunks.map(({ hash }) => hash.join())
      .join()
  expect(hashOf('2025.pdf', ['Fennel S'])).toBe(hashOf('2025.pdf', ['Fennel S']))
  expect(hashOf('2025.pdf', ['Fennel S'])).not.toBe(hashOf('2026.pdf', ['Fennel S']))
  expect(hashOf('2025.pdf', ['Fennel S'])).not.toBe(hashOf('2025.pdf', ['Fennel L']))
})
