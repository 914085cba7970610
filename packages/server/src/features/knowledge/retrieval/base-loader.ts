import type { IndexThread, VectorPage } from './index-worker.ts'
import { type LoadContext, limitConcurrency } from './index-worker.ts'
import { findSegmentKey, formatSegmentKey, type IndexedBase, type IndexedSource } from './indexed-base.ts'
import type { LiveSource, PositionWindow, RetrievalStore, StoredVector } from './retrieval-store.ts'
import { loadSegments } from './segment-loader.ts'

/** Vectors per statement, about half a megabyte at common vector sizes. */
const BATCH_VECTORS = 64
const MAX_AHEAD = 2

/** Passages whose vectors are read with one statement. */
interface VectorBatch {
  readonly sources: readonly IndexedSource[]
  readonly window: PositionWindow
  /** Whether this batch completes the vectors of its sources. */
  readonly isLast: boolean
}

/**
 * Loads the vectors of sources into the index, including vectors created earlier. They become searchable with the last batch.
 */
async function loadVectors(
  indexed: IndexedBase,
  sources: readonly IndexedSource[],
  context: LoadContext & { readonly model: string },
): Promise<void> {
  const { store, thread, model, checkOpen, yieldIfDue } = context
  const { knowledgeBaseId } = indexed
  const ahead = limitConcurrency(MAX_AHEAD)
  const counts = new Map<IndexedSource, number>()
  const addPage = async (page: VectorPage): Promise<void> => {
    indexed.sizeBytes = (await thread.addVectors(knowledgeBaseId, page)).sizeBytes
  }
  for (const batch of groupIntoBatches(sources)) {
    checkOpen()
    const rows = await store.readVectors({ knowledgeBaseId, model, ...batch })
    const byKey = new Map(batch.sources.map((source) => [formatSegmentKey(source), source]))
    const found = rows.flatMap((row) => {
      const source = byKey.get(formatSegmentKey(row))
      return source === undefined ? [] : [{ row, source }]
    })
    for (const { source } of found) counts.set(source, (counts.get(source) ?? 0) + 1)
    const complete = batch.isLast ? batch.sources.flatMap(({ segments }) => segments.map(({ key }) => key)) : []
    if (found.length > 0 || complete.length > 0) await ahead.add(addPage(toVectorPage(found, complete)))
    await yieldIfDue()
  }
  await ahead.finish()
  for (const [source, count] of counts) source.vectorCount = count
}

function groupIntoBatches(sources: readonly IndexedSource[]): readonly VectorBatch[] {
  const small: IndexedSource[][] = []
  const large: VectorBatch[] = []
  let remaining = 0
  for (const source of sources) {
    const { chunkCount } = source
    if (chunkCount > BATCH_VECTORS) {
      large.push(...splitIntoWindows(source))
      continue
    }
    if (small.length === 0 || chunkCount > remaining) {
      small.push([])
      remaining = BATCH_VECTORS
    }
    small.at(-1)?.push(source)
    // A source without passages still counts toward the statement's limit.
    remaining -= Math.max(1, chunkCount)
  }
  const window = { from: 0, to: BATCH_VECTORS }
  return [...small.map((batch) => ({ sources: batch, window, isLast: true })), ...large]
}

function splitIntoWindows(source: IndexedSource): readonly VectorBatch[] {
  const count = Math.ceil(source.chunkCount / BATCH_VECTORS)
  return Array.from({ length: count }, (_, index) => ({
    sources: [source],
    window: { from: index * BATCH_VECTORS, to: (index + 1) * BATCH_VECTORS },
    isLast: index === count - 1,
  }))
}

interface FoundVector {
  readonly row: StoredVector
  readonly source: IndexedSource
}

/** Builds a page of vectors. Skips vectors whose length differs from the first one, because they are not comparable. */
function toVectorPage(found: readonly FoundVector[], complete: readonly string[]): VectorPage {
  const width = Float32Array.BYTES_PER_ELEMENT
  const getVectorBytes = ({ row }: FoundVector): number => Buffer.byteLength(row.vector, 'base64')
  const [first] = found
  const sizeBytes = first === undefined ? 0 : getVectorBytes(first)
  const fitting = sizeBytes % width === 0 ? found.filter((vector) => getVectorBytes(vector) === sizeBytes) : []
  const numbers = new Float32Array((sizeBytes / width) * fitting.length)
  const bytes = Buffer.from(numbers.buffer)
  for (const [place, { row }] of fitting.entries()) bytes.write(row.vector, place * sizeBytes, sizeBytes, 'base64')
  const places = fitting.map(({ row: { position }, source }) => ({ key: findSegmentKey(source, position), position }))
  return { dimensions: sizeBytes / width, numbers, places, complete }
}

/** After this many rounds, a constantly changing source is left to the next search. */
const MAX_ROUNDS = 3
/** Interval between checks for missing vectors of a source. */
const VECTOR_PAUSE_MS = 10_000

/**
 * Updates the index to a revision that was read earlier. New content becomes searchable as soon as it is loaded, and deleted
 * content is removed last. Until then, a search may find deleted passages but returns only existing ones.
 */
export async function loadBase(indexed: IndexedBase, revision: number, context: LoadContext): Promise<void> {
  const { store, thread } = context
  let seen = revision
  for (let round = 1; ; round += 1) {
    const live = await readLiveSources(indexed, store)
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
    // The list of sources is older than their segments.
    seen = (await store.readRevision(indexed.knowledgeBaseId)) ?? seen
  }
}

async function readLiveSources(indexed: IndexedBase, store: RetrievalStore): Promise<ReadonlyMap<string, LiveSource>> {
  const sources = await store.listLive(indexed.knowledgeBaseId)
  return new Map(sources.map((source) => [formatSegmentKey(source), source]))
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

/** Loads the vectors of new sources. */
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

/**
 * Whether missing vectors may have been created since the last check. Embedding continues after a source becomes searchable.
 */
export function canHaveVectors(indexed: IndexedBase, nowMs: number): boolean {
  if (indexed.vectorRevision >= indexed.revision || nowMs < indexed.vectorsReadAtMs + VECTOR_PAUSE_MS) return false
  if (findIncompleteSources(indexed).length > 0) return true
  indexed.vectorRevision = indexed.revision
  return false
}

/** Loads vectors that were created after their passages were loaded. */
export async function loadLaterVectors(indexed: IndexedBase, context: LoadContext): Promise<void> {
  const revision = indexed.revision
  await addVectors(indexed, findIncompleteSources(indexed), context)
  indexed.vectorRevision = revision
  indexed.vectorsReadAtMs = context.clock.now()
}

function findIncompleteSources(indexed: IndexedBase): readonly IndexedSource[] {
  return [...indexed.sources.values()].filter(({ chunkCount, vectorCount }) => vectorCount < chunkCount)
}
