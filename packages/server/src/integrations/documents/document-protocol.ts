import type { Duplex } from 'node:stream'
import type { ChunkSizes } from '@parley/retrieval/chunk'
import type {
  PreparedChunk,
  PreparedDocument,
  RawDocument,
  UnreadableDocument,
} from '../../features/knowledge/public.ts'
import type { DocumentLimits } from './document-limits.ts'

/** A document to prepare. */
export interface PrepareRequest {
  readonly document: RawDocument
  readonly sizes: ChunkSizes
  readonly limits: DocumentLimits
}

/** The request as sent to a process. The bytes are sent separately. */
export interface PrepareCommand extends Omit<PrepareRequest, 'document'> {
  readonly document: Omit<RawDocument, 'bytes'>
}

/** Requests the next passages of the last document. */
export interface MoreCommand {
  readonly more: true
}

export type ReaderCommand = PrepareCommand | MoreCommand

/**
 * First part of a prepared document. Passages are requested in batches, because receiving many together would block the main
 * thread.
 */
export interface PreparedHead {
  readonly ok: true
  readonly prepared: Omit<PreparedDocument, 'chunks' | 'ok' | 'segment'>
}

export interface PreparedBatch {
  readonly chunks: readonly PreparedChunk[]
  readonly isLast: boolean
}

/** A response from a process. The segment is sent separately. */
export type Answer = UnreadableDocument | PreparedHead | PreparedBatch

/** Start parameters of a reader process. */
export interface ReaderOptions {
  readonly memoryBytes: number
  /** The reader ends when this process ends. */
  readonly parentId: number
}

/** Start parameters of the watchdog thread. */
export interface WatchdogOptions extends ReaderOptions {
  /** One signed 32-bit number: 1 while the process is working, otherwise 0. */
  readonly busy: SharedArrayBuffer
}

/** Signal that terminates a process that exceeds its memory limit. The signal works immediately, and nothing else sends it. */
export const MEMORY_SIGNAL = 'SIGUSR2'

/** File descriptor of the channel. */
export const CHANNEL = 3

/** A message between the server and a reader process: a JSON value and bytes. */
export interface Frame<Value> {
  readonly value: Value
  readonly bytes: Uint8Array
}

/** Size of the two length fields for the value and the bytes. */
const HEAD_BYTES = 8

/** Larger than any document or response. A longer message is invalid. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024

const NO_BYTES = new Uint8Array(0)

/** Sends a message. The bytes are not copied, so they must not change until they are sent. */
export function sendFrame(channel: Duplex, value: unknown, bytes: Uint8Array = NO_BYTES): void {
  const text = Buffer.from(JSON.stringify(value))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(text.byteLength, 0)
  head.writeUInt32LE(bytes.byteLength, 4)
  channel.cork()
  channel.write(head)
  channel.write(text)
  if (bytes.byteLength > 0) channel.write(bytes)
  channel.uncork()
}

/** Receives messages. An invalid message destroys the channel. */
export function receiveFrames<Value>(channel: Duplex, received: (frame: Frame<Value>) => void): void {
  let parts: Buffer[] = []
  let length = 0
  let wanted = HEAD_BYTES
  channel.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.byteLength
    while (length >= wanted) {
      const buffer = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length)
      parts = [buffer]
      const textBytes = buffer.readUInt32LE(0)
      const end = HEAD_BYTES + textBytes + buffer.readUInt32LE(4)
      if (end > MAX_FRAME_BYTES) {
        channel.destroy()
        return
      }
      wanted = end
      if (length < end) return
      const value = JSON.parse(buffer.toString('utf8', HEAD_BYTES, HEAD_BYTES + textBytes)) as Value
      const bytes = new Uint8Array(buffer.subarray(HEAD_BYTES + textBytes, end))
      parts = [buffer.subarray(end)]
      length -= end
      wanted = HEAD_BYTES
      received({ value, bytes })
    }
  })
}
