import type { Clock } from '@parley/engine/ports'
import type { BlobStore } from '../../kernel/storage/blobs.ts'

/** Writes segments in the background. */
export interface SegmentQueue {
  /** Queues a segment and returns immediately. Resolves to whether the segment was stored. Never rejects. */
  add(key: string, bytes: Uint8Array): Promise<boolean>
}

interface SegmentQueueOptions {
  readonly blobs: Pick<BlobStore, 'put'>
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Limit of pending audio for all calls. Defaults to 64 MiB. */
  readonly maxBytes?: number
}

interface QueuedSegment {
  readonly key: string
  readonly bytes: Uint8Array
  readonly resolve: (isStored: boolean) => void
}

const MAX_BYTES = 64 * 1024 * 1024
/** Few writers, because file writes use threads that other work also needs. */
const MAX_WRITERS = 2
const RETRY_DELAYS_MS = [500, 2_000, 5_000]

/**
 * Creates a segment queue. A failed write is retried for several seconds. If all retries fail, later segments are tried only
 * once until a write succeeds.
 */
export function createSegmentQueue(options: SegmentQueueOptions): SegmentQueue {
  const { blobs, clock, logError, maxBytes = MAX_BYTES } = options
  const queue: QueuedSegment[] = []
  let queuedBytes = 0
  let activeWriters = 0
  let isFailing = false

  async function writeSegments(): Promise<void> {
    activeWriters += 1
    for (let segment = queue.shift(); segment !== undefined; segment = queue.shift()) {
      const isStored = await storeSegment(segment)
      queuedBytes -= segment.bytes.length
      segment.resolve(isStored)
    }
    activeWriters -= 1
  }

  async function storeSegment({ key, bytes }: QueuedSegment): Promise<boolean> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await blobs.put(key, bytes)
        isFailing = false
        return true
      } catch (error) {
        const delayMs = isFailing ? undefined : RETRY_DELAYS_MS[attempt]
        if (delayMs === undefined) {
          if (!isFailing) logError('store-recording', error)
          isFailing = true
          return false
        }
        await new Promise<void>((resolve) => clock.after(delayMs, resolve))
      }
    }
  }

  return {
    async add(key, bytes) {
      if (queuedBytes + bytes.length > maxBytes) return false
      const { promise, resolve } = Promise.withResolvers<boolean>()
      queue.push({ key, bytes, resolve })
      queuedBytes += bytes.length
      if (activeWriters < MAX_WRITERS) void writeSegments()
      return await promise
    },
  }
}
