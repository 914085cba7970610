import type { Passage, SearchMode, SourceType } from '@parley/contract/knowledge-passage'
import type { Clock, KnowledgeOutcome, KnowledgeRequest } from '@parley/engine/ports'
import type { IndexHit } from '@parley/retrieval/lexical/search'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Embedder, KnowledgeSearches } from '../knowledge-ports.ts'
import { BaseIndexes, RetrievalError } from './base-indexes.ts'
import { IndexThreadLostError, type IndexWorker } from './index-worker.ts'
import { formatSegmentKey, parseSegmentKey, type SourceGeneration } from './indexed-base.ts'
import { createQueryVectors, type QueryVectors } from './query-vectors.ts'
import { createRetrievalStore, type RetrievalStore, type StoredPassage } from './retrieval-store.ts'

interface SearchDependencies {
  readonly store: RetrievalStore
  readonly indexes: BaseIndexes
  /** Model of the stored vectors and the query vectors, or null if none is configured. */
  readonly semantic: { readonly model: string; readonly vectors: QueryVectors } | null
}

/** A running search. `signal` cancels the search. */
interface SearchRun {
  readonly workspaceId: number
  readonly request: KnowledgeRequest
  readonly signal: AbortSignal
}

/** Larger than any configuration needs and small enough for one statement. */
const MAX_BASES = 500

/** Searches the current knowledge bases. Repeats the search once if a matching passage changed during the search. */
async function searchBases(dependencies: SearchDependencies, run: SearchRun): Promise<KnowledgeOutcome> {
  const ids = [...new Set(run.request.knowledgeBaseIds)].slice(0, MAX_BASES)
  if (ids.length === 0) return { ok: true, passages: [], mode: 'lexical', missing: [] }
  for (let canRetry = true; ; canRetry = false) {
    const knownRevisions = await dependencies.store.readRevisions(run.workspaceId, ids)
    const missing = ids.filter((id) => !knownRevisions.has(id))
    for (const id of missing) await dependencies.indexes.dropDeleted(id)
    const revisions = new Map(ids.flatMap((id) => findRevisionEntry(knownRevisions, id)))
    const { dropped, passages, mode } = await searchOnce(dependencies, run, revisions)
    if (dropped > 0 && canRetry) continue
    return { ok: true, passages, mode, missing }
  }
}

function findRevisionEntry(revisions: ReadonlyMap<string, number>, id: string): readonly (readonly [string, number])[] {
  const revision = revisions.get(id)
  return revision === undefined ? [] : [[id, revision]]
}

async function searchOnce(
  { store, indexes, semantic }: SearchDependencies,
  { workspaceId, request, signal }: SearchRun,
  revisions: ReadonlyMap<string, number>,
): Promise<FoundPassages & { readonly mode: 'lexical' | 'hybrid' }> {
  const ids = [...revisions.keys()]
  // Runs in parallel with loading the indexes.
  const vectorPromise = readVector(store, ids, { semantic, request, signal })
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
  readonly semantic: SearchDependencies['semantic']
}

/** Returns the query vector, or null if there are no vectors to compare with. */
async function readVector(
  store: RetrievalStore,
  ids: readonly string[],
  { semantic, request, signal }: VectorRequest,
): Promise<Float32Array | null> {
  if (semantic === null) return null
  const vectorChecks = await Promise.all(ids.map((id) => store.hasVectors(id, semantic.model)))
  return vectorChecks.includes(true) ? await semantic.vectors.embedQuery(request.query, signal) : null
}

interface FoundPassages {
  readonly passages: readonly Passage[]
  /** Number of matches whose source was deleted or changed after indexing. */
  readonly dropped: number
}

/** Reads the passages of the matches in order. Returns only existing passages. */
async function readFoundPassages(
  store: Pick<RetrievalStore, 'readPassages'>,
  workspaceId: number,
  { hits, mode }: { readonly hits: readonly IndexHit[]; readonly mode: SearchMode },
): Promise<FoundPassages> {
  if (hits.length === 0) return { passages: [], dropped: 0 }
  const locations = hits.map(({ key, position, score }) => ({ ...parseSegmentKey(key), position, score }))
  const rows = await store.readPassages(workspaceId, locations)
  const rowsByKey = new Map(rows.map((row) => [formatPassageKey(row), row]))
  const passages = locations.flatMap((location) => {
    const row = rowsByKey.get(formatPassageKey(location))
    return row === undefined ? [] : [toPassage(row, location.score, mode)]
  })
  return { passages, dropped: hits.length - passages.length }
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
  /** Memory limit for indexes. The least recently used indexes are evicted. */
  readonly cacheBytes?: number
  /** Deadline for a whole search. Its loads continue afterwards, so that the next search benefits. */
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

const TIMED_OUT = toFailedOutcome(
  'The knowledge bases could not be searched in time. They are being prepared for the next question.',
)
const CANCELLED = toFailedOutcome('The search was cancelled.')
const INTERNAL_FAILURE = toFailedOutcome('The knowledge bases could not be searched because of a server error.')

function toFailedOutcome(message: string): KnowledgeOutcome {
  return { ok: false, message }
}

/** Creates the search of this node. Every search reflects the latest changes made on any node. */
export function createRetrieval(options: RetrievalOptions): Retrieval {
  const { database, clock, embedder, index, cacheBytes = CACHE_BYTES, deadlineMs = DEADLINE_MS, logError } = options
  const store = createRetrievalStore(database)
  const indexes = new BaseIndexes({ store, clock, worker: index, model: embedder?.model ?? null, cacheBytes, logError })
  const semantic =
    embedder === null ? null : { model: embedder.model, vectors: createQueryVectors({ embedder, clock, logError }) }
  const dependencies = { store, indexes, semantic }

  async function run(searchRun: SearchRun): Promise<KnowledgeOutcome> {
    try {
      return await searchBases(dependencies, searchRun)
    } catch (error) {
      if (!(error instanceof IndexThreadLostError)) throw error
      // The thread crashed. The next thread loads its content from the database.
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
      const onAbort = (): void => finish(CANCELLED)
      const cancelDeadline = clock.after(deadlineMs, () => finish(TIMED_OUT))
      request.signal.addEventListener('abort', onAbort, { once: true })
      if (request.signal.aborted) {
        finish(CANCELLED)
        return
      }
      run({ workspaceId, request, signal: controller.signal }).then(finish, (error: unknown) => {
        if (controller.signal.aborted) return
        if (!(error instanceof RetrievalError)) logError('search knowledge bases', error)
        finish(error instanceof RetrievalError ? toFailedOutcome(error.message) : INTERNAL_FAILURE)
      })
    })
  }

  return {
    forWorkspace: (workspaceId) => ({ search: (request) => search(workspaceId, request) }),
    close: () => indexes.close(),
  }
}
