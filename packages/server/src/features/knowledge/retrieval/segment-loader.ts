import type { Changed, SegmentParts } from './index-worker.ts'
import type { IndexedBase, IndexedSource } from './indexed-base.ts'
import { type LoadContext, limitConcurrency } from './load-throttling.ts'
import type { LiveSource, StoredPart } from './retrieval-store.ts'
import { segmentKey } from './segment-key.ts'

/** Of sources that are read with one statement; larger ones are read part by part. */
const BATCH_CHUNKS = 200
const BATCH_SOURCES = 100
/** Passages of which one segment is made when the prepared one cannot be used: short enough to hold up no search. */
const REBUILD_CHUNKS = 100
/** Statements are read ahead of the thread, but no more than it can take soon. */
const MAX_AHEAD = 2
/** A prepared index has far fewer; what never ends is not one. */
const MAX_PARTS = 64

/**
 * Puts sources into the index. One whose prepared index cannot be read is indexed from its passages. Returns how many were gone,
 * or read anew, when their turn came.
 */
export async function loadSegments(
  indexed: IndexedBase,
  sources: readonly LiveSource[],
  context: LoadContext,
): Promise<number> {
  const ahead = limitConcurrency(MAX_AHEAD)
  const unprepared: LiveSource[] = []

  const addSource = (source: LiveSource, segments: IndexedSource['segments']): void => {
    indexed.sources.set(segmentKey(source), { ...source, segments, hasReadVectors: false, vectorCount: 0 })
    for (const { key } of segments) indexed.orphanedSegments.delete(key)
  }
  const add = async (batch: readonly LiveSource[], segments: readonly SegmentParts[]): Promise<void> => {
    for (const { key } of segments) indexed.orphanedSegments.add(key)
    const { unreadable, sizeBytes } = await context.thread.add(indexed.knowledgeBaseId, segments)
    indexed.sizeBytes = sizeBytes
    const given = new Set(segments.map(({ key }) => key))
    for (const source of batch) {
      const key = segmentKey(source)
      if (given.has(key) && !unreadable.includes(key)) addSource(source, [{ key, from: 0 }])
      else unprepared.push(source)
    }
  }

  for (const batch of batchesOf(sources)) {
    context.checkOpen()
    await ahead.add(add(batch, await readSegments(batch, context)))
    await context.yieldIfDue()
  }
  await ahead.finish()
  let vanished = 0
  for (const source of unprepared) {
    const segments = await rebuild(indexed, source, context)
    if (segments === null) vanished += 1
    else addSource(source, segments)
  }
  return vanished
}

/** Small sources together, each large one alone. */
function batchesOf(sources: readonly LiveSource[]): readonly (readonly LiveSource[])[] {
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
  if (first !== undefined && first.chunkCount > BATCH_CHUNKS) return await readLarge(first, context)
  const wanted = new Set(batch.map((source) => segmentKey(source)))
  const contents = new Map<string, StoredPart[]>()
  for (const part of await context.store.readParts(batch)) {
    const key = segmentKey(part)
    if (!wanted.has(key)) continue
    const parts = contents.get(key) ?? []
    contents.set(key, parts)
    parts.push(part)
  }
  return [...contents].map(([key, parts]) => ({ key, parts: parts.map(({ content }) => decode(content)) }))
}

/** Part by part: each statement is as large as one of them. */
async function readLarge(source: LiveSource, context: LoadContext): Promise<readonly SegmentParts[]> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  while (parts.length < MAX_PARTS) {
    context.checkOpen()
    const content = await context.store.readPart(source, parts.length)
    if (content === null) break
    parts.push(decode(content))
    await context.yieldIfDue()
  }
  return parts.length === 0 ? [] : [{ key: segmentKey(source), parts }]
}

/** Into memory of its own, which can be given to the thread. */
function decode(content: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.byteLength(content, 'base64'))
  const written = Buffer.from(bytes.buffer).write(content, 'base64')
  return bytes.subarray(0, written)
}

/** Indexes a source from its passages, some at a time; null when they are gone. */
async function rebuild(
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
    const key = segmentKey(source, from)
    indexed.orphanedSegments.add(key)
    const changed: Changed = await thread.build(indexed.knowledgeBaseId, key, chunks)
    indexed.sizeBytes = changed.sizeBytes
    segments.push({ key, from })
  }
  return segments
}
