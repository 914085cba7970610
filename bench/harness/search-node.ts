import type { Clock } from '../../packages/engine/src/ports.ts'
import type { IndexThread, IndexWorker } from '../../packages/server/src/features/knowledge/retrieval/index-worker.ts'
import { createRetrieval } from '../../packages/server/src/features/knowledge/retrieval/retrieval.ts'
import { createIndexWorker } from '../../packages/server/src/integrations/retrieval/create-index-worker.ts'
import type { Database } from '../../packages/server/src/kernel/storage/database.ts'
import { VECTOR_EMBEDDER } from './text-vectors.ts'

/** Search deadline. The first search of the largest knowledge base can take longer than a user would wait. */
const DEADLINE_MS = 120_000

export interface SearchNodeOptions {
  readonly database: Pick<Database, 'read'>
  readonly clock: Clock
  readonly withVectors: boolean
}

/** The search service and search thread of a node, with measurements. */
export interface SearchNode {
  /** Returns the matching texts, best first. Throws if the search fails. */
  search(knowledgeBaseId: string, question: string, topK: number): Promise<readonly string[]>
  /** Time between the request to the search thread and its response, for the last search. */
  readonly threadMs: number
  /** Size that the index reports. */
  readonly sizeBytes: number
  close(): Promise<void>
}

export function createSearchNode({ database, clock, withVectors }: SearchNodeOptions): SearchNode {
  const monitored = { threadMs: 0, sizeBytes: 0 }
  const retrieval = createRetrieval({
    database,
    clock,
    embedder: withVectors ? VECTOR_EMBEDDER : null,
    index: monitorWorker(createIndexWorker({ clock }), monitored),
    cacheBytes: 2 ** 31,
    deadlineMs: DEADLINE_MS,
    logError: (name, error) => console.error(name, error),
  })
  return {
    async search(knowledgeBaseId, question, topK) {
      const outcome = await retrieval.forWorkspace(1).search({
        knowledgeBaseIds: [knowledgeBaseId],
        query: [{ text: question, weight: 1 }],
        topK,
        filterScore: 0,
        signal: new AbortController().signal,
      })
      if (!outcome.ok) throw new Error(outcome.message)
      return outcome.passages.map(({ text }) => text)
    },
    get threadMs() {
      return monitored.threadMs
    },
    get sizeBytes() {
      return monitored.sizeBytes
    },
    close: () => retrieval.close(),
  }
}

function monitorWorker(worker: IndexWorker, monitored: { threadMs: number; sizeBytes: number }): IndexWorker {
  return {
    getThread: () => monitorThread(worker.getThread(), monitored),
    close: () => worker.close(),
  }
}

function monitorThread(thread: IndexThread, monitored: { threadMs: number; sizeBytes: number }): IndexThread {
  const recordSize =
    <Args extends unknown[], Result extends { readonly sizeBytes: number }>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await call(...args)
      monitored.sizeBytes = result.sizeBytes
      return result
    }
  return {
    get isLost() {
      return thread.isLost
    },
    add: recordSize((...args) => thread.add(...args)),
    build: recordSize((...args) => thread.build(...args)),
    addVectors: recordSize((...args) => thread.addVectors(...args)),
    remove: recordSize((...args) => thread.remove(...args)),
    drop: (...args) => thread.drop(...args),
    async search(...args) {
      const startedAt = performance.now()
      const hits = await thread.search(...args)
      monitored.threadMs = performance.now() - startedAt
      return hits
    },
  }
}
