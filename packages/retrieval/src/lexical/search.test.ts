import { describe, expect, test } from 'vitest'
import { buildSegment } from './build-segment.ts'
import { createChunks, createIndex, createQuery, findTexts } from './lexical-test-kit.ts'
import { search } from './search.ts'
import { SearchIndex } from './search-index.ts'

const hotel = [
  'Breakfast is served from seven to ten. It costs €14.50 for each guest.',
  'The pool is open from May to September.',
  'Dogs up to 15 kg may stay for €12 a night.',
  'Guests can park behind the house for €9 a day.',
]

describe('lexical search', () => {
  test('ranks the answering passage first, with its share of the question', () => {
    const hits = search([createIndex({ hotel: createChunks(hotel) })], createQuery('When is the pool open?'))
    expect(hits[0]).toMatchObject({ index: 0, key: 'hotel', position: 1, vectorScore: null })
    expect(hits[0]?.score).toBeGreaterThan(0.9)
    expect(hits[0]?.lexicalScore).toBe(hits[0]?.score)
  })

  test('ignores passages without a content word of the question', () => {
    expect(findTexts(hotel, 'What is the capital of Peru?')).toEqual([])
    expect(findTexts(hotel, 'pool')).toEqual([hotel[1]])
  })

  test('an unknown word lowers the score', () => {
    const scoreOf = (question: string): number =>
      search([createIndex({ hotel: createChunks(hotel) })], createQuery(question))[0]?.score ?? 0
    expect(scoreOf('pool')).toBe(1)
    expect(scoreOf('heated pool')).toBeLessThan(0.6)
    expect(scoreOf('heated outdoor pool')).toBeLessThan(scoreOf('heated pool'))
  })

  test('matches function words when the question has no others', () => {
    expect(findTexts(hotel, 'who is it for')).toEqual([hotel[0], hotel[1], hotel[3], hotel[2]].slice(0, 4))
  })

  test('ranks passages with the same words by headings and title', () => {
    const text = 'The battery lasts for a day.'
    const index = createIndex({
      one: createChunks([text], { title: 'Manual', headings: ['Fennel S', 'Power'] }),
      two: createChunks([text], { title: 'Manual', headings: ['Fennel L', 'Power'] }),
      three: createChunks([`${text} Really.`], { title: 'Basil manual', headings: ['Power'] }),
    })
    const first = (question: string): string | undefined => search([index], createQuery(question))[0]?.key
    expect(first('How long does the battery of the Fennel L last?')).toBe('two')
    expect(first('How long does the battery of the Fennel S last?')).toBe('one')
    expect(first('Basil battery')).toBe('three')
  })

  test('weighs earlier texts less than the newest', () => {
    const index = createIndex({ hotel: createChunks(hotel) })
    const texts = [
      { text: 'And for dogs?', weight: 1 },
      { text: 'What does breakfast cost?', weight: 0.5 },
    ]
    expect(search([index], { ...createQuery(''), texts }).map(({ position }) => position)).toEqual([2, 0])
  })

  test('returns nothing for an empty query, an empty index, or scores below the filter', () => {
    const index = createIndex({ hotel: createChunks(hotel), empty: [] })
    expect(search([index], createQuery(''))).toEqual([])
    expect(search([index], createQuery(' ?!… '))).toEqual([])
    expect(search([index], { ...createQuery(''), texts: [] })).toEqual([])
    expect(search([index], createQuery('pool', { topK: 0 }))).toEqual([])
    expect(search([], createQuery('pool'))).toEqual([])
    expect(search([new SearchIndex()], createQuery('pool'))).toEqual([])
    expect(search([index], createQuery('heated pool', { filterScore: 0.7 }))).toEqual([])
    expect(search([index], createQuery('pool', { filterScore: 1 }))).toHaveLength(1)
  })

  test('accepts questions of any length and kind', () => {
    const index = createIndex({ hotel: createChunks(hotel) })
    const long = `${'lorem ipsum dolor sit amet '.repeat(2000)} pool`
    expect(search([index], createQuery(`pool ${long}`))[0]?.position).toBe(1)
    for (const unusual of [
      '\ud800',
      '\0',
      'a'.repeat(100_000),
      `${'a-'.repeat(20_000)}b`,
      '营'.repeat(50_000),
      '1.'.repeat(9000),
    ]) {
      expect(search([index], createQuery(`${unusual} pool`.slice(-8000))).length).toBeLessThanOrEqual(4)
    }
  })
})

