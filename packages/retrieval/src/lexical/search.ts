import { planQuery } from './plan-query.ts'
import type { WeightedText } from './query-words.ts'
import { listFirstChunks, type QueryScores, scoreQuery } from './score-query.ts'
import type { ChunkLocation, SearchIndex } from './search-index.ts'

export interface IndexQuery {
  /** Texts of the query, newest first. */
  readonly texts: readonly WeightedText[]
  /** Query vector, normalized to length 1, or `null` for a lexical search. */
  readonly vector: Float32Array | null
  readonly topK: number
  /** Minimum score of a hit, from 0 to 1. */
  readonly filterScore: number
}

/** A found passage. */
export interface IndexHit {
  /** Number of the index that contains the passage, in search order. */
  readonly index: number
  readonly key: string
  readonly position: number
  /** The larger of `lexicalScore` and `vectorScore`, from 0 to 1. */
  readonly score: number
  /** Share of the query's total word weight that the passage matches. Similar words count partially. */
  readonly lexicalScore: number
  /** Cosine similarity, at least 0. `null` for passages without a vector and for lexical searches. */
  readonly vectorScore: number | null
}

/** Number of hits of each ranking that are fused. */
const RANKING_DEPTH = 100
/**
 * k of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009); 60 there. Smaller values favor the first hits of a
 * ranking, which suits short lists.
 */
const RANK_FUSION_K = 10
/** Reduces the weight of vector hits if the best lexical hit matches all words, as exact names and numbers do. */
const LEXICAL_PRIORITY = 0.5

/** Searches several indexes as one. Returns hits from best to worst. Ties are ordered by key and position. */
export function search(indexes: readonly SearchIndex[], query: IndexQuery): IndexHit[] {
  if (query.topK < 1) return []
  const scores = scoreQuery(indexes, planQuery(indexes, query.texts))
  const cosines = query.vector === null ? null : computeCosines(indexes, query.vector)
  const locate = createLocator(indexes)
  const getScore = (chunk: number): number => Math.max(scores.shares[chunk] as number, cosines?.[chunk] || 0)
  const depth = cosines === null ? query.topK : Math.max(RANKING_DEPTH, query.topK)
  const lexical = new BestChunks(depth, locate)
  for (const chunk of scores.candidates) {
    if (getScore(chunk) >= query.filterScore) lexical.offer(chunk, scores.ranks[chunk] as number)
  }
  const ranked =
    cosines === null
      ? lexical.list()
      : fuseRankings(lexical, rankByVector(cosines, depth, { locate, getScore, query }), scores)
  return ranked.slice(0, query.topK).map(({ chunk, location: { index, key, position } }) => ({
    index,
    key,
    position,
    score: getScore(chunk),
    ...getScoreParts(chunk, scores, cosines),
  }))
}

function getScoreParts(
  chunk: number,
  scores: QueryScores,
  cosines: Float64Array | null,
): Pick<IndexHit, 'lexicalScore' | 'vectorScore'> {
  const cosine = cosines?.[chunk]
  return {
    lexicalScore: scores.shares[chunk] as number,
    vectorScore: cosine === undefined || Number.isNaN(cosine) ? null : cosine,
  }
}

/** Returns the cosine similarity of each chunk, or NaN for chunks without a vector. */
function computeCosines(indexes: readonly SearchIndex[], vector: Float32Array): Float64Array {
  const firstChunks = listFirstChunks(indexes)
  const cosines = new Float64Array(firstChunks.at(-1) ?? 0).fill(Number.NaN)
  for (const [indexNumber, index] of indexes.entries()) {
    const first = firstChunks[indexNumber] as number
    index.compareVectors(vector, (chunk, cosine) => {
      cosines[first + chunk] = Math.min(1, Math.max(0, cosine))
    })
  }
  return cosines
}

function createLocator(indexes: readonly SearchIndex[]): (chunk: number) => RankedChunk['location'] {
  const firstChunks = listFirstChunks(indexes)
  return (chunk) => {
    const index = firstChunks.findLastIndex((first) => first <= chunk)
    // Empty indexes share their start with the next one, which is last.
    return { index, ...(indexes[index] as SearchIndex).locate(chunk - (firstChunks[index] as number)) }
  }
}

