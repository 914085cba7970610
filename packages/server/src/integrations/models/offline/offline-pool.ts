import type { Clock, ModelEvent, ModelFailure, ModelRequest } from '@parley/engine/ports'
import { FairQueue } from '../../fair-queue.ts'
import { WorkerPool } from '../../worker-pool.ts'
import type { OfflineRequest } from './offline-protocol.ts'
import type { DecidingThread, OfflineReply } from './offline-thread.ts'

export interface OfflinePoolOptions {
  readonly clock: Clock
  readonly maxThreads: number
  readonly maxPending: number
  /** How long a request may wait for a thread. */
  readonly waitMs: number
  /** How long a thread may work on one request. */
  readonly maxWorkMs: number
  /** A thread without work for this long is ended. */
  readonly idleMs: number
  /** Throws when the system gives none. */
  readonly startThread: () => DecidingThread
}

interface Job {
  readonly request: OfflineRequest
  /** Answers once; later calls do nothing. */
  readonly answer: (events: readonly ModelEvent[]) => void
  isAnswered: boolean
  thread: DecidingThread | null
  stopTimer: () => void
}

const failed = (kind: ModelFailure['kind'], message: string, retryable: boolean): readonly ModelEvent[] => [
  { type: 'error', failure: { kind, message, retryable } },
]
const BUSY = failed('unavailable', 'Too many requests wait for the offline model.', true)
const STOPPING = failed('unavailable', 'The server is stopping.', false)
const NOT_STARTED = failed('unavailable', 'No thread could be started for the offline model.', true)
const LOST = failed('unavailable', 'The thread of the offline model ended.', true)
const BROKEN = failed('protocol', 'The offline model failed.', false)

/**
 * A few threads that decide for the offline model. Workspaces take turns, and one workspace never holds every thread. A
 * request over its time ends its thread and fails.
 */
export class OfflinePool {
  readonly #options: OfflinePoolOptions
  readonly #pending: FairQueue<Job>
  readonly #running = new Set<Job>()
  readonly #threads: WorkerPool<DecidingThread>
  #isClosed = false

  constructor(options: OfflinePoolOptions) {
    this.#options = options
    this.#pending = new FairQueue({ maxRunningPerGroup: Math.max(1, options.maxThreads - 1) })
    this.#threads = new WorkerPool({
      clock: options.clock,
      maxWorkers: options.maxThreads,
      idleMs: options.idleMs,
      start: options.startThread,
      onExit: () => this.#advance(),
    })
  }

  /** All events of the answer; none after an abort. Never rejects: failures are events. */
  run({ signal, ...request }: ModelRequest, workspaceId: number): Promise<readonly ModelEvent[]> {
    if (this.#isClosed) return Promise.resolve(STOPPING)
    if (signal.aborted) return Promise.resolve([])
    const { clock, maxPending, waitMs } = this.#options
    if (this.#pending.size >= maxPending) return Promise.resolve(BUSY)
    return new Promise((resolve) => {
      const stop = (): void => this.#drop(job, [])
      const answer: Job['answer'] = (events) => {
        job.isAnswered = true
        signal.removeEventListener('abort', stop)
        resolve(events)
      }
      const stopTimer = clock.after(waitMs, () => {
        this.#drop(job, failed('timeout', `The offline model was not free within ${waitMs / 1000} seconds.`, false))
        // It never became ready.
        void job.thread?.end()
      })
      const job: Job = { request, answer, isAnswered: false, thread: null, stopTimer }
      signal.addEventListener('abort', stop, { once: true })
      this.#pending.push(String(workspaceId), job)
      this.#advance()
    })
  }

  /** Starts a thread ahead of the first request. */
  warm(): void {
    if (this.#isClosed || this.#threads.size > 0) return
    const thread = this.#threads.take()
    if (thread !== null) this.#threads.rest(thread)
  }

  /** Ends all threads; what waits or runs fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#pending.clear(), ...this.#running]) {
      job.stopTimer()
      job.answer(STOPPING)
    }
    await this.#threads.close()
  }

  /** What a thread works on already is finished for nobody: it takes milliseconds, and its deadline still counts. */
  #drop(job: Job, events: readonly ModelEvent[]): void {
    if (this.#pending.remove(job)) job.stopTimer()
    job.answer(events)
  }

  #advance(): void {
    while (!this.#isClosed && this.#threads.hasRoom) {
      const job = this.#pending.take()
      if (job === undefined) return
      const thread = this.#threads.take()
      if (thread !== null) void this.#work(thread, job)
      else {
        this.#pending.finish(job)
        job.stopTimer()
        job.answer(NOT_STARTED)
      }
    }
  }

  async #work(thread: DecidingThread, job: Job): Promise<void> {
    this.#running.add(job)
    job.thread = thread
    const isReady = await thread.ready
    job.stopTimer()
    const reply = isReady ? await this.#ask(thread, job) : 'lost'
    this.#running.delete(job)
    this.#pending.finish(job)
    job.answer(reply === 'lost' ? LOST : reply === 'failed' ? BROKEN : reply)
    if (this.#isClosed || reply === 'lost') await thread.end()
    else this.#threads.rest(thread)
    this.#advance()
  }

  async #ask(thread: DecidingThread, job: Job): Promise<OfflineReply> {
    if (job.isAnswered) return []
    const { clock, maxWorkMs } = this.#options
    job.stopTimer = clock.after(maxWorkMs, () => {
      job.answer(failed('timeout', `The offline model did not answer within ${maxWorkMs / 1000} seconds.`, false))
      void thread.end()
    })
    const reply = await thread.ask(job.request)
    job.stopTimer()
    return reply
  }
}
