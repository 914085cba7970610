import type { IndexThread, VectorPage } from './index-worker.ts'
import { createConcurrencyLimit, type LoadContext } from './index-worker.ts'
import { findSegmentKey, formatSegmentKey, type IndexedBase, type IndexedSource } from './indexed-base.ts'
import type { LiveSource, PositionWindow, RetrievalStore, StoredVector } from './retrieval-store.ts'
import { loadSegments } from './segment-loader.ts'

/** Vectors per statement, about half a megabyte at common vector sizes. */
const BATCH_VECTORS = 64
const MAX_CONCURRENT = 2

/** Passages whose vectors are read in one statement. */
interface VectorBatch {
  readonly sources: readonly IndexedSource[]
  readonly window: PositionWindow
  /** Whether this batch completes the vectors of its sources. */
  readonly isLast: boolean
}

/** Loads the vectors of sources into the index. They become searchable with the last batch. */
async function loadVectors(
  base: IndexedBase,
  sources: readonly IndexedSource[],
  context: LoadContext & { readonly model: string },
): Promise<void> {
  const { store, thread, model, throwIfClosed, yieldIfDue } = context
  const { knowledgeBaseId } = base
  const pendingPages = createConcurrencyLimit(MAX_CONCURRENT)
  const counts = new Map<IndexedSource, number>()
  const addPage = async (page: VectorPage): Promise<void> => {
    base.sizeBytes = (await thread.addVectors(knowledgeBaseId, page)).sizeBytes
  }
  for (const batch of groupIntoBatches(sources)) {
    throwIfClosed()
    const rows = await store.readVectors({ knowledgeBaseId, model, ...batch })
    const sourcesByKey = new Map(batch.sources.map((source) => [formatSegmentKey(source), source]))
    const foundVectors = rows.flatMap((row) => {
      const source = sourcesByKey.get(formatSegmentKey(row))
      return source === undefined ? [] : [{ row, source }]
    })
    for (const { source } of foundVectors) counts.set(source, (counts.get(source) ?? 0) + 1)
    const completeKeys = batch.isLast ? batch.sources.flatMap(({ segments }) => segments.map(({ key }) => key)) : []
    if (foundVectors.length > 0 || completeKeys.length > 0)
      await pendingPages.add(addPage(toVectorPage(foundVectors, completeKeys)))
    await yieldIfDue()
  }
  await pendingPages.finish()
  for (const [source, count] of counts) source.vectorCount = count
}

