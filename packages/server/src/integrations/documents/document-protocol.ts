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
