import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import { buildSegment } from '@parley/retrieval/lexical/build-segment'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import { type IndexHit, search } from '@parley/retrieval/lexical/search'
import { SearchIndex } from '@parley/retrieval/lexical/search-index'
import { type LabeledQuestion, type LabeledSet, toPassageKey } from './labeled-set.ts'
import { createPlainBm25 } from './plain-bm25.ts'

/** Maximum rank that counts. */
const RANKING_DEPTH = 10
const RECIPROCAL_RANK_DEPTH = 5

/** Search quality on a set. All values are between 0 and 1. */
export interface Quality {
  readonly questions: number
  /** Mean of 1 / rank of the first correct passage among the first five results. */
  readonly reciprocalRank: number
  readonly recallAt1: number
  readonly recallAt5: number
  readonly recallAt10: number
  /**
   * Probability that the best score of an answerable question is higher than the best score of an unanswerable question; `null`
   * for sets without unanswerable questions.
   */
  readonly separation: number | null
}

/** Search results: passage keys, best first, and the score of the best passage if available. */
export interface Ranking {
  readonly keys: readonly string[]
  readonly score: number
}

/** Measures a search that ranks passages for a question. */
export async function measureQuality(
  { questions }: LabeledSet,
  rankPassages: (question: LabeledQuestion) => Ranking | Promise<Ranking>,
): Promise<Quality> {
  const ranks: number[] = []
  const scores: { answerable: number[]; unanswerable: number[] } = { answerable: [], unanswerable: [] }
  for (const question of questions) {
    const { keys, score } = await rankPassages(question)
    if (question.correctKeys.size === 0) scores.unanswerable.push(score)
    else {
      scores.answerable.push(score)
      ranks.push(keys.findIndex((key) => question.correctKeys.has(key)) + 1)
    }
  }
  const calculateRecall = (depth: number): number =>
    calculateMean(ranks.map((position) => (position > 0 && position <= depth ? 1 : 0)))
  return {
    questions: ranks.length,
    reciprocalRank: calculateMean(
      ranks.map((position) => (position > 0 && position <= RECIPROCAL_RANK_DEPTH ? 1 / position : 0)),
    ),
    recallAt1: calculateRecall(1),
    recallAt5: calculateRecall(5),
    recallAt10: calculateRecall(RANKING_DEPTH),
    separation: scores.unanswerable.length === 0 ? null : calculateSeparation(scores.answerable, scores.unanswerable),
  }
}

/** Vectors of a set from an embedding model. */
export interface SetVectors {
  /** Vectors by source. */
  readonly passageVectors: ReadonlyMap<string, readonly (Float32Array | null)[]>
  readonly embedQuery: (texts: readonly WeightedText[]) => Promise<Float32Array | null>
}

/** Creates a knowledge base search over a set: by keywords, and also by meaning if `vectors` are available. */
export function createEngineRanking(
  set: LabeledSet,
  vectors?: SetVectors,
): (question: LabeledQuestion) => Promise<Ranking> {
  const index = new SearchIndex()
  for (const { key, passages } of set.sources) {
    index.add(key, buildSegment(passages))
    const sourceVectors = vectors?.passageVectors.get(key)
    if (sourceVectors !== undefined) index.setVectors(key, sourceVectors)
  }
  return async ({ messages }) => {
    const texts = buildQuery(messages)
    const vector = vectors === undefined ? null : await vectors.embedQuery(texts)
    return toRanking(search([index], { texts, vector, topK: RANKING_DEPTH, filterScore: 0 }))
  }
}

function toRanking(hits: readonly IndexHit[]): Ranking {
  return {
    keys: hits.map(({ key, position }) => toPassageKey(key, position)),
    score: Math.max(0, ...hits.map(({ score }) => score)),
  }
}

/** Creates a plain BM25 search over the same passages. For a dialogue, the query contains all turns. */
export function createBm25Ranking(set: LabeledSet): (question: LabeledQuestion) => Ranking {
  const searchBm25 = createPlainBm25(
    set.sources.flatMap(({ key, passages }) =>
      passages.map(({ position, title, headings, text }) => {
        return { key: toPassageKey(key, position), text: [title, ...headings, text].join('\n') }
      }),
    ),
  )
  return ({ messages }) => ({
    keys: searchBm25(messages.map(({ content }) => content).join('\n'), RANKING_DEPTH),
    score: 0,
  })
}

function calculateMean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
}

function calculateSeparation(answerable: readonly number[], unanswerable: readonly number[]): number {
  const wins = answerable.map((score) =>
    calculateMean(unanswerable.map((otherScore) => (score > otherScore ? 1 : score === otherScore ? 0.5 : 0))),
  )
  return calculateMean(wins)
}
