import { searchNaively } from '../../packages/retrieval/src/lexical/lexical-test-kit.ts'
import type { Database } from '../../packages/server/src/kernel/storage/database.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import type { BenchSource } from './knowledge-corpus.ts'
import { createSearchNode } from './search-node.ts'
import { calculateDotProduct, createVector } from './text-vectors.ts'

const TOP_K = 10

export interface Recall {
  readonly questions: number
  /** Recall by keywords, compared with scoring every passage with the same formula and limit. */
  readonly words: number
  /** Recall by exact cosine similarity, for queries without any known word. */
  readonly vectors: number
}

/** Compares search results, ten passages per question, with the results of a full scan. */
export async function measureRecall(
  database: Database,
  base: { readonly id: string; readonly sources: readonly BenchSource[] },
  questions: readonly string[],
): Promise<Recall> {
  const calculateRecall = async (
    withVectors: boolean,
    findExpected: (question: string) => readonly string[],
    queries = questions,
  ) => {
    const node = createSearchNode({ database, clock: systemClock, withVectors })
    try {
      const shares: number[] = []
      for (const question of queries) {
        shares.push(calculateShare(findExpected(question), await node.search(base.id, question, TOP_K)))
      }
      return shares.reduce((sum, share) => sum + share, 0) / shares.length
    } finally {
      await node.close()
    }
  }
  // Unknown numbers never match other words, so that only vectors count.
  const unknownQueries = questions.map((_, index) => String(10 ** 12 + index))
  return {
    questions: questions.length,
    words: await calculateRecall(false, (question) => scanWords(base.sources, question)),
    vectors: await calculateRecall(true, (question) => scanVectors(base.sources, question), unknownQueries),
  }
}

function calculateShare(expected: readonly string[], results: readonly string[]): number {
  if (expected.length === 0) return results.length === 0 ? 1 : 0
  return expected.filter((text) => results.includes(text)).length / expected.length
}

function scanWords(sources: readonly BenchSource[], question: string): readonly string[] {
  const chunksByKey = Object.fromEntries(sources.map(({ sourceId, chunks }) => [sourceId, chunks]))
  const query = { texts: [{ text: question, weight: 1 }], vector: null, topK: TOP_K, filterScore: 0 }
  return searchNaively(chunksByKey, query).map(({ key, position }) => chunksByKey[key]?.[position]?.text ?? '')
}

function scanVectors(sources: readonly BenchSource[], question: string): readonly string[] {
  const queryVector = createVector(question)
  return sources
    .flatMap(({ chunks }) =>
      chunks.map(({ text }) => ({ text, cosine: calculateDotProduct(queryVector, createVector(text)) })),
    )
    .toSorted((a, b) => b.cosine - a.cosine)
    .slice(0, TOP_K)
    .map(({ text }) => text)
}
