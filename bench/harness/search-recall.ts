import { searchNaively } from '../../packages/retrieval/src/lexical/lexical-test-kit.ts'
import type { Database } from '../../packages/server/src/kernel/storage/database.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import type { BenchSource } from './knowledge-corpus.ts'
import { createSearchNode } from './search-node.ts'
import { dot, vectorOf } from './text-vectors.ts'

const TOP_K = 10

export interface Recall {
  readonly questions: number
  /** Share of what holding every passage against the question finds, formula and limit the same. */
  readonly words: number
  /** The same of the nearest by exact cosine, asked without any known word. */
  readonly vectors: number
}

/** Holds what searches find, ten passages each, against what a scan of everything finds. */
export async function measureRecall(
  database: Database,
  base: { readonly id: string; readonly sources: readonly BenchSource[] },
  questions: readonly string[],
): Promise<Recall> {
  const measureSequentially = async (
    withVectors: boolean,
    expected: (question: string) => readonly string[],
    queryVector = questions,
  ) => {
    const node = createSearchNode({ database, clock: systemClock, withVectors })
    try {
      const shares: number[] = []
      for (const question of queryVector) {
        shares.push(shareOf(expected(question), await node.search(base.id, question, TOP_K)))
      }
      return shares.reduce((sum, share) => sum + share, 0) / shares.length
    } finally {
      await node.close()
    }
  }
  // Numbers are never taken for others that are like them.
  const unknown = questions.map((_, at) => String(10 ** 12 + at))
  return {
    questions: questions.length,
    words: await measureSequentially(false, (question) => scanWords(base.sources, question)),
    vectors: await measureSequentially(true, (question) => scanVectors(base.sources, question), unknown),
  }
}

function shareOf(expected: readonly string[], found: readonly string[]): number {
  if (expected.length === 0) return found.length === 0 ? 1 : 0
  return expected.filter((text) => found.includes(text)).length / expected.length
}

function scanWords(sources: readonly BenchSource[], question: string): readonly string[] {
  const byKey = Object.fromEntries(sources.map(({ sourceId, chunks }) => [sourceId, chunks]))
  const query = { texts: [{ text: question, weight: 1 }], vector: null, topK: TOP_K, filterScore: 0 }
  return searchNaively(byKey, query).map(({ key, position }) => byKey[key]?.[position]?.text ?? '')
}

function scanVectors(sources: readonly BenchSource[], question: string): readonly string[] {
  const queryVector = vectorOf(question)
  return sources
    .flatMap(({ chunks }) => chunks.map(({ text }) => ({ text, cosine: dot(queryVector, vectorOf(text)) })))
    .toSorted((one, two) => two.cosine - one.cosine)
    .slice(0, TOP_K)
    .map(({ text }) => text)
}