function rankByVector(
  cosines: Float64Array,
  depth: number,
  {
    locate,
    getScore,
    query,
  }: {
    readonly locate: (chunk: number) => RankedChunk['location']
    readonly getScore: (chunk: number) => number
    readonly query: IndexQuery
  },
): BestChunks {
  const ranking = new BestChunks(depth, locate)
  for (let chunk = 0; chunk < cosines.length; chunk++) {
    const cosine = cosines[chunk] as number
    if (cosine > 0 && getScore(chunk) >= query.filterScore) ranking.offer(chunk, cosine)
  }
  return ranking
}

/** Fuses the rankings by reciprocal rank. Of hits with equal text, keeps the lexical one. */
function fuseRankings(
  lexical: BestChunks,
  vectors: BestChunks,
  { shares }: Pick<QueryScores, 'shares'>,
): readonly RankedChunk[] {
  const [first] = lexical.list()
  const lexicalShare = first === undefined ? 0 : (shares[first.chunk] as number)
  const fused = new Map<string, RankedChunk>()
  for (const { ranking, weight } of [
    { ranking: lexical, weight: 1 },
    { ranking: vectors, weight: 1 - LEXICAL_PRIORITY * lexicalShare },
  ]) {
    for (const [rank, ranked] of ranking.list().entries()) {
      const existing = fused.get(ranked.location.hash)
      const value = (existing?.value ?? 0) + weight / (RANK_FUSION_K + rank + 1)
      fused.set(ranked.location.hash, { ...(existing ?? ranked), value })
    }
  }
  return [...fused.values()].sort(compareRanked)
}

/** A chunk with its rank value. */
interface RankedChunk {
  readonly chunk: number
  readonly value: number
  readonly location: ChunkLocation & { readonly index: number }
}

/** Keeps the best chunks, one for each distinct text. Ties are ordered by key and position. */
class BestChunks {
  readonly #limit: number
  readonly #locate: (chunk: number) => RankedChunk['location']
  readonly #chunks: RankedChunk[] = []
  readonly #hashes = new Set<string>()

  constructor(limit: number, locate: (chunk: number) => RankedChunk['location']) {
    this.#limit = limit
    this.#locate = locate
  }

  offer(chunk: number, value: number): void {
    const lastChunk = this.#chunks[this.#chunks.length - 1]
    if (lastChunk !== undefined && this.#chunks.length === this.#limit && value < lastChunk.value) return
    const ranked = { chunk, value, location: this.#locate(chunk) }
    const { hash } = ranked.location
    if (this.#hashes.has(hash)) {
      const duplicateIndex = this.#chunks.findIndex(({ location }) => location.hash === hash)
      if (compareRanked(ranked, this.#chunks[duplicateIndex] as RankedChunk) > 0) return
      this.#chunks.splice(duplicateIndex, 1)
    }
    this.#hashes.add(hash)
    let position = this.#chunks.length
    while (position > 0 && compareRanked(ranked, this.#chunks[position - 1] as RankedChunk) < 0) position--
    this.#chunks.splice(position, 0, ranked)
    if (this.#chunks.length <= this.#limit) return
    const removedChunk = this.#chunks.pop()
    if (removedChunk !== undefined) this.#hashes.delete(removedChunk.location.hash)
  }

  /** Returns the chunks from best to worst. */
  list(): readonly RankedChunk[] {
    return this.#chunks
  }
}

/** Compares two chunks. Returns a negative number if `left` comes first. */
function compareRanked(
  left: Pick<RankedChunk, 'value' | 'location'>,
  right: Pick<RankedChunk, 'value' | 'location'>,
): number {
  if (left.value !== right.value) return right.value - left.value
  if (left.location.key !== right.location.key) return left.location.key < right.location.key ? -1 : 1
  return left.location.position - right.location.position || left.location.index - right.location.index
}