describe('duplicate passages', () => {
  test('count once and leave room for others', () => {
    const copies = ['Call us at any time!', 'call  us at any TIME!', 'Call us at any time.', 'Do not call at night.']
    const index = createIndex({ b: createChunks(copies), a: createChunks([copies[0] ?? '', ...copies]) })
    const hits = search([index], createQuery('call', { topK: 3 }))
    expect(hits.map(({ key, position }) => `${key}${position}`)).toEqual(['a0', 'a3', 'a4'])
  })

  test('with one different detail are distinct', () => {
    const texts = ['The X-200 costs €450.', 'The X-300 costs €450.', 'The X-200 costs €4.50.', 'The X-200 costs €540.']
    expect(findTexts(texts, 'What does it cost?')).toHaveLength(4)
  })

  test('breaks ties by key and position', () => {
    const index = createIndex({
      b: createChunks(['red car', 'car red']),
      a: createChunks(['a red car', 'the car red']),
    })
    expect(search([index], createQuery('car')).map(({ key, position }) => `${key}${position}`)).toEqual([
      'b0',
      'b1',
      'a0',
      'a1',
    ])
    const sortedIndex = createIndex({
      b: createChunks(['red car', 'car red']),
      a: createChunks(['car, red', 'red; car']),
    })
    expect(search([sortedIndex], createQuery('car')).map(({ key, position }) => `${key}${position}`)).toEqual([
      'a0',
      'a1',
      'b0',
      'b1',
    ])
  })
})

describe('with vectors', () => {
  const texts = [
    'The pool opens in May.',
    'Cooling off is possible in summer.',
    'Pool tables stand in the bar.',
    'Dogs stay free.',
  ]
  const index = createIndex({ hotel: createChunks(texts) })
  index.setVectors('hotel', [Float32Array.of(0.8, 0.6), Float32Array.of(1, 0), Float32Array.of(-0.6, 0.8), null])
  const vector = Float32Array.of(1, 0)

  test('ranks passages of both rankings first and accepts semantic matches alone', () => {
    const hits = search([index], createQuery('pool', { vector }))
    expect(hits.map(({ position }) => position)).toEqual([0, 2, 1])
    expect(hits[0]?.vectorScore).toBeCloseTo(0.8)
    expect(hits[0]?.score).toBe(1)
    expect(hits[1]).toMatchObject({ vectorScore: 0, score: 1 })
    expect(hits[2]).toMatchObject({ lexicalScore: 0, vectorScore: 1, score: 1 })
  })

  test('finds passages without a vector lexically', () => {
    expect(search([index], createQuery('dogs', { vector, filterScore: 0.9 })).map(({ position }) => position)).toEqual([
      3, 1,
    ])
    expect(
      search([index], createQuery('dogs', { vector })).find(({ position }) => position === 3)?.vectorScore,
    ).toBeNull()
  })

  test('applies the filter to the better of both scores', () => {
    const hits = search([index], createQuery('heated pool', { vector, filterScore: 0.7 }))
    expect(hits.map(({ position }) => position)).toEqual([0, 1])
  })

  test('ignores vectors of another length and uses replaced vectors', () => {
    const changing = createIndex({ hotel: createChunks(texts) })
    changing.setVectors('hotel', [Float32Array.of(1, 0, 0), null, null, null])
    changing.setVectors('unknown', [vector])
    expect(search([changing], createQuery('dogs', { vector })).map(({ position }) => position)).toEqual([3])
    changing.setVectors('hotel', [null, vector, null, null])
    expect(search([changing], createQuery('dogs', { vector })).map(({ position }) => position)).toEqual([3, 1])
    changing.setVectors('hotel', [])
    expect(search([changing], createQuery('dogs', { vector })).map(({ position }) => position)).toEqual([3])
  })

  test('keeps vectors when the index is rebuilt', () => {
    const changing = createIndex({ hotel: createChunks(texts) })
    changing.setVectors('hotel', [null, vector, null, null])
    for (let round = 0; round < 10; round++) {
      changing.add('other', buildSegment(createChunks(Array.from({ length: 100 }, (_, at) => `Passage ${at}`))))
      changing.remove('other')
    }
    expect(search([changing], createQuery('dogs', { vector })).map(({ position }) => position)).toEqual([3, 1])
  })
})
