import type { VectorPage } from './index-worker.ts'
import { type IndexedBase, type IndexedSource, segmentOf } from './indexed-base.ts'
import { type LoadContext, limitConcurrency } from './load-throttling.ts'
import type { PositionWindow, StoredVector } from './retrieval-store.ts'
import { segmentKey } from './segment-key.ts'

/** Vectors that are read with one statement: half a megabyte of common ones. */
const BATCH_VECTORS = 64
const MAX_AHEAD = 2

/** Passages whose vectors are read with one statement. */
interface VectorBatch {
  readonly sources: readonly IndexedSource[]
  readonly window: PositionWindow
  /** Whether all vectors of the sources are read with it. */
  readonly isLast: boolean
}

/** Puts the vectors of sources into the index, those of earlier times included: they count from their last one on. */
export async function loadVectors(
  indexed: IndexedBase,
  sources: readonly IndexedSource[],
  context: LoadContext & { readonly model: string },
): Promise<void> {
  const { store, thread, model, checkOpen, yieldIfDue } = context
  const { knowledgeBaseId } = indexed
  const ahead = limitConcurrency(MAX_AHEAD)
  const counts = new Map<IndexedSource, number>()
  const take = async (page: VectorPage): Promise<void> => {
    indexed.sizeBytes = (await thread.addVectors(knowledgeBaseId, page)).sizeBytes
  }
  for (const batch of batchesOf(sources)) {
    checkOpen()
    const rows = await store.readVectors({ knowledgeBaseId, model, ...batch })
    const byKey = new Map(batch.sources.map((source) => [segmentKey(source), source]))
    const found = rows.flatMap((row) => {
      const source = byKey.get(segmentKey(row))
      return source === undefined ? [] : [{ row, source }]
    })
    for (const { source } of found) counts.set(source, (counts.get(source) ?? 0) + 1)
    const complete = batch.isLast ? batch.sources.flatMap(({ segments }) => segments.map(({ key }) => key)) : []
    if (found.length > 0 || complete.length > 0) await ahead.add(take(toPage(found, complete)))
    await yieldIfDue()
  }
  await ahead.finish()
  for (const [source, count] of counts) source.vectorCount = count
}

function batchesOf(sources: readonly IndexedSource[]): readonly VectorBatch[] {
  const small: IndexedSource[][] = []
  const large: VectorBatch[] = []
  let remaining = 0
  for (const source of sources) {
    const { chunkCount } = source
    if (chunkCount > BATCH_VECTORS) {
      large.push(...windowsOf(source))
      continue
    }
    if (small.length === 0 || chunkCount > remaining) {
      small.push([])
      remaining = BATCH_VECTORS
    }
    small.at(-1)?.push(source)
    // One without passages still takes its place in a statement.
    remaining -= Math.max(1, chunkCount)
  }
  const window = { from: 0, to: BATCH_VECTORS }
  return [...small.map((batch) => ({ sources: batch, window, isLast: true })), ...large]
}

function windowsOf(source: IndexedSource): readonly VectorBatch[] {
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

/** Vectors of another length than the first one cannot be compared with it: they are left out. */
function toPage(found: readonly FoundVector[], complete: readonly string[]): VectorPage {
  const width = Float32Array.BYTES_PER_ELEMENT
  const sizeOf = ({ row }: FoundVector): number => Buffer.byteLength(row.vector, 'base64')
  const [first] = found
  const sizeBytes = first === undefined ? 0 : sizeOf(first)
  const fitting = sizeBytes % width === 0 ? found.filter((one) => sizeOf(one) === sizeBytes) : []
  const numbers = new Float32Array((sizeBytes / width) * fitting.length)
  const bytes = Buffer.from(numbers.buffer)
  for (const [place, { row }] of fitting.entries()) bytes.write(row.vector, place * sizeBytes, sizeBytes, 'base64')
  const places = fitting.map(({ row: { position }, source }) => ({ key: segmentOf(source, position), position }))
  return { dimensions: sizeBytes / width, numbers, places, complete }
}
