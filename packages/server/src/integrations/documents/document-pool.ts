import type { Clock } from '@parley/engine/ports'
import type {
  DocumentPreparer,
  PreparedChunk,
  PreparedDocument,
  PrepareOptions,
  UnreadableDocument,
} from '../../features/knowledge/public.ts'
import { FairQueue, WorkerPool } from '../worker-pool.ts'
import { DOCUMENT_LIMITS, type DocumentLimits } from './document-limits.ts'
import { DocumentProcess, type ProcessFailure } from './document-process.ts'
import type { Answer, Frame, PreparedHead, PrepareRequest } from './document-protocol.ts'

/** A document that waits for a process or is being read. */
interface Job {
  /** Workspaces take turns. */
  readonly workspaceId: number
  readonly request: PrepareRequest
  /** Answers once; later calls do nothing. */
  readonly answered: (outcome: PreparedDocument | UnreadableDocument) => void
  /** Where it is being read. */
  reader: DocumentProcess | null
  /** Stops the timer of waiting or of reading. */
  stopTimer: () => void
}

export interface DocumentPoolOptions {
  readonly clock: Clock
  readonly maxProcesses: number
  readonly limits: DocumentLimits
  /** A process without work for this long is ended, so that its memory returns. */
  readonly idleMs: number
}

/**
 * A few processes that read documents. Workspaces take turns, and one workspace never holds every process, so that its slow
 * documents delay those of others as little as possible. A process whose document exceeds its limits is ended.
 */
export class DocumentPool {
  readonly #options: DocumentPoolOptions
  readonly #waiting: FairQueue<Job>
  readonly #running = new Set<Job>()
  readonly #readers: WorkerPool<DocumentProcess>
  #isClosed = false

