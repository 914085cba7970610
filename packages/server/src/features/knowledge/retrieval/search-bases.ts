import type { Passage, SearchMode, SourceType } from '@parley/contract/knowledge-passage'
import type { KnowledgeOutcome, KnowledgeRequest } from '@parley/engine/ports'
import type { IndexHit } from '@parley/retrieval/lexical/search'
import type { BaseIndexes } from './base-indexes.ts'
import type { QueryVectors } from './query-vectors.ts'
import type { RetrievalStore, StoredPassage } from './retrieval-store.ts'
import { readSegmentKey, type SourceGeneration, segmentKey } from './segment-key.ts'

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
const MAX_BASES = 500

/** Searches the knowledge bases as they are now. Once more when something was found that has changed meanwhile. */
export async function searchBases(dependencies: SearchDependencies, run: SearchRun): Promise<KnowledgeOutcome> {
  const ids = [...new Set(run.request.knowledgeBaseIds)].slice(0, MAX_BASES)
  if (ids.length === 0) return { ok: true, passages: [], mode: 'lexical', missing: [] }
  for (let again = true; ; again = false) {
    const known = await dependencies.store.readRevisions(run.workspaceId, ids)
    const missing = ids.filter((id) => !known.has(id))
    for (const id of missing) await dependencies.indexes.dropDeleted(id)
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

interface FoundPassages {
  readonly passages: readonly Passage[]
  /** Hits whose source was deleted or read anew since it was indexed. */
  readonly dropped: number
}

/** Reads what was found, in the order of the hits. Only what still exists is shown. */
async function readFoundPassages(
  store: Pick<RetrievalStore, 'readPassages'>,
  workspaceId: number,
  { hits, mode }: { readonly hits: readonly IndexHit[]; readonly mode: SearchMode },
): Promise<FoundPassages> {
  if (hits.length === 0) return { passages: [], dropped: 0 }
  const places = hits.map(({ key, position, score }) => ({ ...readSegmentKey(key), position, score }))
  const rows = await store.readPassages(workspaceId, places)
  const byPlace = new Map(rows.map((row) => [placeOf(row), row]))
  const passages = places.flatMap((place) => {
    const row = byPlace.get(placeOf(place))
    return row === undefined ? [] : [toPassage(row, place.score, mode)]
  })
  return { passages, dropped: hits.length - passages.length }
}

function placeOf(place: SourceGeneration & { readonly position: number }): string {
  return `${segmentKey(place)}:${place.position}`
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
