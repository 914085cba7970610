import type { Clock } from '@parley/engine/ports'
import type {
  DocumentPreparer,
  PreparedChunk,
  PreparedDocument,
  UnreadableDocument,
} from '../../features/knowledge/public.ts'
import { FairPool, type TaskFailure } from '../fair-pool.ts'
import type { Frame } from '../process-channel.ts'
import { DOCUMENT_LIMITS, type DocumentLimits } from './document-limits.ts'
import { DocumentProcess, type ProcessFailure } from './document-process.ts'
import type { PreparedHeader, PrepareRequest, ReaderResponse } from './document-protocol.ts'

async function readDocument(
  reader: DocumentProcess,
  { document, sizes, limits }: PrepareRequest,
): Promise<PreparedDocument | UnreadableDocument> {
  const { bytes, ...metadata } = document
  const response = await reader.request({ document: metadata, sizes, limits }, bytes)
  if (typeof response === 'string' || !('ok' in response.value)) return createProcessFailure(response, limits)
  return response.value.ok ? collectChunks(reader, response.value, { segment: response.bytes, limits }) : response.value
}

interface CollectChunksOptions {
  readonly segment: Uint8Array
  readonly limits: DocumentLimits
}

async function collectChunks(
  reader: DocumentProcess,
  { prepared }: PreparedHeader,
  { segment, limits }: CollectChunksOptions,
): Promise<PreparedDocument | UnreadableDocument> {
  const chunks: PreparedChunk[] = []
  for (;;) {
    const response = await reader.request({ more: true })
    if (typeof response === 'string' || !('chunks' in response.value)) return createProcessFailure(response, limits)
    for (const chunk of response.value.chunks) chunks.push(chunk)
    if (response.value.isLast) return { ok: true, ...prepared, segment, chunks }
  }
}

function createProcessFailure(
  response: Frame<ReaderResponse> | ProcessFailure,
  limits: DocumentLimits,
): UnreadableDocument {
  return response === 'out-of-memory' ? createMemoryFailure(limits) : UNEXPECTED_EXIT_FAILURE
}

const MEBIBYTE = 1024 * 1024

/** Creates an outcome that can be retried, because the document may not be the cause. */
function createRetryableFailure(message: string): UnreadableDocument {
  return { ok: false, message, retryable: true }
}

/** Creates an outcome that is not retried, because another attempt would also exceed the limit. */
function createLimitFailure(reason: string): UnreadableDocument {
  return { ok: false, message: `${reason}: split or simplify the document.`, retryable: false }
}

const UNEXPECTED_EXIT_FAILURE = createRetryableFailure(
  'The document was not read because the reader process ended unexpectedly. Try again later.',
)

function createMemoryFailure({ memoryBytes }: DocumentLimits): UnreadableDocument {
  const limit = `${Math.round(memoryBytes / MEBIBYTE)} MB`
  return createLimitFailure(`Reading the document took more memory than the limit of ${limit}`)
}

function createTaskFailure(failure: TaskFailure, { waitMs, timeMs }: DocumentLimits): UnreadableDocument {
  switch (failure) {
    case 'stopping':
      return createRetryableFailure('The document was not read because the server is stopping.')
    case 'cancelled':
      return createRetryableFailure('The document was not read because the operation was canceled.')
    case 'queue-full':
      return createRetryableFailure(
        'The document was not read because too many documents are waiting. Try again later.',
      )
    case 'not-started':
      return createRetryableFailure(
        'The document was not read because the reader process could not be started. Try again later.',
      )
    case 'wait-timeout':
      return createRetryableFailure(
        `The document was not read because no process was free within ${waitMs / 1000} seconds. Try again later.`,
      )
    case 'work-timeout':
      return createLimitFailure(`Reading the document took longer than the limit of ${timeMs / 1000} seconds`)
  }
}

export interface DocumentPreparerOptions {
  readonly clock: Clock
  /** Maximum number of documents that are read at the same time. One workspace can use all processes except one. */
  readonly maxProcesses?: number
  readonly limits?: Partial<DocumentLimits>
  /** Time after which an idle process is terminated. */
  readonly idleMs?: number
}

/**
 * Creates a preparer that reads documents in child processes, which start on demand. Workspaces take turns, and one workspace
 * cannot occupy all of several processes. A process that exceeds a limit is terminated, because a running parser cannot be interrupted.
 * The bytes of a document must not change until its outcome is known.
 */
export function createDocumentPreparer({
  clock,
  maxProcesses = 3,
  limits = {},
  idleMs = 30_000,
}: DocumentPreparerOptions): DocumentPreparer & { close(): Promise<void> } {
  const allLimits = { ...DOCUMENT_LIMITS, ...limits }
  const pool = new FairPool<DocumentProcess, PreparedDocument | UnreadableDocument>({
    clock,
    maxWorkers: maxProcesses,
    maxRunningPerGroup: Math.max(1, maxProcesses - 1),
    maxQueued: allLimits.maxQueued,
    idleMs,
    start: () => new DocumentProcess(allLimits.memoryBytes),
  })
  return {
    prepare: (document, { workspaceId, sizes, signal }) =>
      pool.run({
        group: String(workspaceId),
        signal,
        waitMs: allLimits.waitMs,
        getTimeLimitMs: () => allLimits.timeMs,
        run: (reader) => readDocument(reader, { document, sizes, limits: allLimits }),
        createFailedOutcome: (failure) => createTaskFailure(failure, allLimits),
      }),
    close: () => pool.close(),
  }
}
