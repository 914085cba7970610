import type { Clock } from '@parley/engine/ports'
import type {
  PreparedChunk,
  PreparedDocument,
  PrepareOptions,
  UnreadableDocument,
} from '../../features/knowledge/public.ts'
import { FairQueue } from '../fair-queue.ts'
import { WorkerPool } from '../worker-pool.ts'
import type { Frame } from './document-frames.ts'
import type { DocumentLimits } from './document-limits.ts'
import { DocumentProcess, type ProcessFailure } from './document-process.ts'
import type { Answer, PreparedHead, PrepareRequest } from './document-protocol.ts'
import {
  BROKEN,
  NOT_STARTED,
  STOPPED,
  STOPPING,
  TOO_MANY_WAITING,
  tookTooLong,
  tookTooMuchMemory,
  waitedTooLong,
} from './reading-failures.ts'

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
