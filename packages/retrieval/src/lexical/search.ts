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
  /** Index of the hit's index among the searched indexes. */
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
/**
 * How much the semantic ranking loses when the best lexical hit matches everything: words decide about names and
 * numbers.
 */
const LEXICAL_PRIORITY = 0.5

/** Searches several indexes as one. Returns the best hits first; ties are ordered by key and position. */
export function search(indexes: readonly SearchIndex[], query: IndexQuery): IndexHit[] {
  if (query.topK < 1) return []
  const scores = scoreQuery(indexes, planQuery(indexes, query.texts))
  const cosines = query.vector === null ? null : computeCosines(indexes, query.vector)
  const place = createLocator(indexes)
  const scoreOf = (chunk: number): number => Math.max(scores.shares[chunk] as number, cosines?.[chunk] || 0)
  const depth = cosines === null ? query.topK : Math.max(RANKING_DEPTH, query.topK)
  const lexical = new BestChunks(depth, place)
  for (const chunk of scores.candidates) {
    if (scoreOf(chunk) >= query.filterScore) lexical.offer(chunk, scores.ranks[chunk] as number)
  }
  const ranked =
    cosines === null
      ? lexical.all()
      : fuseRankings(lexical, rankVectors(cosines, depth, { place, scoreOf, query }), scores)
  return ranked.slice(0, query.topK).map(({ chunk, place: { index, key, position } }) => ({
    index,
    key,
    position,
    score: scoreOf(chunk),
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

function createLocator(indexes: readonly SearchIndex[]): (chunk: number) => RankedChunk['place'] {
  const firstChunks = listFirstChunks(indexes)
  return (chunk) => {
    const index = firstChunks.findLastIndex((first) => first <= chunk)
    // Empty indexes share their start with the next one, which is last.
    return { index, ...(indexes[index] as SearchIndex).locate(chunk - (firstChunks[index] as number)) }
  }
}

function rankVectors(
  cosines: Float64Array,
  depth: number,
  {
    place,
    scoreOf,
    query,
  }: {
    readonly place: (chunk: number) => RankedChunk['place']
    readonly scoreOf: (chunk: number) => number
    readonly query: IndexQuery
  },
): BestChunks {
  const ranking = new BestChunks(depth, place)
  for (let chunk = 0; chunk < cosines.length; chunk++) {
    const cosine = cosines[chunk] as number
    if (cosine > 0 && scoreOf(chunk) >= query.filterScore) ranking.offer(chunk, cosine)
  }
  return ranking
}

/** Fuses the rankings by reciprocal rank. Among equal texts, keeps the one that matches the words. */
function fuseRankings(
  lexical: BestChunks,
  vectors: BestChunks,
  { shares }: Pick<QueryScores, 'shares'>,
): readonly RankedChunk[] {
  const [first] = lexical.all()
  const lexicalShare = first === undefined ? 0 : (shares[first.chunk] as number)
  const fused = new Map<string, RankedChunk>()
  for (const { ranking, weight } of [
    { ranking: lexical, weight: 1 },
    { ranking: vectors, weight: 1 - LEXICAL_PRIORITY * lexicalShare },
  ]) {
    for (const [rank, ranked] of ranking.all().entries()) {
      const existing = fused.get(ranked.place.hash)
      const value = (existing?.value ?? 0) + weight / (RANK_FUSION_K + rank + 1)
      fused.set(ranked.place.hash, { ...(existing ?? ranked), value })
    }
  }
  return [...fused.values()].sort(compareRanked)
}

/** A chunk with its rank value. */
interface RankedChunk {
  readonly chunk: number
  readonly value: number
  readonly place: ChunkLocation & { readonly index: number }
}

/** Keeps the best chunks, one for each distinct text. Ties are ordered by key and position. */
class BestChunks {
  readonly #limit: number
  readonly #place: (chunk: number) => RankedChunk['place']
  readonly #best: RankedChunk[] = []
  readonly #hashes = new Set<string>()

  constructor(limit: number, place: (chunk: number) => RankedChunk['place']) {
    this.#limit = limit
    this.#place = place
  }

  offer(chunk: number, value: number): void {
    const lastChunk = this.#best[this.#best.length - 1]
    if (lastChunk !== undefined && this.#best.length === this.#limit && value < lastChunk.value) return
    const ranked = { chunk, value, place: this.#place(chunk) }
    const { hash } = ranked.place
    if (this.#hashes.has(hash)) {
      const twin = this.#best.findIndex(({ place }) => place.hash === hash)
      if (compareRanked(ranked, this.#best[twin] as RankedChunk) > 0) return
      this.#best.splice(twin, 1)
    }
    this.#hashes.add(hash)
    let position = this.#best.length
    while (position > 0 && compareRanked(ranked, this.#best[position - 1] as RankedChunk) < 0) position--
    this.#best.splice(position, 0, ranked)
    if (this.#best.length <= this.#limit) return
    const least = this.#best.pop()
    if (least !== undefined) this.#hashes.delete(least.place.hash)
  }

  /** Returns the chunks, best first. */
  all(): readonly RankedChunk[] {
    return this.#best
  }
}

/** Compares two chunks. Returns a negative number if `left` comes first. */
function compareRanked(
  left: Pick<RankedChunk, 'value' | 'place'>,
  right: Pick<RankedChunk, 'value' | 'place'>,
): number {
  if (left.value !== right.value) return right.value - left.value
  if (left.place.key !== right.place.key) return left.place.key < right.place.key ? -1 : 1
  return left.place.position - right.place.position || left.place.index - right.place.index
}
