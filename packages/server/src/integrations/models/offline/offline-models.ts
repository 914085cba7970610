import { Worker } from 'node:worker_threads'
import type { Clock, LanguageModel, ModelEvent, ModelFailure, ModelRequest } from '@parley/engine/ports'
import { compileCacheEnvironment } from '../../../kernel/work/threads.ts'
import { FairQueue, WorkerPool } from '../../worker-pool.ts'
import type { OfflineMessage, OfflineRequest } from './offline-worker.ts'

export interface OfflineModelsOptions {
  readonly clock: Clock
  readonly startThread?: () => DecidingThread
}

/** The offline model in threads: whatever it reads, the main thread goes on. */
export interface OfflineModels {
  /** Workspaces take turns. */
  forWorkspace(workspaceId: number): LanguageModel
  /** Starts a thread ahead of the first turn. */
  warm(): void
  close(): Promise<void>
}

const MAX_THREADS = 2
const MAX_PENDING = 500
const MAX_WAIT_MS = 10_000
/** A decision takes milliseconds. */
const MAX_WORK_MS = 2_000
const IDLE_MS = 10 * 60_000

export function createOfflineModels({
  clock,
  startThread = () => new OfflineThread(),
}: OfflineModelsOptions): OfflineModels {
  const pool = new OfflinePool({
    clock,
    maxThreads: MAX_THREADS,
    maxPending: MAX_PENDING,
    waitMs: MAX_WAIT_MS,
    maxWorkMs: MAX_WORK_MS,
    idleMs: IDLE_MS,
    startThread,
  })
  return {
    forWorkspace: (workspaceId) => ({
      name: 'offline',
      async *stream(request) {
        for (const event of await pool.run(request, workspaceId)) {
          if (request.signal.aborted) return
          yield event
        }
      },
    }),
    warm: () => pool.warm(),
    close: () => pool.close(),
  }
}

interface OfflinePoolOptions {
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
class OfflinePool {
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

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256 }

export type OfflineReply = readonly ModelEvent[] | 'failed' | 'lost'

/** A thread of the offline model, as its pool knows it. */
export type DecidingThread = Pick<OfflineThread, 'ready' | 'exited' | 'ask' | 'end'>

/** The main thread's end of a thread of the offline model. It does not keep the process alive. */
class OfflineThread {
  readonly #worker: Worker
  #settle: (reply: OfflineReply) => void = () => {}
  #isEnding = false
  #hasExited = false
  /** Whether it can answer; false when it ended before. */
  readonly ready: Promise<boolean>
  /** Resolves when the thread is gone, whatever the reason. */
  readonly exited: Promise<void>

  constructor() {
    // No inherited flags and no environment beyond the cache: the thread needs neither, and the environment holds secrets.
    this.#worker = new Worker(new URL('./offline-worker.ts', import.meta.url), {
      name: 'offline-model',
      resourceLimits: RESOURCE_LIMITS,
      execArgv: [],
      env: compileCacheEnvironment(),
    })
    this.#worker.unref()
    // An error is followed by the exit.
    this.#worker.on('error', () => {})
    const ready = Promise.withResolvers<boolean>()
    this.ready = ready.promise
    this.#worker.on('message', (message: OfflineMessage) => {
      if (message.kind === 'ready') ready.resolve(true)
      // An answer may have been on its way when the end came.
      else this.#settle(this.#isEnding ? 'lost' : message.kind === 'answer' ? message.events : 'failed')
    })
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        ready.resolve(false)
        this.#settle('lost')
        resolve()
      })
    })
  }

  /** Asks the model, one request at a time. Never rejects: a thread that ends answers `lost`. */
  ask(request: OfflineRequest): Promise<OfflineReply> {
    if (this.#hasExited) return Promise.resolve('lost')
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#worker.postMessage(request)
    })
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
    await this.exited
  }
}
