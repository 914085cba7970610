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

/** What a process is told at its start. */
export interface ReaderOptions {
  readonly memoryBytes: number
  /** The process to end with. */
  readonly parentId: number
}

/** What the thread within a process that watches it is told. */
export interface WatchdogOptions extends ReaderOptions {
  /** One signed 32-bit number: 1 while the process works, else 0. */
  readonly busy: SharedArrayBuffer
}

/** Ends a process that uses more memory than it may. It works at once, whatever the process does, and nothing else sends it. */
export const MEMORY_SIGNAL = 'SIGUSR2'

/** The channel's place among the open files of a process. */
export const CHANNEL = 3
