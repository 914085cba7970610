import { BestChunks, compareRanked, type RankedChunk } from './best-chunks.ts'
import { planQuery } from './plan-query.ts'
import type { WeightedText } from './query-words.ts'
import { firstChunksOf, type QueryScores, scoreQuery } from './score-query.ts'
import type { SearchIndex } from './search-index.ts'

/** What is searched for. */
export interface IndexQuery {
  /** Newest first. */
  readonly texts: readonly WeightedText[]
  /** Of the query, of length 1; `null` searches by words alone. */
  readonly vector: Float32Array | null
  readonly topK: number
  /** 0 to 1: hits below it are left out. */
  readonly filterScore: number
}

/** A passage that was found. */
export interface IndexHit {
  /** Which of the indexes. */
  readonly index: number
  readonly key: string
  readonly position: number
  /** 0 to 1: the larger of the next two. */
  readonly score: number
  /** The share of the question's weight (rarity of its words) that the passage has; words like them count in part. */
  readonly lexicalScore: number
  /** The cosine, negative ones as 0; `null` for passages without a vector and searches by words alone. */
  readonly vectorScore: number | null
}

/** How many of each ranking are fused. */
const RANKING_DEPTH = 100
/**
 * Of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009): how little the first places differ. Theirs is 60; with short
 * lists that are good at the top, such as these, a passage that both rank in the middle must not come before either's first.
 */
const RANK_FUSION_K = 10
/** What the ranking by meaning loses beside words that say all that was asked: names and numbers are theirs to tell apart. */
const LEXICAL_PRIORITY = 0.5

/** Searches several indexes as if they were one. Best first; ties by key and position, so that the answer is the same everywhere. */
export function search(indexes: readonly SearchIndex[], query: IndexQuery): IndexHit[] {
  if (query.topK < 1) return []
  const scores = scoreQuery(indexes, planQuery(indexes, query.texts))
  const cosines = query.vector === null ? null : cosinesOf(indexes, query.vector)
  const place = placesOf(indexes)
  const scoreOf = (chunk: number): number => Math.max(scores.shares[chunk] as number, cosines?.[chunk] || 0)
  const depth = cosines === null ? query.topK : Math.max(RANKING_DEPTH, query.topK)
  const lexical = new BestChunks(depth, place)
  for (const chunk of scores.candidates) {
    if (scoreOf(chunk) >= query.filterScore) lexical.offer(chunk, scores.ranks[chunk] as number)
  }
  const best =
    cosines === null ? lexical.all() : fuse(lexical, rankVectors(cosines, depth, { place, scoreOf, query }), scores)
  return best.slice(0, query.topK).map(({ chunk, place: { index, key, position } }) => ({
    index,
    key,
    position,
    score: scoreOf(chunk),
    ...partsOf(chunk, scores, cosines),
  }))
}

function partsOf(
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

/** By chunk; NaN for those without a vector. */
function cosinesOf(indexes: readonly SearchIndex[], vector: Float32Array): Float64Array {
  const firstChunks = firstChunksOf(indexes)
  const cosines = new Float64Array(firstChunks.at(-1) ?? 0).fill(Number.NaN)
  for (const [at, index] of indexes.entries()) {
    const first = firstChunks[at] as number
    index.compareVectors(vector, (chunk, cosine) => {
      cosines[first + chunk] = Math.min(1, Math.max(0, cosine))
    })
  }
  return cosines
}

function placesOf(indexes: readonly SearchIndex[]): (chunk: number) => RankedChunk['place'] {
  const firstChunks = firstChunksOf(indexes)
  return (chunk) => {
    const index = firstChunks.findLastIndex((first) => first <= chunk)
    // Indexes without chunks begin where the next one does, which comes later.
    return { index, ...(indexes[index] as SearchIndex).place(chunk - (firstChunks[index] as number)) }
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

/** What stands high in one ranking or well in both comes first. Of equal texts the one that fits the words is taken. */
function fuse(
  lexical: BestChunks,
  vectors: BestChunks,
  { shares }: Pick<QueryScores, 'shares'>,
): readonly RankedChunk[] {
  const [first] = lexical.all()
  const said = first === undefined ? 0 : (shares[first.chunk] as number)
  const fused = new Map<string, RankedChunk>()
  for (const { ranking, weight } of [
    { ranking: lexical, weight: 1 },
    { ranking: vectors, weight: 1 - LEXICAL_PRIORITY * said },
  ]) {
    for (const [rank, ranked] of ranking.all().entries()) {
      const known = fused.get(ranked.place.hash)
      const value = (known?.value ?? 0) + weight / (RANK_FUSION_K + rank + 1)
      fused.set(ranked.place.hash, { ...(known ?? ranked), value })
    }
  }
  return [...fused.values()].sort(compareRanked)
}
