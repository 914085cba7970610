import { describe, expect, test } from 'vitest'
import { buildSegment } from './build-segment.ts'
import { asked, chunksOf, foundTexts, indexOf } from './lexical-test-kit.ts'
import { search } from './search.ts'
import { SearchIndex } from './search-index.ts'

const hotel = [
  'Breakfast is served from seven to ten. It costs €14.50 for each guest.',
  'The pool is open from May to September.',
  'Dogs up to 15 kg may stay for €12 a night.',
  'Guests can park behind the house for €9 a day.',
]

describe('what is found', () => {
  test('the passage that says it comes first, with the share of the question that it has', () => {
    const hits = search([indexOf({ hotel: chunksOf(hotel) })], asked('When is the pool open?'))
    expect(hits[0]).toMatchObject({ index: 0, key: 'hotel', position: 1, vectorScore: null })
    expect(hits[0]?.score).toBeGreaterThan(0.9)
    expect(hits[0]?.lexicalScore).toBe(hits[0]?.score)
  })

  test('a passage that shares no content word with the question is not found', () => {
    expect(foundTexts(hotel, 'What is the capital of Peru?')).toEqual([])
    expect(foundTexts(hotel, 'pool')).toEqual([hotel[1]])
  })

  test('a word that no passage has takes away from the score', () => {
    const scoreOf = (question: string): number =>
      search([indexOf({ hotel: chunksOf(hotel) })], asked(question))[0]?.score ?? 0
    expect(scoreOf('pool')).toBe(1)
    expect(scoreOf('heated pool')).toBeLessThan(0.6)
    expect(scoreOf('heated outdoor pool')).toBeLessThan(scoreOf('heated pool'))
  })

  test('function words alone find what has them', () => {
    expect(foundTexts(hotel, 'who is it for')).toEqual([hotel[0], hotel[1], hotel[3], hotel[2]].slice(0, 4))
  })

  test('headings and title tell passages with the same words apart', () => {
    const text = 'The battery lasts for a day.'
    const index = indexOf({
      one: chunksOf([text], { title: 'Manual', headings: ['Fennel S', 'Power'] }),
      two: chunksOf([text], { title: 'Manual', headings: ['Fennel L', 'Power'] }),
      three: chunksOf([`${text} Really.`], { title: 'Basil manual', headings: ['Power'] }),
    })
    const first = (question: string): string | undefined => search([index], asked(question))[0]?.key
    expect(first('How long does the battery of the Fennel L last?')).toBe('two')
    expect(first('How long does the battery of the Fennel S last?')).toBe('one')
    expect(first('Basil battery')).toBe('three')
  })

  test('what was said before counts less than what is said now', () => {
    const index = indexOf({ hotel: chunksOf(hotel) })
    const texts = [
      { text: 'And for dogs?', weight: 1 },
      { text: 'What does breakfast cost?', weight: 0.5 },
    ]
    expect(search([index], { ...asked(''), texts }).map(({ position }) => position)).toEqual([2, 0])
  })

  test('nothing is found for nothing, in nothing, and below the filter', () => {
    const index = indexOf({ hotel: chunksOf(hotel), empty: [] })
    expect(search([index], asked(''))).toEqual([])
    expect(search([index], asked(' ?!… '))).toEqual([])
    expect(search([index], { ...asked(''), texts: [] })).toEqual([])
    expect(search([index], asked('pool', { topK: 0 }))).toEqual([])
    expect(search([], asked('pool'))).toEqual([])
    expect(search([new SearchIndex()], asked('pool'))).toEqual([])
    expect(search([index], asked('heated pool', { filterScore: 0.7 }))).toEqual([])
    expect(search([index], asked('pool', { filterScore: 1 }))).toHaveLength(1)
  })

  test('a question of any length and kind is answered', () => {
    const index = indexOf({ hotel: chunksOf(hotel) })
    const long = `${'lorem ipsum dolor sit amet '.repeat(2000)} pool`
    expect(search([index], asked(`pool ${long}`))[0]?.position).toBe(1)
    for (const unusual of [
      '\ud800',
      '\0',
      'a'.repeat(100_000),
      `${'a-'.repeat(20_000)}b`,
      '营'.repeat(50_000),
      '1.'.repeat(9000),
    ]) {
      expect(search([index], asked(`${unusual} pool`.slice(-8000))).length).toBeLessThanOrEqual(4)
    }
  })
})