  constructor(options: DocumentPoolOptions) {
    this.#options = options
    this.#waiting = new FairQueue({ maxRunningPerGroup: Math.max(1, options.maxProcesses - 1) })
    this.#readers = new WorkerPool({
      clock: options.clock,
      maxWorkers: options.maxProcesses,
      idleMs: options.idleMs,
      start: () => new DocumentProcess(options.limits.memoryBytes),
      onExit: () => this.#advance(),
    })
  }

  /** Reads a document when a process is free. Never rejects. */
  run(
    request: PrepareRequest,
    { workspaceId, signal }: PrepareOptions,
  ): Promise<PreparedDocument | UnreadableDocument> {
    const { clock, limits } = this.#options
    if (this.#isClosed) return Promise.resolve(STOPPING)
    if (signal.aborted) return Promise.resolve(STOPPED)
    if (this.#waiting.size >= limits.maxQueued) return Promise.resolve(TOO_MANY_WAITING)
    return new Promise((resolve) => {
      const stop = (): void => this.#drop(job, STOPPED)
      const answered: Job['answered'] = (outcome) => {
        signal.removeEventListener('abort', stop)
        resolve(outcome)
      }
      const stopTimer = clock.after(limits.waitMs, () => this.#drop(job, waitedTooLong(limits)))
      const job: Job = { workspaceId, request, answered, reader: null, stopTimer }
      signal.addEventListener('abort', stop, { once: true })
      this.#waiting.push(String(workspaceId), job)
      this.#advance()
    })
  }

  /** Ends all processes. Documents that wait or are being read are answered as put off. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#waiting.clear(), ...this.#running]) this.#drop(job, STOPPING)
    await this.#readers.close()
  }

  /** Takes a job out of the line, or ends the process that works for it: nothing else interrupts a parser. */
  #drop(job: Job, outcome: UnreadableDocument): void {
    this.#waiting.remove(job)
    job.stopTimer()
    job.answered(outcome)
    void job.reader?.end()
  }

  #advance(): void {
    while (!this.#isClosed && this.#readers.hasRoom) {
      const job = this.#waiting.take()
      if (job === undefined) return
      job.stopTimer()
      const reader = this.#readers.take()
      if (reader !== null) void this.#work(reader, job)
      else {
        this.#waiting.finish(job)
        job.answered(NOT_STARTED)
      }
    }
  }

  async #work(reader: DocumentProcess, job: Job): Promise<void> {
    const { clock, limits } = this.#options
    this.#running.add(job)
    job.reader = reader
    job.stopTimer = clock.after(limits.timeMs, () => this.#drop(job, tookTooLong(limits)))
    const outcome = await readRemaining(reader, job.request)
    job.reader = null
    job.stopTimer()
    this.#running.delete(job)
    this.#waiting.finish(job)
    job.answered(outcome)
    if (this.#isClosed) await reader.end()
    else if (reader.isAlive) this.#readers.rest(reader)
    this.#advance()
  }
}

async function readRemaining(
  reader: DocumentProcess,
  { document, sizes, limits }: PrepareRequest,
): Promise<PreparedDocument | UnreadableDocument> {
  const { bytes, ...described } = document
  const answer = await reader.ask({ document: described, sizes, limits }, bytes)
  if (typeof answer === 'string' || !('ok' in answer.value)) return ended(answer, limits)
  return answer.value.ok ? collect(reader, answer.value, { segment: answer.bytes, limits }) : answer.value
}

interface CollectOptions {
  readonly segment: Uint8Array
  readonly limits: DocumentLimits
}

async function collect(
  reader: DocumentProcess,
  { prepared }: PreparedHead,
  { segment, limits }: CollectOptions,
): Promise<PreparedDocument | UnreadableDocument> {
  const chunks: PreparedChunk[] = []
  for (;;) {
    const answer = await reader.ask({ more: true })
    if (typeof answer === 'string' || !('chunks' in answer.value)) return ended(answer, limits)
    for (const chunk of answer.value.chunks) chunks.push(chunk)
    if (answer.value.isLast) return { ok: true, ...prepared, segment, chunks }
  }
}

function ended(end: Frame<Answer> | ProcessFailure, limits: DocumentLimits): UnreadableDocument {
  return end === 'out-of-memory' ? tookTooMuchMemory(limits) : BROKEN
}

const MEBIBYTE = 1024 * 1024

/** It was not at fault, or nobody knows: another time it may be read. */
function later(message: string): UnreadableDocument {
  return { ok: false, message, retryable: true }
}

const TOO_MANY_WAITING = later('The document was not read because too many others wait to be read. Try again later.')

export const STOPPED = later('The document was not read because its reading was stopped.')

export const STOPPING = later('The document was not read because the server is stopping.')

export const NOT_STARTED = later(
  'The document was not read because no process could be started for it. Try again later.',
)

export const BROKEN = later('The document was not read because its reading ended unexpectedly. Try again later.')

/** Waited longer than it may. */
function waitedTooLong({ waitMs }: DocumentLimits): UnreadableDocument {
  return later(`The document was not read within ${waitMs / 1000} seconds because others were read. Try again later.`)
}

/** Took longer than it may: it would another time as well. */
function tookTooLong({ timeMs }: DocumentLimits): UnreadableDocument {
  const message = `Reading the document took longer than the ${timeMs / 1000} seconds that it may take: split or simplify it.`
  return { ok: false, message, retryable: false }
}

/** Took more memory than it may: it would another time as well. */
function tookTooMuchMemory({ memoryBytes }: DocumentLimits): UnreadableDocument {
  const amount = `${Math.round(memoryBytes / MEBIBYTE)} MB`
  const message = `Reading the document took more memory than the ${amount} that it may take: split or simplify it.`
  return { ok: false, message, retryable: false }
}

export interface DocumentPreparerOptions {
  readonly clock: Clock
  /** Documents that are read at the same time; one workspace has at most one fewer. */
  readonly threads?: number
  readonly limits?: Partial<DocumentLimits>
  /** A process without work for this long is ended. */
  readonly idleMs?: number
}

/**
 * Reads documents in processes of their own, which start with the first document. A document's bytes must not change until it is
 * answered. After `close` documents are put off.
 */
export function createDocumentPreparer({
  clock,
  threads = 3,
  limits = {},
  idleMs = 30_000,
}: DocumentPreparerOptions): DocumentPreparer & { close(): Promise<void> } {
  const allLimits = { ...DOCUMENT_LIMITS, ...limits }
  const pool = new DocumentPool({ clock, maxProcesses: threads, limits: allLimits, idleMs })
  return {
    prepare: (document, options) => pool.run({ document, sizes: options.sizes, limits: allLimits }, options),
    close: () => pool.close(),
  }
}
