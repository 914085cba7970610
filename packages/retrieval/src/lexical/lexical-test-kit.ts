import fc from 'fast-check'
import { type AnalyzedChunk, analyzeChunks, type IndexedChunk } from './analyze-chunks.ts'
import { buildSegment } from './build-segment.ts'
import { computeRarity } from './known-terms.ts'
import { type PlannedWord, planQuery } from './plan-query.ts'
import { computeFieldWeight, TERM_SATURATION } from './score-postings.ts'
import { type IndexHit, type IndexQuery, search } from './search.ts'
import { SearchIndex } from './search-index.ts'

/** The passages of one source. */
export function createChunks(
  texts: readonly string[],
  context: { readonly title?: string; readonly headings?: readonly string[] } = {},
): IndexedChunk[] {
  return texts.map((text, position) => ({ position, title: '', headings: [], text, ...context }))
}

export type Sources = Readonly<Record<string, readonly IndexedChunk[]>>

export function createIndex(sources: Sources): SearchIndex {
  const index = new SearchIndex()
  for (const [key, chunks] of Object.entries(sources)) index.add(key, buildSegment(chunks))
  return index
}

/** A lexical search for one text. */
export function createQuery(text: string, query: Partial<IndexQuery> = {}): IndexQuery {
  return { texts: [{ text, weight: 1 }], vector: null, topK: 10, filterScore: 0, ...query }
}

/** Texts found in one source, best first. */
export function findTexts(texts: readonly string[], question: string, query: Partial<IndexQuery> = {}): string[] {
  const index = createIndex({ source: createChunks(texts) })
  return search([index], createQuery(question, query)).map(({ position }) => texts[position] ?? '')
}

interface NaiveChunk {
  readonly key: string
  readonly chunk: AnalyzedChunk
}

/** Reference implementation: scores every passage for every planned term and sorts. Lexical only. */
export function searchNaively(sources: Sources, query: IndexQuery): Omit<IndexHit, 'index' | 'vectorScore'>[] {
  const chunks = Object.entries(sources).flatMap(([key, own]): NaiveChunk[] =>
    analyzeChunks(own).chunks.map((chunk) => ({ key, chunk })),
  )
  const words = planQuery([createIndex(sources)], query.texts)
  const content = words.filter(({ kind }) => kind === 'content')
  const candidateWords = content.length > 0 ? content : words
  const scoredWords = content.length > 0 && chunks.length > 1000 ? content : words
  const having = (terms: PlannedWord['terms']): number =>
    chunks.filter(({ chunk }) => [...terms.keys()].some((term) => chunk.occurrences.has(term))).length
  const weights = scoredWords.map(
    ({ weight, terms, synonyms }) => weight * computeRarity(having(terms) || having(synonyms), chunks.length),
  )
  const averages = [0, 1, 2].map((field) => {
    const lengths = chunks.map(({ chunk }) => chunk.lengths[field] as number).filter((length) => length > 0)
    return lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1
  })
  const total = scoredWords.reduce((sum, word, at) => sum + (word.isNew ? (weights[at] ?? 0) : 0), 0)
  const ranked = chunks
    .filter(({ chunk }) => candidateWords.some((word) => scoreWord(chunk, word, averages) > 0))
    .map(({ key, chunk }) => {
      const rank = scoredWords.reduce((sum, word, at) => sum + (weights[at] ?? 0) * scoreWord(chunk, word, averages), 0)
      const share = scoredWords.reduce((sum, word, at) => {
        return word.isNew ? sum + (weights[at] ?? 0) * computeWordShare(chunk, word) : sum
      }, 0)
      return { key, chunk, rank, score: Math.min(1, share / (total || 1)) }
    })
    .filter(({ score }) => score >= query.filterScore)
    .sort(
      (left, right) =>
        right.rank - left.rank ||
        (left.key === right.key ? left.chunk.position - right.chunk.position : left.key < right.key ? -1 : 1),
    )
  return ranked
    .filter(({ chunk }, at) => ranked.findIndex((other) => other.chunk.hash.join() === chunk.hash.join()) === at)
    .slice(0, query.topK)
    .map(({ key, chunk, score }) => ({ key, position: chunk.position, score, lexicalScore: score }))
}

function scoreWord(chunk: AnalyzedChunk, { terms, synonyms }: PlannedWord, averages: readonly number[]): number {
  return Math.max(
    0,
    ...[...terms, ...synonyms].map(([term, share]) => {
      const occurrence = chunk.occurrences.get(term)
      if (occurrence === undefined) return 0
      const fields = [occurrence.count, occurrence.inHeadings ? 1 : 0, occurrence.inTitle ? 1 : 0]
      const count = fields.reduce(
        (sum, times, field) =>
          sum + times * computeFieldWeight(field, chunk.lengths[field] as number, averages[field] as number),
        0,
      )
      return (share * (TERM_SATURATION + 1) * count) / (count + TERM_SATURATION)
    }),
  )
}

function computeWordShare(chunk: AnalyzedChunk, { terms, synonyms }: PlannedWord): number {
  return Math.max(0, ...[...terms, ...synonyms].map(([term, share]) => (chunk.occurrences.has(term) ? share : 0)))
}

const WORDS = `the a is what how for and with room rooms booking booked bookings breakfast breakfst price prices tyre
  X-200 X-300 €4.50 €5.40 10:30 check-in checkin check in wifi Wi-Fi Pass Reisepass der die und ist nicht mit Zimmer Frühstück
  habitación habitaciones la el de está abierta chambre réservation le est ouverte 営業時間 お茶 茶 โรงแรม`.split(/\s+/)

const textArbitrary: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' ')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
)

const chunkArbitrary = fc.record({
  title: fc.constantFrom('', 'Price list', 'Zimmer'),
  headings: fc.array(textArbitrary, { maxLength: 2 }),
  text: textArbitrary,
})

/** Small sources that share many words. */
export const sourcesArbitrary: fc.Arbitrary<Sources> = fc.dictionary(
  fc.constantFrom('source_a', 'source_b', 'source_c', 'source_d', 'source_e'),
  fc.array(chunkArbitrary, { maxLength: 6 }).map((chunks) => chunks.map((chunk, position) => ({ ...chunk, position }))),
  { noNullPrototype: true },
)

/** Questions about these sources. */
export const queryArbitrary: fc.Arbitrary<IndexQuery> = fc.record({
  texts: fc.array(fc.record({ text: textArbitrary, weight: fc.constantFrom(1, 0.5) }), { maxLength: 3 }),
  vector: fc.constant(null),
  topK: fc.integer({ min: 0, max: 8 }),
  filterScore: fc.constantFrom(0, 0.3, 0.8),
})