describe('equal passages', () => {
  test('are found once and leave room for others', () => {
    const copies = ['Call us at any time!', 'call  us at any TIME!', 'Call us at any time.', 'Do not call at night.']
    const index = indexOf({ b: chunksOf(copies), a: chunksOf([copies[0] ?? '', ...copies]) })
    const hits = search([index], asked('call', { topK: 3 }))
    expect(hits.map(({ key, position }) => `${key}${position}`)).toEqual(['a0', 'a3', 'a4'])
  })

  test('one detail makes them different', () => {
    const texts = ['The X-200 costs €450.', 'The X-300 costs €450.', 'The X-200 costs €4.50.', 'The X-200 costs €540.']
    expect(foundTexts(texts, 'What does it cost?')).toHaveLength(4)
  })

  test('ties go by key and position', () => {
    const index = indexOf({ b: chunksOf(['red car', 'car red']), a: chunksOf(['a red car', 'the car red']) })
    expect(search([index], asked('car')).map(({ key, position }) => `${key}${position}`)).toEqual([
      'b0',
      'b1',
      'a0',
      'a1',
    ])
    const same = indexOf({ b: chunksOf(['red car', 'car red']), a: chunksOf(['car, red', 'red; car']) })
    expect(search([same], asked('car')).map(({ key, position }) => `${key}${position}`)).toEqual([
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
  const index = indexOf({ hotel: chunksOf(texts) })
  index.setVectors('hotel', [Float32Array.of(0.8, 0.6), Float32Array.of(1, 0), Float32Array.of(-0.6, 0.8), null])
  const vector = Float32Array.of(1, 0)

  test('passages of both rankings come first, and meaning alone is enough', () => {
    const hits = search([index], asked('pool', { vector }))
    expect(hits.map(({ position }) => position)).toEqual([0, 2, 1])
    expect(hits[0]?.vectorScore).toBeCloseTo(0.8)
    expect(hits[0]?.score).toBe(1)
    expect(hits[1]).toMatchObject({ vectorScore: 0, score: 1 })
    expect(hits[2]).toMatchObject({ lexicalScore: 0, vectorScore: 1, score: 1 })
  })

  test('passages without a vector are found by words', () => {
    expect(search([index], asked('dogs', { vector, filterScore: 0.9 })).map(({ position }) => position)).toEqual([3, 1])
    expect(search([index], asked('dogs', { vector })).find(({ position }) => position === 3)?.vectorScore).toBeNull()
  })

  test('the filter holds for the better of both scores', () => {
    const hits = search([index], asked('heated pool', { vector, filterScore: 0.7 }))
    expect(hits.map(({ position }) => position)).toEqual([0, 1])
  })

  test('vectors of another length do not count, and new ones replace old ones', () => {
    const changing = indexOf({ hotel: chunksOf(texts) })
    changing.setVectors('hotel', [Float32Array.of(1, 0, 0), null, null, null])
    changing.setVectors('unknown', [vector])
    expect(search([changing], asked('dogs', { vector })).map(({ position }) => position)).toEqual([3])
    changing.setVectors('hotel', [null, vector, null, null])
    expect(search([changing], asked('dogs', { vector })).map(({ position }) => position)).toEqual([3, 1])
    changing.setVectors('hotel', [])
    expect(search([changing], asked('dogs', { vector })).map(({ position }) => position)).toEqual([3])
  })

  test('vectors survive the rebuilding of an index', () => {
    const changing = indexOf({ hotel: chunksOf(texts) })
    changing.setVectors('hotel', [null, vector, null, null])
    for (let round = 0; round < 10; round++) {
      changing.add('other', buildSegment(chunksOf(Array.from({ length: 100 }, (_, at) => `Passage ${at}`))))
      changing.remove('other')
    }
    expect(search([changing], asked('dogs', { vector })).map(({ position }) => position)).toEqual([3, 1])
  })
})
