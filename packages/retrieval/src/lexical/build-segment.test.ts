import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyzeChunks } from './analyze-chunks.ts'
import { buildSegment } from './build-segment.ts'
import { bytesChecksum } from './hash-text.ts'
import { asked, chunksOf, indexOf, sourcesArbitrary } from './lexical-test-kit.ts'
import { readSegment } from './read-segment.ts'
import { search } from './search.ts'
import { SearchIndex } from './search-index.ts'
import { SEGMENT_VERSION } from './segment-format.ts'

const segment = buildSegment(
  chunksOf(['Breakfast is served from seven.', 'The pool is open.'], { title: 'House rules' }),
)

/** With a checksum that fits, so that what is behind it is looked at. */
function withChecksum(bytes: Uint8Array): Uint8Array {
  const body = bytes.length - 4
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(body, bytesChecksum(bytes, body), true)
  return bytes
}

describe('a segment', () => {
  test('holds what was put in', () => {
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
            expect([term, index.frequencyOf(term)]).toEqual([term, frequency])
          }
          for (const [word, terms] of source.aliases)
            expect(index.termsOf(word)).toEqual(expect.arrayContaining([...terms]))
        }
      }),
      { numRuns: 50 },
    )
  })

  test('may lie within other bytes', () => {
    const around = new Uint8Array(segment.length + 20).fill(7)
    around.set(segment, 10)
    const index = new SearchIndex()
    index.add('key', around.subarray(10, 10 + segment.length))
    expect(search([index], asked('pool'))).toMatchObject([{ key: 'key', position: 1 }])
  })

  test('of another version is refused by name', () => {
    const other = segment.slice()
    other[3] = SEGMENT_VERSION + 1
    expect(() => new SearchIndex().add('key', withChecksum(other))).toThrow(`version ${SEGMENT_VERSION + 1}`)
  })

  test('that is damaged anywhere is refused, and the index is what it was', () => {
    const index = indexOf({ key: chunksOf(['The pool is open.']) })
    for (let at = 0; at < segment.length; at++) {
      const damaged = segment.slice()
      damaged[at] = (damaged[at] ?? 0) ^ 0x10
      expect(() => index.add('key', damaged)).toThrow(/index segment/)
      expect(() => index.add('key', segment.slice(0, at))).toThrow(/index segment/)
    }
    expect(search([index], asked('pool'))).toMatchObject([{ key: 'key', position: 0, score: 1 }])
  })

  test('of arbitrary bytes never hangs, and what is taken can be searched', () => {
    const change = fc.tuple(fc.nat({ max: segment.length - 5 }), fc.nat({ max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = segment.slice()
        for (const [at, value] of changes) bytes[Math.max(4, at)] = value
        const index = new SearchIndex()
        try {
          index.add('key', withChecksum(bytes))
        } catch (error) {
          expect(String(error)).toMatch(/index segment/)
          return
        }
        for (const question of ['pool', 'breakfest house', 'is the']) search([index], asked(question))
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

test('equal texts are told apart by their headings and their title', () => {
  const hashOf = (title: string, headings: string[]): string =>
    analyzeChunks(chunksOf(['The battery lasts a day.'], { title, headings }))
      .chunks.map(({ hash }) => hash.join())
      .join()
  expect(hashOf('2025.pdf', ['Fennel S'])).toBe(hashOf('2025.pdf', ['Fennel S']))
  expect(hashOf('2025.pdf', ['Fennel S'])).not.toBe(hashOf('2026.pdf', ['Fennel S']))
  expect(hashOf('2025.pdf', ['Fennel S'])).not.toBe(hashOf('2025.pdf', ['Fennel L']))
})
