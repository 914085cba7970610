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
  readonly mostBytes?: number
}

interface Waiting {
  readonly key: string
  readonly bytes: Uint8Array
  readonly settle: (isKept: boolean) => void
}

const MOST_BYTES = 64 * 1024 * 1024
/** Flushing takes threads that others need too. */
const WRITERS = 2
const RETRIES_MS = [500, 2_000, 5_000]

/** A segment that cannot be written is tried again for some seconds; those behind it only once, until one succeeds. */
export function createSegmentQueue(options: SegmentQueueOptions): SegmentQueue {
  const { blobs, clock, logError, mostBytes = MOST_BYTES } = options
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let writers = 0
  let isFailing = false

  async function write(): Promise<void> {
    writers += 1
    for (let segment = waiting.shift(); segment !== undefined; segment = waiting.shift()) {
      const isKept = await put(segment)
      waitingBytes -= segment.bytes.length
      segment.settle(isKept)
    }
    writers -= 1
  }

  async function put({ key, bytes }: Waiting): Promise<boolean> {
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
      if (waitingBytes + bytes.length > mostBytes) return false
      const { promise, resolve } = Promise.withResolvers<boolean>()
      waiting.push({ key, bytes, settle: resolve })
      waitingBytes += bytes.length
      if (writers < WRITERS) void write()
      return await promise
    },
  }
}