function groupIntoBatches(sources: readonly IndexedSource[]): readonly VectorBatch[] {
  const smallBatches: IndexedSource[][] = []
  const largeBatches: VectorBatch[] = []
  let remainingVectors = 0
  for (const source of sources) {
    const { chunkCount } = source
    if (chunkCount > BATCH_VECTORS) {
      largeBatches.push(...splitIntoWindows(source))
      continue
    }
    if (smallBatches.length === 0 || chunkCount > remainingVectors) {
      smallBatches.push([])
      remainingVectors = BATCH_VECTORS
    }
    smallBatches.at(-1)?.push(source)
    // A source without passages still counts toward the statement's limit.
    remainingVectors -= Math.max(1, chunkCount)
  }
  const window = { from: 0, to: BATCH_VECTORS }
  return [...smallBatches.map((batch) => ({ sources: batch, window, isLast: true })), ...largeBatches]
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
function toVectorPage(foundVectors: readonly FoundVector[], completeKeys: readonly string[]): VectorPage {
  const bytesPerNumber = Float32Array.BYTES_PER_ELEMENT
  const getVectorBytes = ({ row }: FoundVector): number => Buffer.byteLength(row.vector, 'base64')
  const [firstVector] = foundVectors
  const sizeBytes = firstVector === undefined ? 0 : getVectorBytes(firstVector)
  const comparableVectors =
    sizeBytes % bytesPerNumber === 0 ? foundVectors.filter((vector) => getVectorBytes(vector) === sizeBytes) : []
  const values = new Float32Array((sizeBytes / bytesPerNumber) * comparableVectors.length)
  const bytes = Buffer.from(values.buffer)
  for (const [index, { row }] of comparableVectors.entries())
    bytes.write(row.vector, index * sizeBytes, sizeBytes, 'base64')
  const locations = comparableVectors.map(({ row: { position }, source }) => ({
    key: findSegmentKey(source, position),
    position,
  }))
  return { dimensions: sizeBytes / bytesPerNumber, values, locations, completeKeys }
}

/** Maximum number of rounds. The next search loads sources that are still changing. */
const MAX_ROUNDS = 3
/** Minimum interval between checks for missing vectors. */
const VECTOR_CHECK_INTERVAL_MS = 10_000

/**
 * Updates the index to at least the given revision. New content becomes searchable as soon as it is loaded, and deleted content
 * is removed last. Searches omit deleted passages that are still in the index.
 */
export async function loadBase(base: IndexedBase, revision: number, context: LoadContext): Promise<void> {
  const { store, thread } = context
  let latestRevision = revision
  for (let round = 1; ; round += 1) {
    const liveSources = await readLiveSources(base, store)
    const newSources = [...liveSources].flatMap(([key, source]) => (base.sources.has(key) ? [] : [source]))
    const staleCount = await loadSegments(base, newSources, context)
    const sourcesWithoutVectors = [...base.sources.values()].filter(({ hasReadVectors }) => !hasReadVectors)
    if (sourcesWithoutVectors.length > 0) await addVectors(base, sourcesWithoutVectors, context)
    if (staleCount === 0 || round === MAX_ROUNDS) {
      await removeDeleted(base, liveSources, thread)
      if (base.revision === -1) {
        base.vectorRevision = latestRevision
        base.vectorsReadAtMs = context.clock.now()
      }
      base.revision = latestRevision
      return
    }
    // Sources changed during the load, so the next round reads them again.
    latestRevision = (await store.readRevision(base.knowledgeBaseId)) ?? latestRevision
  }
}

async function readLiveSources(base: IndexedBase, store: RetrievalStore): Promise<ReadonlyMap<string, LiveSource>> {
  const sources = await store.listLiveSources(base.knowledgeBaseId)
  return new Map(sources.map((source) => [formatSegmentKey(source), source]))
}

async function removeDeleted(
  base: IndexedBase,
  liveSources: ReadonlyMap<string, LiveSource>,
  thread: IndexThread,
): Promise<void> {
  const deletedSources = [...base.sources].filter(([key]) => !liveSources.has(key))
  const keys = [
    ...deletedSources.flatMap(([, { segments }]) => segments.map(({ key }) => key)),
    ...base.orphanedSegments,
  ]
  if (keys.length === 0) return
  const { sizeBytes } = await thread.remove(base.knowledgeBaseId, keys)
  base.sizeBytes = sizeBytes
  for (const [key] of deletedSources) base.sources.delete(key)
  base.orphanedSegments.clear()
}

/** Loads the vectors of new sources. */
async function addVectors(base: IndexedBase, sources: readonly IndexedSource[], context: LoadContext): Promise<void> {
  const { model, store } = context
  if (model !== null && (await store.hasVectors(base.knowledgeBaseId, model))) {
    await loadVectors(base, sources, { ...context, model })
  }
  for (const source of sources) source.hasReadVectors = true
}

/** Whether vectors may have been created since the last check. */
export function shouldLoadVectors(base: IndexedBase, nowMs: number): boolean {
  if (base.vectorRevision >= base.revision || nowMs < base.vectorsReadAtMs + VECTOR_CHECK_INTERVAL_MS) return false
  if (findIncompleteSources(base).length > 0) return true
  base.vectorRevision = base.revision
  return false
}

/** Loads vectors that were created after their passages were loaded. */
export async function loadNewVectors(base: IndexedBase, context: LoadContext): Promise<void> {
  const revision = base.revision
  await addVectors(base, findIncompleteSources(base), context)
  base.vectorRevision = revision
  base.vectorsReadAtMs = context.clock.now()
}

function findIncompleteSources(base: IndexedBase): readonly IndexedSource[] {
  return [...base.sources.values()].filter(({ chunkCount, vectorCount }) => vectorCount < chunkCount)
}
