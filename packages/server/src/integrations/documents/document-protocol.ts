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
 * First part of a prepared document. Passages are requested in batches, because receiving all of them at once would block the
 * main thread.
 */
export interface PreparedHeader {
  readonly ok: true
  readonly prepared: Omit<PreparedDocument, 'chunks' | 'ok' | 'segment'>
}

export interface PreparedBatch {
  readonly chunks: readonly PreparedChunk[]
  readonly isLast: boolean
}

/** A response from a process. The segment is sent separately. */
export type ReaderResponse = UnreadableDocument | PreparedHeader | PreparedBatch

/** Options of a reader process. */
export interface ReaderOptions {
  readonly memoryBytes: number
  /** ID of the parent process. The reader exits when the parent exits. */
  readonly parentId: number
}

/** Options of the watchdog thread. */
export interface WatchdogOptions extends ReaderOptions {
  /** One signed 32-bit number: 1 while the process is working, otherwise 0. */
  readonly busy: SharedArrayBuffer
}

/** Signal that terminates a process that exceeds its memory limit. Only the watchdog sends this signal. */
export const MEMORY_SIGNAL = 'SIGUSR2'

/** File descriptor of the channel. */
export const CHANNEL_FD = 3

/** A message between the server and a reader process: a JSON value and bytes. */
export interface Frame<Value> {
  readonly value: Value
  readonly bytes: Uint8Array
}

/** Size of the two length fields for the value and the bytes. */
const HEADER_BYTES = 8

/** Larger than any document or response. A longer message is invalid. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024

const NO_BYTES = new Uint8Array(0)

/** Sends a message. The bytes are not copied, so they must not change until they are sent. */
export function sendFrame(channel: Duplex, value: unknown, bytes: Uint8Array = NO_BYTES): void {
  const text = Buffer.from(JSON.stringify(value))
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(text.byteLength, 0)
  header.writeUInt32LE(bytes.byteLength, 4)
  channel.cork()
  channel.write(header)
  channel.write(text)
  if (bytes.byteLength > 0) channel.write(bytes)
  channel.uncork()
}

/** Receives messages. An invalid message destroys the channel. */
export function receiveFrames<Value>(channel: Duplex, onFrame: (frame: Frame<Value>) => void): void {
  let chunks: Buffer[] = []
  let receivedBytes = 0
  let requiredBytes = HEADER_BYTES
  channel.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    receivedBytes += chunk.byteLength
    while (receivedBytes >= requiredBytes) {
      const buffer = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, receivedBytes)
      chunks = [buffer]
      const textBytes = buffer.readUInt32LE(0)
      const end = HEADER_BYTES + textBytes + buffer.readUInt32LE(4)
      if (end > MAX_FRAME_BYTES) {
        channel.destroy()
        return
      }
      requiredBytes = end
      if (receivedBytes < end) return
      const value = JSON.parse(buffer.toString('utf8', HEADER_BYTES, HEADER_BYTES + textBytes)) as Value
      const bytes = new Uint8Array(buffer.subarray(HEADER_BYTES + textBytes, end))
      chunks = [buffer.subarray(end)]
      receivedBytes -= end
      requiredBytes = HEADER_BYTES
      onFrame({ value, bytes })
    }
  })
}
