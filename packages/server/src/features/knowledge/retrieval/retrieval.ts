import type { Passage, SearchMode, SourceType } from '@parley/contract/knowledge-passage'
import type { Clock, KnowledgeOutcome, KnowledgeRequest } from '@parley/engine/ports'
import type { IndexHit } from '@parley/retrieval/lexical/search'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Embedder, KnowledgeSearches } from '../knowledge-ports.ts'
import { BaseIndexes, RetrievalError } from './base-indexes.ts'
import { IndexThreadLostError, type IndexWorker } from './index-worker.ts'
import { formatSegmentKey, parseSegmentKey, type SourceGeneration } from './indexed-base.ts'
import { createQueryEmbedder, type QueryEmbedder } from './query-vectors.ts'
import { createRetrievalStore, type RetrievalStore, type StoredPassage } from './retrieval-store.ts'

interface SearchDependencies {
  readonly store: RetrievalStore
  readonly indexes: BaseIndexes
  /** Embedding of queries, or null to search by keywords only. */
  readonly vectorSearch: { readonly model: string; readonly queryEmbedder: QueryEmbedder } | null
}

/** A running search. `signal` cancels the search. */
interface SearchRun {
  readonly workspaceId: number
  readonly request: KnowledgeRequest
  readonly signal: AbortSignal
}

/** Maximum number of knowledge bases per search. Fits in one statement. */
const MAX_BASES = 500

/** Searches the requested knowledge bases. Repeats the search once if a matching passage was changed or deleted. */
async function searchBases(dependencies: SearchDependencies, run: SearchRun): Promise<KnowledgeOutcome> {
  const ids = [...new Set(run.request.knowledgeBaseIds)].slice(0, MAX_BASES)
  if (ids.length === 0) return { ok: true, passages: [], mode: 'lexical', missing: [] }
  for (let canRetry = true; ; canRetry = false) {
    const currentRevisions = await dependencies.store.readRevisions(run.workspaceId, ids)
    const missingIds = ids.filter((id) => !currentRevisions.has(id))
    for (const id of missingIds) await dependencies.indexes.dropDeleted(id)
    const revisions = new Map(ids.flatMap((id) => findRevisionEntry(currentRevisions, id)))
    const { droppedCount, passages, mode } = await searchOnce(dependencies, run, revisions)
    if (droppedCount > 0 && canRetry) continue
    return { ok: true, passages, mode, missing: missingIds }
  }
}

function findRevisionEntry(revisions: ReadonlyMap<string, number>, id: string): readonly (readonly [string, number])[] {
  const revision = revisions.get(id)
  return revision === undefined ? [] : [[id, revision]]
}

async function searchOnce(
  { store, indexes, vectorSearch }: SearchDependencies,
  { workspaceId, request, signal }: SearchRun,
  revisions: ReadonlyMap<string, number>,
): Promise<FoundPassages & { readonly mode: 'lexical' | 'hybrid' }> {
  const ids = [...revisions.keys()]
  // Embeds the query while the indexes load.
  const vectorPromise = readVector(store, ids, { vectorSearch, request, signal })
  vectorPromise.catch(() => undefined)
  const { hits, mode } = await indexes.use(revisions, async (thread) => {
    const vector = await vectorPromise
    signal.throwIfAborted()
    const { query: texts, topK, filterScore } = request
    const foundHits = ids.length === 0 ? [] : await thread.search(ids, { texts, vector, topK, filterScore })
    return { hits: foundHits, mode: vector === null ? ('lexical' as const) : ('hybrid' as const) }
  })
  return { ...(await readFoundPassages(store, workspaceId, { hits, mode })), mode }
}

interface VectorRequest extends Pick<SearchRun, 'request' | 'signal'> {
  readonly vectorSearch: SearchDependencies['vectorSearch']
}

/** Returns the query vector, or null if there are no vectors to compare with. */
async function readVector(
  store: RetrievalStore,
  ids: readonly string[],
  { vectorSearch, request, signal }: VectorRequest,
): Promise<Float32Array | null> {
  if (vectorSearch === null) return null
  const vectorChecks = await Promise.all(ids.map((id) => store.hasVectors(id, vectorSearch.model)))
  return vectorChecks.includes(true) ? await vectorSearch.queryEmbedder.embedQuery(request.query, signal) : null
}

interface FoundPassages {
  readonly passages: readonly Passage[]
  /** Number of matches whose passage was changed or deleted after indexing. */
  readonly droppedCount: number
}

