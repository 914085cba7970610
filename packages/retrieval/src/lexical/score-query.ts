import { computeRarity, countChunks } from './known-terms.ts'
import type { TermWeights } from './near-terms.ts'
import type { PlannedWord } from './plan-query.ts'
import { FIELDS } from './read-segment.ts'
import type { WordScores } from './score-postings.ts'
import type { SearchIndex } from './search-index.ts'

/** Scores of a query. Chunks are numbered across all indexes. */
export interface QueryScores {
  /** Chunks that match at least one selecting word, in no particular order. */
  readonly candidates: Int32Array
  /** BM25 score of each chunk. */
  readonly ranks: Float64Array
  /** Share of the query's total word weight that each chunk matches, from 0 to 1. */
  readonly shares: Float64Array
}

/** Returns the first chunk number of each index, followed by the total. */
export function listFirstChunks(indexes: readonly SearchIndex[]): number[] {
  const firstChunks = [0]
  for (const index of indexes) firstChunks.push((firstChunks.at(-1) ?? 0) + index.chunkCapacity)
  return firstChunks
}

/** Function words help to rank passages only in small knowledge bases. In larger ones, they would slow down the search. */
const MAX_CHUNKS_FOR_FULL_SCORING = 1000

/** Scores the chunks of all indexes together. */
export function scoreQuery(indexes: readonly SearchIndex[], words: readonly PlannedWord[]): QueryScores {
  const accumulator = new ScoreAccumulator(indexes)
  const contentWords = words.filter(({ kind }) => kind === 'content')
  const functionWords = words.filter(({ kind }) => kind === 'function')
  // Content words select the candidates; function words only rank them.
  for (const word of contentWords.length > 0 ? contentWords : functionWords) accumulator.add(word, true)
  if (contentWords.length > 0 && countChunks(indexes) <= MAX_CHUNKS_FOR_FULL_SCORING)
    for (const word of functionWords) accumulator.add(word, false)
  return accumulator.finish()
}

class ScoreAccumulator {
  readonly #indexes: readonly SearchIndex[]
  readonly #firstChunks: readonly number[]
  readonly #chunkCount: number
  readonly #averageLengths: readonly number[]
  readonly #candidates: Int32Array
  readonly #ranks: Float64Array
  readonly #shares: Float64Array
  readonly #word: WordScores
  #candidateCount = 0
  #totalWeight = 0

  constructor(indexes: readonly SearchIndex[]) {
    this.#indexes = indexes
    this.#firstChunks = listFirstChunks(indexes)
    this.#chunkCount = countChunks(indexes)
    this.#averageLengths = computeAverageLengths(indexes)
    const capacity = this.#firstChunks.at(-1) ?? 0
    this.#candidates = new Int32Array(capacity)
    this.#ranks = new Float64Array(capacity)
    this.#shares = new Float64Array(capacity)
    const [values, shares] = [new Float64Array(capacity), new Float64Array(capacity)]
    this.#word = { values, shares, chunks: new Int32Array(capacity), count: 0 }
  }

  add({ terms, synonyms, weight, isNew }: PlannedWord, addsCandidates: boolean): void {
    const scores = this.#word
    this.#score(terms)
    const frequency = scores.count
    this.#score(synonyms)
    const weightedRarity = weight * computeRarity(frequency || scores.count, this.#chunkCount)
    if (isNew) this.#totalWeight += weightedRarity
    for (let position = 0; position < scores.count; position++) {
      const chunk = scores.chunks[position] as number
      const rank = this.#ranks[chunk] as number
      if (rank > 0 || addsCandidates) {
        if (rank === 0) this.#candidates[this.#candidateCount++] = chunk
        this.#ranks[chunk] = rank + weightedRarity * (scores.values[chunk] as number)
        if (isNew)
          this.#shares[chunk] = (this.#shares[chunk] as number) + weightedRarity * (scores.shares[chunk] as number)
      }
      scores.values[chunk] = 0
      scores.shares[chunk] = 0
    }
    scores.count = 0
  }

  #score(terms: TermWeights): void {
    const scores = this.#word
    for (const [indexNumber, index] of this.#indexes.entries()) {
      const firstChunk = this.#firstChunks[indexNumber] as number
      for (const [term, share] of terms) {
        index.addScores(term, { scores, share, firstChunk, averageLengths: this.#averageLengths })
      }
    }
  }

  finish(): QueryScores {
    const candidates = this.#candidates.subarray(0, this.#candidateCount)
    for (const chunk of candidates) {
      this.#shares[chunk] = Math.min(1, (this.#shares[chunk] as number) / (this.#totalWeight || 1))
    }
    return { candidates, ranks: this.#ranks, shares: this.#shares }
  }
}

/** Computes the average field lengths over the passages in which the field is not empty. */
function computeAverageLengths(indexes: readonly SearchIndex[]): number[] {
  return Array.from({ length: FIELDS }, (_, field) => {
    const words = indexes.reduce((sum, index) => sum + (index.wordCounts[field] as number), 0)
    const chunks = indexes.reduce((sum, index) => sum + (index.fieldCounts[field] as number), 0)
    return words / Math.max(1, chunks) || 1
  })
}
