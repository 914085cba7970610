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

/** The same on its way to a process; its bytes travel beside it. */
export interface PrepareCommand extends Omit<PrepareRequest, 'document'> {
  readonly document: Omit<RawDocument, 'bytes'>
}

/** Asks for the next passages of the document that was prepared last. */
export interface MoreCommand {
  readonly more: true
}

export type ReaderCommand = PrepareCommand | MoreCommand

/** Passages follow in batches that are asked for one by one, since taking in many at once would hold up the main thread. */
export interface PreparedHead {
  readonly ok: true
  readonly prepared: Omit<PreparedDocument, 'chunks' | 'ok' | 'segment'>
}

export interface PreparedBatch {
  readonly chunks: readonly PreparedChunk[]
  readonly isLast: boolean
}

/** The segment travels beside the head. */
export type Answer = UnreadableDocument | PreparedHead | PreparedBatch

/** Start parameters of a reader process. */
export interface ReaderOptions {
  readonly memoryBytes: number
  /** The process to end with. */
  readonly parentId: number
}

/** Start parameters of the watchdog thread. */
export interface WatchdogOptions extends ReaderOptions {
  /** One signed 32-bit number: 1 while the process works, else 0. */
  readonly busy: SharedArrayBuffer
}

/** Ends a process that uses more memory than it may. It works at once, whatever the process does, and nothing else sends it. */
export const MEMORY_SIGNAL = 'SIGUSR2'

/** The channel's place among the open files of a process. */
export const CHANNEL = 3

/** A message between the server and a process that reads documents: a value that JSON can say, and bytes beside it. */
export interface Frame<Value> {
  readonly value: Value
  readonly bytes: Uint8Array
}

/** Two lengths: of the value and of the bytes. */
const HEAD_BYTES = 8

/** More than any document or answer has; a longer message is a broken one. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024

const NO_BYTES = new Uint8Array(0)

/** Sends a message. The bytes are not copied: they must not change until they have been sent. */
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

/** Calls back with every message that arrives. A message that cannot be one destroys the channel. */
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
