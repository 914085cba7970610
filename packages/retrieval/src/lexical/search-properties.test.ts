import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildSegment } from './build-segment.ts'
import { createIndex, queryArbitrary, searchNaively, sourcesArbitrary } from './lexical-test-kit.ts'
import { search } from './search.ts'
import { SearchIndex } from './search-index.ts'

describe('search', () => {
  test('returns the same hits as a full scan', () => {
    fc.assert(
      fc.property(sourcesArbitrary, queryArbitrary, (sources, query) => {
        const hits = search([createIndex(sources)], query)
        const naive = searchNaively(sources, query)
        expect(hits.map(({ key, position }) => [key, position])).toEqual(
          naive.map(({ key, position }) => [key, position]),
        )
        for (const [index, { score, lexicalScore }] of hits.entries()) {
          expect(score).toBeCloseTo(naive[index]?.score ?? -1, 9)
          expect(lexicalScore).toBe(score)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('returns the same hits for any order of added and removed sources', () => {
    fc.assert(
      fc.property(
        sourcesArbitrary,
        sourcesArbitrary,
        queryArbitrary,
        fc.infiniteStream(fc.nat()),
        (sources, others, query, choices) => {
          const changed = new SearchIndex()
          for (const [key, chunks] of Object.entries(others)) changed.add(key, buildSegment(chunks))
          const next = (): number => choices.next().value ?? 0
          const remainingKeys = Object.keys({ ...sources, ...others })
          while (remainingKeys.length > 0) {
            const [key = ''] = remainingKeys.splice(next() % remainingKeys.length, 1)
            const chunks = sources[key]
            if (chunks === undefined) changed.remove(key)
            else changed.add(key, buildSegment(chunks))
          }
          const fresh = createIndex(sources)
          expect(search([changed], query)).toEqual(search([fresh], query))
          expect(changed.chunkCount).toBe(fresh.chunkCount)
          expect([...changed.keys()].sort()).toEqual(Object.keys(sources).sort())
        },
      ),
      { numRuns: 100 },
    )
  })

  test('treats several indexes as one', () => {
    fc.assert(
      fc.property(
        sourcesArbitrary,
        queryArbitrary,
        fc.array(fc.nat({ max: 2 }), { minLength: 5, maxLength: 5 }),
        (sources, query, split) => {
          const indexes = [new SearchIndex(), new SearchIndex(), new SearchIndex()]
          const holder = new Map<string, number>()
          for (const [at, [key, chunks]] of Object.entries(sources).entries()) {
            const index = split[at] ?? 0
            holder.set(key, index)
            indexes[index]?.add(key, buildSegment(chunks))
          }
          const hits = search(indexes, query)
          expect(hits.map((hit) => ({ ...hit, index: 0 }))).toEqual(search([createIndex(sources)], query))
          for (const { key, index } of hits) expect(index).toBe(holder.get(key))
        },
      ),
      { numRuns: 100 },
    )
  })

  test('forgets thousands of removed passages', () => {
    const index = new SearchIndex()
    const segment = buildSegment([{ position: 0, title: '', headings: [], text: 'The pool opens at nine.' }])
    index.add('kept', segment)
    for (let round = 0; round < 40; round++) {
      const chunks = Array.from({ length: 50 }, (_, position) => ({
        position,
        title: `Round ${round}`,
        headings: [],
        text: `Pool number ${round * 50 + position} is closed.`,
      }))
      index.add('changing', buildSegment(chunks))
    }
    index.remove('changing')
    index.remove('unknown')
    const fresh = new SearchIndex()
    fresh.add('kept', segment)
    const query = { texts: [{ text: 'is pool 7 open', weight: 1 }], vector: null, topK: 5, filterScore: 0 }
    expect(search([index], query)).toEqual(search([fresh], query))
    expect(index.chunkCount).toBe(1)
    expect(index.sizeBytes).toBeLessThan(200_000)
  })
})
