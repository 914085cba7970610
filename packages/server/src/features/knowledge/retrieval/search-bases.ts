import type { KnowledgeOutcome, KnowledgeRequest } from '@parley/engine/ports'
import type { BaseIndexes } from './base-indexes.ts'
import { type FoundPassages, readFoundPassages } from './found-passages.ts'
import type { QueryVectors } from './query-vectors.ts'
import type { RetrievalStore } from './retrieval-store.ts'

export interface SearchDependencies {
  readonly store: RetrievalStore
  readonly indexes: BaseIndexes
  /** The model whose vectors are stored, and how to ask it; null without one. */
  readonly meaning: { readonly model: string; readonly vectors: QueryVectors } | null
}

/** A search under way; `signal` ends it without a result. */
export interface SearchRun {
  readonly workspaceId: number
  readonly request: KnowledgeRequest
  readonly signal: AbortSignal
}

/** More than any configuration names; a statement takes so many. */
const MOST_BASES = 500

/** Searches the knowledge bases as they are now. Once more when something was found that has changed meanwhile. */
export async function searchBases(dependencies: SearchDependencies, run: SearchRun): Promise<KnowledgeOutcome> {
  const ids = [...new Set(run.request.knowledgeBaseIds)].slice(0, MOST_BASES)
  if (ids.length === 0) return { ok: true, passages: [], mode: 'lexical', missing: [] }
  for (let again = true; ; again = false) {
    const known = await dependencies.store.readRevisions(run.workspaceId, ids)
    const missing = ids.filter((id) => !known.has(id))
    for (const id of missing) await dependencies.indexes.forgetDeleted(id)
    const revisions = new Map(ids.flatMap((id) => revisionOf(known, id)))
    const { dropped, passages, mode } = await searchOnce(dependencies, run, revisions)
    if (dropped > 0 && again) continue
    return { ok: true, passages, mode, missing }
  }
}

function revisionOf(known: ReadonlyMap<string, number>, id: string): readonly (readonly [string, number])[] {
  const revision = known.get(id)
  return revision === undefined ? [] : [[id, revision]]
}

async function searchOnce(
  { store, indexes, meaning }: SearchDependencies,
  { workspaceId, request, signal }: SearchRun,
  revisions: ReadonlyMap<string, number>,
): Promise<FoundPassages & { readonly mode: 'lexical' | 'hybrid' }> {
  const ids = [...revisions.keys()]
  // Asked while the indexes are loaded.
  const asked = readVector(store, ids, { meaning, request, signal })
  asked.catch(() => undefined)
  const { hits, mode } = await indexes.use(revisions, async (thread) => {
    const vector = await asked
    signal.throwIfAborted()
    const { query: texts, topK, filterScore } = request
    const found = ids.length === 0 ? [] : await thread.search(ids, { texts, vector, topK, filterScore })
    return { hits: found, mode: vector === null ? ('lexical' as const) : ('hybrid' as const) }
  })
  return { ...(await readFoundPassages(store, workspaceId, { hits, mode })), mode }
}

interface Question extends Pick<SearchRun, 'request' | 'signal'> {
  readonly meaning: SearchDependencies['meaning']
}

/** Null where nothing can be compared with it. */
async function readVector(
  store: RetrievalStore,
  ids: readonly string[],
  { meaning, request, signal }: Question,
): Promise<Float32Array | null> {
  if (meaning === null) return null
  const stored = await Promise.all(ids.map((id) => store.hasVectors(id, meaning.model)))
  return stored.includes(true) ? await meaning.vectors.vectorOf(request.query, signal) : null
}
