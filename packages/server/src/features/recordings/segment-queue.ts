import type { Clock } from '@parley/engine/ports'
import type { BlobStore } from '../../kernel/storage/blobs.ts'

/** Writes segments behind the calls that they are from. */
export interface SegmentQueue {
  /** Takes a segment and returns at once. Resolves to whether it is kept; never rejects. */
  add(key: string, bytes: Uint8Array): Promise<boolean>
}

export interface SegmentQueueOptions {
  readonly blobs: Pick<BlobStore, 'put'>
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** What may wait, for all calls together; 64 MiB unless given. */
  readonly maxBytes?: number
}

interface QueuedSegment {
  readonly key: string
  readonly bytes: Uint8Array
  readonly settle: (isStored: boolean) => void
}

const MAX_BYTES = 64 * 1024 * 1024
/** Flushing takes threads that others need too. */
const WRITERS = 2
const RETRIES_MS = [500, 2_000, 5_000]

/** A segment that cannot be written is tried again for some seconds; those behind it only once, until one succeeds. */
export function createSegmentQueue(options: SegmentQueueOptions): SegmentQueue {
  const { blobs, clock, logError, maxBytes = MAX_BYTES } = options
  const queue: QueuedSegment[] = []
  let queuedBytes = 0
  let writers = 0
  let isFailing = false

  async function write(): Promise<void> {
    writers += 1
    for (let segment = queue.shift(); segment !== undefined; segment = queue.shift()) {
      const isStored = await put(segment)
      queuedBytes -= segment.bytes.length
      segment.settle(isStored)
    }
    writers -= 1
  }

  async function put({ key, bytes }: QueuedSegment): Promise<boolean> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await blobs.put(key, bytes)
        isFailing = false
        return true
      } catch (error) {
        const delayMs = isFailing ? undefined : RETRIES_MS[attempt]
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
      queue.push({ key, bytes, settle: resolve })
      queuedBytes += bytes.length
      if (writers < WRITERS) void write()
      return await promise
    },
  }
}
