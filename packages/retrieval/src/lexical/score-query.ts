import type { TermWeights } from './find-near-terms.ts'
import { chunkCountOf } from './known-terms.ts'
import type { PlannedWord } from './plan-query.ts'
import { rarity } from './rarity.ts'
import { FIELDS } from './read-segment.ts'
import type { WordScores } from './score-postings.ts'
import type { SearchIndex } from './search-index.ts'

/** What chunks got for a question; they are numbered over all indexes, one index after another. */
export interface QueryScores {
  /** Those that share a word with it that counts, in no particular order. */
  readonly candidates: Int32Array
  /** BM25 of each chunk. */
  readonly ranks: Float64Array
  /** The share of the question's weight that each chunk has, 0 to 1. */
  readonly shares: Float64Array
}

/** Numbers that the chunks of each index begin at, and at the end how many there are. */
export function firstChunksOf(indexes: readonly SearchIndex[]): number[] {
  const first = [0]
  for (const index of indexes) first.push((first.at(-1) ?? 0) + index.chunkCapacity)
  return first
}

/** Function words tell passages of small knowledge bases apart; in larger ones they cost time and tell nothing. */
const MAX_CHUNKS_FOR_FULL_SCORING = 1000

/** Scores all chunks of the indexes, as if these were one. */
export function scoreQuery(indexes: readonly SearchIndex[], words: readonly PlannedWord[]): QueryScores {
  const accumulator = new ScoreAccumulator(indexes)
  const content = words.filter(({ kind }) => kind === 'content')
  const others = words.filter(({ kind }) => kind === 'function')
  // Content words first: only what has one of them is looked at for the others.
  for (const word of content.length > 0 ? content : others) accumulator.add(word, true)
  if (content.length > 0 && chunkCountOf(indexes) <= MAX_CHUNKS_FOR_FULL_SCORING)
    for (const word of others) accumulator.add(word, false)
  return accumulator.finish()
}

/** The scores of a question under way. */
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
    this.#firstChunks = firstChunksOf(indexes)
    this.#chunkCount = chunkCountOf(indexes)
    this.#averageLengths = averageLengthsOf(indexes)
    const space = this.#firstChunks.at(-1) ?? 0
    this.#candidates = new Int32Array(space)
    this.#ranks = new Float64Array(space)
    this.#shares = new Float64Array(space)
    const [values, shares] = [new Float64Array(space), new Float64Array(space)]
    this.#word = { values, shares, chunks: new Int32Array(space), count: 0 }
  }

  /** `finds`: chunks become candidates by having the word. */
  add({ terms, related, weight, isNew }: PlannedWord, addsCandidates: boolean): void {
    const scores = this.#word
    this.#score(terms)
    const frequency = scores.count
    this.#score(related)
    const weightedRarity = weight * rarity(frequency || scores.count, this.#chunkCount)
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
    for (const [at, index] of this.#indexes.entries()) {
      const firstChunk = this.#firstChunks[at] as number
      for (const [term, share] of terms) {
        index.score(term, { scores, share, firstChunk, averageLengths: this.#averageLengths })
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

/** Of the passages that have any words there. */
function averageLengthsOf(indexes: readonly SearchIndex[]): number[] {
  return Array.from({ length: FIELDS }, (_, field) => {
    const words = indexes.reduce((sum, index) => sum + (index.wordCounts[field] as number), 0)
    const chunks = indexes.reduce((sum, index) => sum + (index.fieldCounts[field] as number), 0)
    return words / Math.max(1, chunks) || 1
  })
}
