import type { IndexThread } from './index-worker.ts'
import type { IndexedBase, IndexedSource } from './indexed-base.ts'
import type { LoadContext } from './load-throttling.ts'
import type { LiveSource, RetrievalStore } from './retrieval-store.ts'
import { segmentKey } from './segment-key.ts'
import { loadSegments } from './segment-loader.ts'
import { loadVectors } from './vector-loader.ts'

/** A source that changes again and again is left to the next search after this many looks. */
const MAX_ROUNDS = 3
/** How often sources are asked again whether missing vectors have come. */
const VECTOR_PAUSE_MS = 10_000

/**
 * Brings what is held up to a revision that was read before. What is new is searched as soon as it is there, what is gone is
 * taken out at the end: until then a search finds what it found before, and no more is shown of it than what still exists.
 */
export async function loadBase(indexed: IndexedBase, revision: number, context: LoadContext): Promise<void> {
  const { store, thread } = context
  let seen = revision
  for (let round = 1; ; round += 1) {
    const live = await readLive(indexed, store)
    const added = [...live].flatMap(([key, source]) => (indexed.sources.has(key) ? [] : [source]))
    const vanished = await loadSegments(indexed, added, context)
    const unread = [...indexed.sources.values()].filter(({ hasReadVectors }) => !hasReadVectors)
    if (unread.length > 0) await addVectors(indexed, unread, context)
    if (vanished === 0 || round === MAX_ROUNDS) {
      await removeDeleted(indexed, live, thread)
      if (indexed.revision === -1) {
        indexed.vectorRevision = seen
        indexed.vectorsReadAtMs = context.clock.now()
      }
      indexed.revision = seen
      return
    }
    // Overtaken: the list of sources was of another time than their segments.
    seen = (await store.readRevision(indexed.knowledgeBaseId)) ?? seen
  }
}

async function readLive(indexed: IndexedBase, store: RetrievalStore): Promise<ReadonlyMap<string, LiveSource>> {
  const sources = await store.listLive(indexed.knowledgeBaseId)
  return new Map(sources.map((source) => [segmentKey(source), source]))
}

async function removeDeleted(
  indexed: IndexedBase,
  live: ReadonlyMap<string, LiveSource>,
  thread: IndexThread,
): Promise<void> {
  const deletedSources = [...indexed.sources].filter(([key]) => !live.has(key))
  const keys = [
    ...deletedSources.flatMap(([, { segments }]) => segments.map(({ key }) => key)),
    ...indexed.orphanedSegments,
  ]
  if (keys.length === 0) return
  const { sizeBytes } = await thread.remove(indexed.knowledgeBaseId, keys)
  indexed.sizeBytes = sizeBytes
  for (const [key] of deletedSources) indexed.sources.delete(key)
  indexed.orphanedSegments.clear()
}

/** Those of sources that have just come. */
async function addVectors(
  indexed: IndexedBase,
  sources: readonly IndexedSource[],
  context: LoadContext,
): Promise<void> {
  const { model, store } = context
  if (model !== null && (await store.hasVectors(indexed.knowledgeBaseId, model))) {
    await loadVectors(indexed, sources, { ...context, model })
  }
  for (const source of sources) source.hasReadVectors = true
}

/** Whether vectors that were missing may have come: embedding goes on after a source can be found. */
export function canHaveVectors(indexed: IndexedBase, nowMs: number): boolean {
  if (indexed.vectorRevision >= indexed.revision || nowMs < indexed.vectorsReadAtMs + VECTOR_PAUSE_MS) return false
  if (incompleteOf(indexed).length > 0) return true
  indexed.vectorRevision = indexed.revision
  return false
}

/** Loads vectors that came after their passages. */
export async function loadLaterVectors(indexed: IndexedBase, context: LoadContext): Promise<void> {
  const revision = indexed.revision
  await addVectors(indexed, incompleteOf(indexed), context)
  indexed.vectorRevision = revision
  indexed.vectorsReadAtMs = context.clock.now()
}

function incompleteOf(indexed: IndexedBase): readonly IndexedSource[] {
  return [...indexed.sources.values()].filter(({ chunkCount, vectorCount }) => vectorCount < chunkCount)
}
