import type { Passage, SearchMode, SourceType } from '@parley/contract/knowledge-passage'
import type { IndexHit } from '@parley/engine/knowledge/lexical/search'
import type { RetrievalStore, StoredPassage } from './retrieval-store.ts'
import { readSegmentKey, type SourceGeneration, segmentKey } from './segment-key.ts'

export interface FoundPassages {
  readonly passages: readonly Passage[]
  /** Hits whose source was deleted or read anew since it was indexed. */
  readonly dropped: number
}

/** Reads what was found, in the order of the hits. Only what still exists is shown. */
export async function readFoundPassages(
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
