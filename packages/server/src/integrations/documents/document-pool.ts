import type { Clock } from '@parley/engine/ports'
import type {
  DocumentPreparer,
  PreparedChunk,
  PreparedDocument,
  UnreadableDocument,
} from '../../features/knowledge/public.ts'
import { FairPool, type TaskFailure } from '../fair-pool.ts'
import { DOCUMENT_LIMITS, type DocumentLimits } from './document-limits.ts'
import { DocumentProcess, type ProcessFailure } from './document-process.ts'
import type { Frame, PreparedHeader, PrepareRequest, ReaderResponse } from './document-protocol.ts'

async function readDocument(
  reader: DocumentProcess,
  { document, sizes, limits }: PrepareRequest,
): Promise<PreparedDocument | UnreadableDocument> {
  const { bytes, ...metadata } = document
  const response = await reader.request({ document: metadata, sizes, limits }, bytes)
  if (typeof response === 'string' || !('ok' in response.value)) return describeProcessEnd(response, limits)
  return response.value.ok ? collectChunks(reader, response.value, { segment: response.bytes, limits }) : response.value
}

interface CollectOptions {
  readonly segment: Uint8Array
  readonly limits: DocumentLimits
}

async function collectChunks(
  reader: DocumentProcess,
  { prepared }: PreparedHeader,
  { segment, limits }: CollectOptions,
): Promise<PreparedDocument | UnreadableDocument> {
  const chunks: PreparedChunk[] = []
  for (;;) {
    const response = await reader.request({ more: true })
    if (typeof response === 'string' || !('chunks' in response.value)) return describeProcessEnd(response, limits)
    for (const chunk of response.value.chunks) chunks.push(chunk)
    if (response.value.isLast) return { ok: true, ...prepared, segment, chunks }
  }
}

function describeProcessEnd(
  response: Frame<ReaderResponse> | ProcessFailure,
  limits: DocumentLimits,
): UnreadableDocument {
  return response === 'out-of-memory' ? createMemoryFailure(limits) : UNEXPECTED_END
}

const MEBIBYTE = 1024 * 1024

/** Builds an outcome that allows another attempt, because the document may not be the cause. */
function createRetryableFailure(message: string): UnreadableDocument {
  return { ok: false, message, retryable: true }
}

/** Builds an outcome without another attempt, which would also exceed the limit. */
function createLimitFailure(resource: string, limit: string): UnreadableDocument {
  const message = `Reading the document took ${resource} than the ${limit} limit: split or simplify it.`
  return { ok: false, message, retryable: false }
}

const UNEXPECTED_END = createRetryableFailure(
  'The document was not read because its reading ended unexpectedly. Try again later.',
)

function createMemoryFailure({ memoryBytes }: DocumentLimits): UnreadableDocument {
  return createLimitFailure('more memory', `${Math.round(memoryBytes / MEBIBYTE)} MB`)
}

function describeTaskFailure(failure: TaskFailure, { waitMs, timeMs }: DocumentLimits): UnreadableDocument {
  switch (failure) {
    case 'stopping':
      return createRetryableFailure('The document was not read because the server is stopping.')
    case 'cancelled':
      return createRetryableFailure('The document was not read because its reading was stopped.')
    case 'queue-full':
      return createRetryableFailure(
        'The document was not read because too many others wait to be read. Try again later.',
      )
    case 'not-started':
      return createRetryableFailure(
        'The document was not read because no process could be started for it. Try again later.',
      )
    case 'wait-timeout':
      return createRetryableFailure(
        `The document was not read within ${waitMs / 1000} seconds because others were read. Try again later.`,
      )
    case 'work-timeout':
      return createLimitFailure('longer', `${timeMs / 1000} second`)
  }
}

export interface DocumentPreparerOptions {
  readonly clock: Clock
  /** Number of documents that are read at the same time. One workspace can use at most one fewer. */
  readonly threads?: number
  readonly limits?: Partial<DocumentLimits>
  /** A process that is idle for this long is terminated. */
  readonly idleMs?: number
}

/**
 * Creates a preparer that reads documents in processes, which start with the first document. Workspaces take turns, and one
 * workspace never occupies all of several processes. A process that exceeds its document's limits is terminated, because
 * nothing else interrupts a parser. The bytes of a document must not change until its outcome is known.
 */
export function createDocumentPreparer({
  clock,
  threads = 3,
  limits = {},
  idleMs = 30_000,
}: DocumentPreparerOptions): DocumentPreparer & { close(): Promise<void> } {
  const allLimits = { ...DOCUMENT_LIMITS, ...limits }
  const pool = new FairPool<DocumentProcess, PreparedDocument | UnreadableDocument>({
    clock,
    maxWorkers: threads,
    maxRunningPerGroup: Math.max(1, threads - 1),
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
        createFailedOutcome: (failure) => describeTaskFailure(failure, allLimits),
      }),
    close: () => pool.close(),
  }
}
