import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import { buildSegment } from '@parley/retrieval/lexical/build-segment'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import { type IndexHit, search } from '@parley/retrieval/lexical/search'
import { SearchIndex } from '@parley/retrieval/lexical/search-index'
import { type LabeledQuestion, type LabeledSet, passageKey } from './labeled-set.ts'
import { createPlainBm25 } from './plain-bm25.ts'

/** How far down a ranking is looked. */
const RANKING_DEPTH = 10
const RECIPROCAL_RANK_DEPTH = 5

/** How well a search did on a set, 0 to 1 each. */
export interface Quality {
  readonly questions: number
  /** Mean of 1 / the rank of the first right passage among the first five. */
  readonly reciprocalRank: number
  readonly recallAt1: number
  readonly recallAt5: number
  readonly recallAt10: number
  /**
   * The chance that the best score of an answerable question exceeds that of an unanswerable one; `null` for sets without
   * unanswerable questions.
   */
  readonly separation: number | null
}

/** What a search finds: keys of passages, best first, and the best passage's score where it has one. */
export interface Ranking {
  readonly keys: readonly string[]
  readonly score: number
}

/** Measures a search that ranks passages for a question. */
export async function measureQuality(
  { questions }: LabeledSet,
  rank: (question: LabeledQuestion) => Ranking | Promise<Ranking>,
): Promise<Quality> {
  const ranks: number[] = []
  const scores: { answerable: number[]; unanswerable: number[] } = { answerable: [], unanswerable: [] }
  for (const question of questions) {
    const { keys, score } = await rank(question)
    if (question.right.size === 0) scores.unanswerable.push(score)
    else {
      scores.answerable.push(score)
      ranks.push(keys.findIndex((key) => question.right.has(key)) + 1)
    }
  }
  const ratioFoundWithin = (depth: number): number => mean(ranks.map((place) => (place > 0 && place <= depth ? 1 : 0)))
  return {
    questions: ranks.length,
    reciprocalRank: mean(ranks.map((place) => (place > 0 && place <= RECIPROCAL_RANK_DEPTH ? 1 / place : 0))),
    recallAt1: ratioFoundWithin(1),
    recallAt5: ratioFoundWithin(5),
    recallAt10: ratioFoundWithin(RANKING_DEPTH),
    separation: scores.unanswerable.length === 0 ? null : separationOf(scores.answerable, scores.unanswerable),
  }
}

/** What an embedding model knows of a set. */
export interface SetVectors {
  /** By source. */
  readonly ofPassages: ReadonlyMap<string, readonly (Float32Array | null)[]>
  readonly ofQuery: (texts: readonly WeightedText[]) => Promise<Float32Array | null>
}

/** The search of knowledge bases over a set, by words and, with `vectors`, by meaning as well. */
export function rankByEngine(set: LabeledSet, vectors?: SetVectors): (question: LabeledQuestion) => Promise<Ranking> {
  const index = new SearchIndex()
  for (const { key, passages } of set.sources) {
    index.add(key, buildSegment(passages))
    const own = vectors?.ofPassages.get(key)
    if (own !== undefined) index.setVectors(key, own)
  }
  return async ({ messages }) => {
    const texts = buildQuery(messages)
    const vector = vectors === undefined ? null : await vectors.ofQuery(texts)
    return rankingOf(search([index], { texts, vector, topK: RANKING_DEPTH, filterScore: 0 }))
  }
}

function rankingOf(hits: readonly IndexHit[]): Ranking {
  return {
    keys: hits.map(({ key, position }) => passageKey(key, position)),
    score: Math.max(0, ...hits.map(({ score }) => score)),
  }
}

/** Plain BM25 over the same passages; a dialogue is asked with all of its turns. */
export function rankByPlainBm25(set: LabeledSet): (question: LabeledQuestion) => Ranking {
  const find = createPlainBm25(
    set.sources.flatMap(({ key, passages }) =>
      passages.map(({ position, title, headings, text }) => {
        return { key: passageKey(key, position), text: [title, ...headings, text].join('\n') }
      }),
    ),
  )
  return ({ messages }) => ({ keys: find(messages.map(({ content }) => content).join('\n'), RANKING_DEPTH), score: 0 })
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
}

function separationOf(answerable: readonly number[], unanswerable: readonly number[]): number {
  const wins = answerable.map((score) =>
    mean(unanswerable.map((other) => (score > other ? 1 : score === other ? 0.5 : 0))),
  )
  return mean(wins)
}