/** Reads the passages of the matches in order. Omits deleted passages. */
async function readFoundPassages(
  store: Pick<RetrievalStore, 'readPassages'>,
  workspaceId: number,
  { hits, mode }: { readonly hits: readonly IndexHit[]; readonly mode: SearchMode },
): Promise<FoundPassages> {
  if (hits.length === 0) return { passages: [], droppedCount: 0 }
  const locations = hits.map(({ key, position, score }) => ({ ...parseSegmentKey(key), position, score }))
  const rows = await store.readPassages(workspaceId, locations)
  const rowsByKey = new Map(rows.map((row) => [formatPassageKey(row), row]))
  const passages = locations.flatMap((location) => {
    const row = rowsByKey.get(formatPassageKey(location))
    return row === undefined ? [] : [toPassage(row, location.score, mode)]
  })
  return { passages, droppedCount: hits.length - passages.length }
}

function formatPassageKey(location: SourceGeneration & { readonly position: number }): string {
  return `${formatSegmentKey(location)}:${location.position}`
}

function toPassage(row: StoredPassage, score: number, mode: SearchMode): Passage {
  const { knowledgeBaseId, sourceId, kind, title, filename, url, page, headings, text } = row
  return {
    knowledgeBaseId,
    sourceId,
    sourceType: kind as SourceType,
    sourceName: title || filename || url || 'Untitled',
    url,
    page,
    headings: JSON.parse(headings),
    text,
    score: Math.round(score * 10_000) / 10_000,
    mode,
  }
}

export interface RetrievalOptions {
  readonly database: Pick<Database, 'read'>
  readonly clock: Clock
  /** Embedding model, or null to use keyword search only. */
  readonly embedder: Embedder | null
  readonly index: IndexWorker
  /** Memory limit for indexes. Evicts the least recently used indexes. */
  readonly cacheBytes?: number
  /** Timeout of a search. Indexes continue to load after the timeout. */
  readonly deadlineMs?: number
  readonly logError: (name: string, error: unknown) => void
}

/** Searches knowledge bases for all workspaces on this node. */
export interface Retrieval extends KnowledgeSearches {
  /** Cancels running work and stops the index thread. Later searches fail. */
  close(): Promise<void>
}

const CACHE_BYTES = 256 * 1024 * 1024
const DEADLINE_MS = 3_000

const TIMEOUT_OUTCOME = toFailedOutcome(
  'The knowledge bases could not be searched in time. They are being prepared for the next question.',
)
const CANCELLED_OUTCOME = toFailedOutcome('The search was cancelled.')
const INTERNAL_ERROR_OUTCOME = toFailedOutcome('The knowledge bases could not be searched because of a server error.')

function toFailedOutcome(message: string): KnowledgeOutcome {
  return { ok: false, message }
}

/** Creates the search of this node. Every search reflects the latest changes made on any node. */
export function createRetrieval(options: RetrievalOptions): Retrieval {
  const { database, clock, embedder, index, cacheBytes = CACHE_BYTES, deadlineMs = DEADLINE_MS, logError } = options
  const store = createRetrievalStore(database)
  const indexes = new BaseIndexes({ store, clock, worker: index, model: embedder?.model ?? null, cacheBytes, logError })
  const vectorSearch =
    embedder === null
      ? null
      : { model: embedder.model, queryEmbedder: createQueryEmbedder({ embedder, clock, logError }) }
  const dependencies = { store, indexes, vectorSearch }

  async function runWithRetry(searchRun: SearchRun): Promise<KnowledgeOutcome> {
    try {
      return await searchBases(dependencies, searchRun)
    } catch (error) {
      if (!(error instanceof IndexThreadLostError)) throw error
      // The thread crashed. The retry loads the indexes into a new thread.
      return await searchBases(dependencies, searchRun)
    }
  }

  function search(workspaceId: number, request: KnowledgeRequest): Promise<KnowledgeOutcome> {
    return new Promise((resolve) => {
      const controller = new AbortController()
      const finish = (outcome: KnowledgeOutcome): void => {
        controller.abort()
        cancelDeadline()
        request.signal.removeEventListener('abort', onAbort)
        resolve(outcome)
      }
      const onAbort = (): void => finish(CANCELLED_OUTCOME)
      const cancelDeadline = clock.after(deadlineMs, () => finish(TIMEOUT_OUTCOME))
      request.signal.addEventListener('abort', onAbort, { once: true })
      if (request.signal.aborted) {
        finish(CANCELLED_OUTCOME)
        return
      }
      runWithRetry({ workspaceId, request, signal: controller.signal }).then(finish, (error: unknown) => {
        if (controller.signal.aborted) return
        if (!(error instanceof RetrievalError)) logError('search knowledge bases', error)
        finish(error instanceof RetrievalError ? toFailedOutcome(error.message) : INTERNAL_ERROR_OUTCOME)
      })
    })
  }

  return {
    forWorkspace: (workspaceId) => ({ search: (request) => search(workspaceId, request) }),
    close: () => indexes.close(),
  }
}
