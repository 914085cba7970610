import type { HeldBase, HeldSource } from './held-base.ts'
import type { IndexThread } from './index-worker.ts'
import type { LoadContext } from './load-pace.ts'
import type { LiveSource, RetrievalStore } from './retrieval-store.ts'
import { segmentKey } from './segment-key.ts'
import { loadSegments } from './segment-loader.ts'
import { loadVectors } from './vector-loader.ts'

/** A source that changes again and again is left to the next search after this many looks. */
const MOST_ROUNDS = 3
/** How often sources are asked again whether missing vectors have come. */
const VECTOR_PAUSE_MS = 10_000

/**
 * Brings what is held up to a revision that was read before. What is new is searched as soon as it is there, what is gone is
 * taken out at the end: until then a search finds what it found before, and no more is shown of it than what still exists.
 */
export async function loadBase(held: HeldBase, revision: number, context: LoadContext): Promise<void> {
  const { store, thread } = context
  let seen = revision
  for (let round = 1; ; round += 1) {
    const live = await readLive(held, store)
    const added = [...live].flatMap(([key, source]) => (held.sources.has(key) ? [] : [source]))
    const vanished = await loadSegments(held, added, context)
    const unread = [...held.sources.values()].filter(({ hasReadVectors }) => !hasReadVectors)
    if (unread.length > 0) await addVectors(held, unread, context)
    if (vanished === 0 || round === MOST_ROUNDS) {
      await removeGone(held, live, thread)
      if (held.revision === -1) {
        held.vectorRevision = seen
        held.vectorsReadAtMs = context.clock.now()
      }
      held.revision = seen
      return
    }
    // Overtaken: the list of sources was of another time than their segments.
    seen = (await store.readRevision(held.knowledgeBaseId)) ?? seen
  }
}

async function readLive(held: HeldBase, store: RetrievalStore): Promise<ReadonlyMap<string, LiveSource>> {
  const sources = await store.listLive(held.knowledgeBaseId)
  return new Map(sources.map((source) => [segmentKey(source), source]))
}

async function removeGone(held: HeldBase, live: ReadonlyMap<string, LiveSource>, thread: IndexThread): Promise<void> {
  const gone = [...held.sources].filter(([key]) => !live.has(key))
  const keys = [...gone.flatMap(([, { segments }]) => segments.map(({ key }) => key)), ...held.stray]
  if (keys.length === 0) return
  const { sizeBytes } = await thread.remove(held.knowledgeBaseId, keys)
  held.sizeBytes = sizeBytes
  for (const [key] of gone) held.sources.delete(key)
  held.stray.clear()
}

/** Those of sources that have just come. */
async function addVectors(held: HeldBase, sources: readonly HeldSource[], context: LoadContext): Promise<void> {
  const { model, store } = context
  if (model !== null && (await store.hasVectors(held.knowledgeBaseId, model))) {
    await loadVectors(held, sources, { ...context, model })
  }
  for (const source of sources) source.hasReadVectors = true
}

/** Whether vectors that were missing may have come: embedding goes on after a source can be found. */
export function mayHaveVectors(held: HeldBase, nowMs: number): boolean {
  if (held.vectorRevision >= held.revision || nowMs < held.vectorsReadAtMs + VECTOR_PAUSE_MS) return false
  if (incompleteOf(held).length > 0) return true
  held.vectorRevision = held.revision
  return false
}

/** Loads vectors that came after their passages. */
export async function loadLaterVectors(held: HeldBase, context: LoadContext): Promise<void> {
  const revision = held.revision
  await addVectors(held, incompleteOf(held), context)
  held.vectorRevision = revision
  held.vectorsReadAtMs = context.clock.now()
}

function incompleteOf(held: HeldBase): readonly HeldSource[] {
  return [...held.sources.values()].filter(({ chunkCount, vectorCount }) => vectorCount < chunkCount)
}
