import type { Clock, KnowledgeOutcome, KnowledgeRequest } from '@parley/engine/ports'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Embedder, KnowledgeSearches } from '../knowledge-ports.ts'
import { BaseIndexes, RetrievalError } from './base-indexes.ts'
import { IndexThreadLostError, type IndexWorker } from './index-worker.ts'
import { createQueryVectors } from './query-vectors.ts'
import { createRetrievalStore } from './retrieval-store.ts'
import { type SearchRun, searchBases } from './search-bases.ts'

export interface RetrievalOptions {
  readonly database: Pick<Database, 'read'>
  readonly clock: Clock
  /** Null: by words alone. */
  readonly embedder: Embedder | null
  readonly index: IndexWorker
  /** Memory for indexes; those of knowledge bases that were not asked for longest go first. */
  readonly cacheBytes?: number
  /** Of a whole search. What it waited for goes on, so that the next one has it. */
  readonly deadlineMs?: number
  readonly logError: (name: string, error: unknown) => void
}

/** Searches of all workspaces on this node. */
export interface Retrieval extends KnowledgeSearches {
  /** Ends what runs and the thread of the indexes; later searches fail. */
  close(): Promise<void>
}

const CACHE_BYTES = 256 * 1024 * 1024
const DEADLINE_MS = 3_000

const TIMED_OUT = failed(
  'The knowledge bases could not be searched in time. They are being prepared, so that the next question finds them ready.',
)
const CANCELLED = failed('The search was cancelled.')
const INTERNAL_FAILURE = failed('The knowledge bases could not be searched because of a fault of the server.')

function failed(message: string): KnowledgeOutcome {
  return { ok: false, message }
}

/** Searches knowledge bases as they are in the database at that moment, whichever node changed them. */
export function createRetrieval(options: RetrievalOptions): Retrieval {
  const { database, clock, embedder, index, cacheBytes = CACHE_BYTES, deadlineMs = DEADLINE_MS, logError } = options
  const store = createRetrievalStore(database)
  const indexes = new BaseIndexes({ store, clock, worker: index, model: embedder?.model ?? null, cacheBytes, logError })
  const meaning =
    embedder === null ? null : { model: embedder.model, vectors: createQueryVectors({ embedder, clock, logError }) }
  const dependencies = { store, indexes, meaning }

  async function run(searchRun: SearchRun): Promise<KnowledgeOutcome> {
    try {
      return await searchBases(dependencies, searchRun)
    } catch (error) {
      if (!(error instanceof IndexThreadLostError)) throw error
      // The thread died: the next one is filled from the rows.
      return await searchBases(dependencies, searchRun)
    }
  }

  function search(workspaceId: number, request: KnowledgeRequest): Promise<KnowledgeOutcome> {
    return new Promise((resolve) => {
      const stop = new AbortController()
      const settle = (outcome: KnowledgeOutcome): void => {
        stop.abort()
        cancelDeadline()
        request.signal.removeEventListener('abort', onAbort)
        resolve(outcome)
      }
      const onAbort = (): void => settle(CANCELLED)
      const cancelDeadline = clock.after(deadlineMs, () => settle(TIMED_OUT))
      request.signal.addEventListener('abort', onAbort, { once: true })
      if (request.signal.aborted) {
        settle(CANCELLED)
        return
      }
      run({ workspaceId, request, signal: stop.signal }).then(settle, (error: unknown) => {
        if (stop.signal.aborted) return
        if (!(error instanceof RetrievalError)) logError('search of knowledge bases', error)
        settle(error instanceof RetrievalError ? failed(error.message) : INTERNAL_FAILURE)
      })
    })
  }

  return {
    forWorkspace: (workspaceId) => ({ search: (request) => search(workspaceId, request) }),
    close: () => indexes.close(),
  }
}
