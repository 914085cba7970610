import type { Changed, SegmentParts } from './index-worker.ts'
import { type LoadContext, limitConcurrency } from './index-worker.ts'
import type { IndexedBase, IndexedSource } from './indexed-base.ts'
import { formatSegmentKey } from './indexed-base.ts'
import type { LiveSource, StoredPart } from './retrieval-store.ts'

/** Maximum number of passages read with one statement. Larger sources are read in parts. */
const BATCH_CHUNKS = 200
const BATCH_SOURCES = 100
/** Passages per rebuilt segment. Small segments do not block searches. */
const REBUILD_CHUNKS = 100
/** Statements that are read ahead of the thread. */
const MAX_AHEAD = 2
/** Larger than any prepared index. Bounds the work for damaged data. */
const MAX_PARTS = 64

/**
 * Loads sources into the index. Indexes a source from its passages if its prepared index is unreadable. Returns how many
 * sources were deleted or changed during the load.
 */
export async function loadSegments(
  indexed: IndexedBase,
  sources: readonly LiveSource[],
  context: LoadContext,
): Promise<number> {
  const ahead = limitConcurrency(MAX_AHEAD)
  const unprepared: LiveSource[] = []

  const addSource = (source: LiveSource, segments: IndexedSource['segments']): void => {
    indexed.sources.set(formatSegmentKey(source), { ...source, segments, hasReadVectors: false, vectorCount: 0 })
    for (const { key } of segments) indexed.orphanedSegments.delete(key)
  }
  const add = async (batch: readonly LiveSource[], segments: readonly SegmentParts[]): Promise<void> => {
    for (const { key } of segments) indexed.orphanedSegments.add(key)
    const { unreadable, sizeBytes } = await context.thread.add(indexed.knowledgeBaseId, segments)
    indexed.sizeBytes = sizeBytes
    const segmentKeys = new Set(segments.map(({ key }) => key))
    for (const source of batch) {
      const key = formatSegmentKey(source)
      if (segmentKeys.has(key) && !unreadable.includes(key)) addSource(source, [{ key, from: 0 }])
      else unprepared.push(source)
    }
  }

  for (const batch of groupIntoBatches(sources)) {
    context.checkOpen()
    await ahead.add(add(batch, await readSegments(batch, context)))
    await context.yieldIfDue()
  }
  await ahead.finish()
  let vanished = 0
  for (const source of unprepared) {
    const segments = await rebuildSegments(indexed, source, context)
    if (segments === null) vanished += 1
    else addSource(source, segments)
  }
  return vanished
}

/** Groups small sources into batches. Large sources get separate batches. */
function groupIntoBatches(sources: readonly LiveSource[]): readonly (readonly LiveSource[])[] {
  const batches: LiveSource[][] = []
  let open: LiveSource[] = []
  let chunks = 0
  for (const source of sources) {
    if (source.chunkCount > BATCH_CHUNKS) {
      batches.push([source])
      continue
    }
    if (open.length === BATCH_SOURCES || chunks + source.chunkCount > BATCH_CHUNKS) {
      open = []
      chunks = 0
    }
    if (open.length === 0) batches.push(open)
    open.push(source)
    chunks += source.chunkCount
  }
  return batches
}

async function readSegments(batch: readonly LiveSource[], context: LoadContext): Promise<readonly SegmentParts[]> {
  const [first] = batch
  if (first !== undefined && first.chunkCount > BATCH_CHUNKS) return await readLargeSource(first, context)
  const batchKeys = new Set(batch.map((source) => formatSegmentKey(source)))
  const contents = new Map<string, StoredPart[]>()
  for (const part of await context.store.readParts(batch)) {
    const key = formatSegmentKey(part)
    if (!batchKeys.has(key)) continue
    const parts = contents.get(key) ?? []
    contents.set(key, parts)
    parts.push(part)
  }
  return [...contents].map(([key, parts]) => ({ key, parts: parts.map(({ content }) => decodeBase64(content)) }))
}

/** Reads a large source in parts to bound each statement. */
async function readLargeSource(source: LiveSource, context: LoadContext): Promise<readonly SegmentParts[]> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  while (parts.length < MAX_PARTS) {
    context.checkOpen()
    const content = await context.store.readPart(source, parts.length)
    if (content === null) break
    parts.push(decodeBase64(content))
    await context.yieldIfDue()
  }
  return parts.length === 0 ? [] : [{ key: formatSegmentKey(source), parts }]
}

/** Decodes base64 into a separate buffer, which can be transferred. */
function decodeBase64(content: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.byteLength(content, 'base64'))
  const written = Buffer.from(bytes.buffer).write(content, 'base64')
  return bytes.subarray(0, written)
}

/** Indexes a source from its passages in batches. Returns null if the passages no longer exist. */
async function rebuildSegments(
  indexed: IndexedBase,
  source: LiveSource,
  context: LoadContext,
): Promise<IndexedSource['segments'] | null> {
  const { store, thread } = context
  const segments: { key: string; from: number }[] = []
  for (let from = 0; from < source.chunkCount; from += REBUILD_CHUNKS) {
    context.checkOpen()
    const rows = await store.readChunks(source, { from, to: from + REBUILD_CHUNKS })
    if (rows.length === 0) return segments.length === 0 ? null : segments
    const chunks = rows.map((row) => ({ ...row, headings: JSON.parse(row.headings) as string[] }))
    const key = formatSegmentKey(source, from)
    indexed.orphanedSegments.add(key)
    const changed: Changed = await thread.build(indexed.knowledgeBaseId, key, chunks)
    indexed.sizeBytes = changed.sizeBytes
    segments.push({ key, from })
  }
  return segments
}
