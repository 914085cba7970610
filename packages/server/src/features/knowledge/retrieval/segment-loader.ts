import type { IndexChange, SegmentParts } from './index-worker.ts'
import { createConcurrencyLimit, type LoadContext } from './index-worker.ts'
import type { IndexedBase, IndexedSource } from './indexed-base.ts'
import { formatSegmentKey } from './indexed-base.ts'
import type { LiveSource, StoredPart } from './retrieval-store.ts'

/** Maximum number of passages per statement. Larger sources are read in parts. */
const BATCH_CHUNKS = 200
const BATCH_SOURCES = 100
/** Passages per rebuilt segment. Small segments do not block searches for long. */
const REBUILD_CHUNKS = 100
/** Maximum number of batches that the thread processes concurrently. */
const MAX_CONCURRENT = 2
/** Maximum number of parts of a prepared index. */
const MAX_PARTS = 64

/**
 * Loads sources into the index. Rebuilds unreadable segments from their passages. Returns the number of sources that were
 * changed or deleted during the load.
 */
export async function loadSegments(
  base: IndexedBase,
  sources: readonly LiveSource[],
  context: LoadContext,
): Promise<number> {
  const pendingBatches = createConcurrencyLimit(MAX_CONCURRENT)
  const unpreparedSources: LiveSource[] = []

  const addSource = (source: LiveSource, segments: IndexedSource['segments']): void => {
    base.sources.set(formatSegmentKey(source), { ...source, segments, hasReadVectors: false, vectorCount: 0 })
    for (const { key } of segments) base.orphanedSegments.delete(key)
  }
  const addBatch = async (batch: readonly LiveSource[], segments: readonly SegmentParts[]): Promise<void> => {
    for (const { key } of segments) base.orphanedSegments.add(key)
    const { unreadable, sizeBytes } = await context.thread.add(base.knowledgeBaseId, segments)
    base.sizeBytes = sizeBytes
    const segmentKeys = new Set(segments.map(({ key }) => key))
    for (const source of batch) {
      const key = formatSegmentKey(source)
      if (segmentKeys.has(key) && !unreadable.includes(key)) addSource(source, [{ key, firstPosition: 0 }])
      else unpreparedSources.push(source)
    }
  }

  for (const batch of groupIntoBatches(sources)) {
    context.throwIfClosed()
    await pendingBatches.add(addBatch(batch, await readSegments(batch, context)))
    await context.yieldIfDue()
  }
  await pendingBatches.finish()
  let staleCount = 0
  for (const source of unpreparedSources) {
    const segments = await rebuildSegments(base, source, context)
    if (segments === null) staleCount += 1
    else addSource(source, segments)
  }
  return staleCount
}

/** Groups small sources into batches. Each large source has its own batch. */
function groupIntoBatches(sources: readonly LiveSource[]): readonly (readonly LiveSource[])[] {
  const batches: LiveSource[][] = []
  let currentBatch: LiveSource[] = []
  let chunkCount = 0
  for (const source of sources) {
    if (source.chunkCount > BATCH_CHUNKS) {
      batches.push([source])
      continue
    }
    if (currentBatch.length === BATCH_SOURCES || chunkCount + source.chunkCount > BATCH_CHUNKS) {
      currentBatch = []
      chunkCount = 0
    }
    if (currentBatch.length === 0) batches.push(currentBatch)
    currentBatch.push(source)
    chunkCount += source.chunkCount
  }
  return batches
}

async function readSegments(batch: readonly LiveSource[], context: LoadContext): Promise<readonly SegmentParts[]> {
  const [first] = batch
  if (first !== undefined && first.chunkCount > BATCH_CHUNKS) return await readLargeSource(first, context)
  const batchKeys = new Set(batch.map((source) => formatSegmentKey(source)))
  const partsByKey = new Map<string, StoredPart[]>()
  for (const part of await context.store.readParts(batch)) {
    const key = formatSegmentKey(part)
    if (!batchKeys.has(key)) continue
    const parts = partsByKey.get(key) ?? []
    partsByKey.set(key, parts)
    parts.push(part)
  }
  return [...partsByKey].map(([key, parts]) => ({ key, parts: parts.map(({ content }) => decodeBase64(content)) }))
}

/** Reads a large source in parts to bound each statement. */
async function readLargeSource(source: LiveSource, context: LoadContext): Promise<readonly SegmentParts[]> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  while (parts.length < MAX_PARTS) {
    context.throwIfClosed()
    const content = await context.store.readPart(source, parts.length)
    if (content === null) break
    parts.push(decodeBase64(content))
    await context.yieldIfDue()
  }
  return parts.length === 0 ? [] : [{ key: formatSegmentKey(source), parts }]
}

/** Decodes base64 into a transferable buffer. */
function decodeBase64(content: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.byteLength(content, 'base64'))
  const byteCount = Buffer.from(bytes.buffer).write(content, 'base64')
  return bytes.subarray(0, byteCount)
}

/** Builds the segments of a source from its passages. Returns null if the passages no longer exist. */
async function rebuildSegments(
  base: IndexedBase,
  source: LiveSource,
  context: LoadContext,
): Promise<IndexedSource['segments'] | null> {
  const { store, thread } = context
  const segments: { key: string; firstPosition: number }[] = []
  for (let firstPosition = 0; firstPosition < source.chunkCount; firstPosition += REBUILD_CHUNKS) {
    context.throwIfClosed()
    const rows = await store.readChunks(source, { from: firstPosition, to: firstPosition + REBUILD_CHUNKS })
    if (rows.length === 0) return segments.length === 0 ? null : segments
    const chunks = rows.map((row) => ({ ...row, headings: JSON.parse(row.headings) as string[] }))
    const key = formatSegmentKey(source, firstPosition)
    base.orphanedSegments.add(key)
    const change: IndexChange = await thread.build(base.knowledgeBaseId, key, chunks)
    base.sizeBytes = change.sizeBytes
    segments.push({ key, firstPosition })
  }
  return segments
}
