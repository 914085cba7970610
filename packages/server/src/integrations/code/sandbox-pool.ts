import { Worker } from 'node:worker_threads'
import type { Clock } from '@parley/engine/ports'
import { compileCacheEnvironment } from '../../kernel/work/threads.ts'
import { FairQueue, WorkerPool } from '../worker-pool.ts'
import {
  NOT_STARTED,
  QUEUE_FULL,
  SANDBOX_FAILED,
  type SandboxOutcome,
  type SandboxRequest,
  STOPPING,
  type ThreadAnswer,
  type ThreadData,
  type ThreadRequest,
} from './sandbox-protocol.ts'

/** A piece of code that waits for a thread or runs on one. */
export interface SandboxJob {
  /** Whose code it is: groups take turns. */
  readonly group: string
  readonly request: SandboxRequest
  /** Called once with what came of it, unless it was dropped before. */
  answered(outcome: SandboxOutcome): void
}

export interface SandboxPoolOptions {
  readonly clock: Clock
  readonly maxThreads: number
  readonly maxThreadsPerGroup: number
  readonly maxQueued: number
  readonly maxQueuedPerGroup: number
  /** A thread without work for this long is ended. */
  readonly idleMs: number
}

/** Where a job runs. */
interface Place {
  readonly thread: SandboxThread
  /** Keeps the thread of a dropped job if it stops soon. */
  spare: () => void
}

/** Code that was asked to stop has this long before its thread is ended. */
const STOP_GRACE_MS = 250

/** A few threads for the code of all groups. They start when there is work and end when there has been none for a while. */
export class SandboxPool {
  readonly #options: SandboxPoolOptions
  readonly #waiting: FairQueue<SandboxJob>
  readonly #threads: WorkerPool<SandboxThread>
  readonly #running = new Map<SandboxJob, Place>()
  #isClosed = false

  constructor(options: SandboxPoolOptions) {
    this.#options = options
    this.#threads = new WorkerPool({
      clock: options.clock,
      maxWorkers: options.maxThreads,
      idleMs: options.idleMs,
      start: () => new SandboxThread(),
      onExit: () => this.#advance(),
    })
    this.#waiting = new FairQueue({ maxRunningPerGroup: options.maxThreadsPerGroup })
  }

  /** Puts a job in line. It is answered at once when the line is full or the pool closed. */
  submit(job: SandboxJob): void {
    const { maxQueued, maxQueuedPerGroup } = this.#options
    const isFull = this.#waiting.size >= maxQueued || this.#waiting.sizeOf(job.group) >= maxQueuedPerGroup
    if (this.#isClosed) job.answered(STOPPING)
    else if (isFull) job.answered(QUEUE_FULL)
    else {
      this.#waiting.push(job.group, job)
      this.#advance()
    }
  }

  /** Takes a job out of the line, or stops it. It will not be answered any more. Says where it was. */
  drop(job: SandboxJob): 'waiting' | 'running' {
    const place = this.#running.get(job)
    if (place === undefined) {
      this.#waiting.remove(job)
      return 'waiting'
    }
    this.#running.delete(job)
    place.thread.stop()
    place.spare = this.#options.clock.after(STOP_GRACE_MS, () => void place.thread.end())
    return 'running'
  }

  /** Ends all threads. Jobs that wait or run are answered as unavailable. */
  async close(): Promise<void> {
    this.#isClosed = true
    const jobs = [...this.#waiting.clear(), ...this.#running.keys()]
    this.#running.clear()
    for (const job of jobs) job.answered(STOPPING)
    await this.#threads.close()
  }

  #advance(): void {
    while (this.#threads.hasRoom) {
      const job = this.#waiting.take()
      if (job === undefined) return
      const thread = this.#threads.take()
      if (thread !== null) void this.#work(thread, job)
      else {
        this.#waiting.finish(job)
        job.answered(NOT_STARTED)
      }
    }
  }

  async #work(thread: SandboxThread, job: SandboxJob): Promise<void> {
    const place: Place = { thread, spare: () => {} }
    this.#running.set(job, place)
    const { outcome, isSpent } = await thread.run(job.request)
    place.spare()
    if (this.#running.delete(job)) job.answered(outcome)
    this.#waiting.finish(job)
    if (isSpent || this.#isClosed) await thread.end()
    else this.#threads.rest(thread)
    this.#advance()
  }
}

/** Of the thread itself. What the code uses lies outside this heap and is limited inside. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

const GONE: ThreadAnswer = { outcome: SANDBOX_FAILED, isSpent: true }

/** The main thread's end of a thread that interprets code. It does not keep the process alive. */
class SandboxThread {
  readonly #worker: Worker
  readonly #stoppedRunNumber = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #runNumber = 0
  #answer: ((answer: ThreadAnswer) => void) | null = null
  #isEnding = false
  #hasExited = false
  /** Resolves when the thread is gone, whatever the reason. */
  readonly exited: Promise<void>

  constructor() {
    const threadData: ThreadData = { stoppedRunNumber: this.#stoppedRunNumber.buffer }
    // No inherited flags and no environment beyond the cache: the thread needs neither, and the environment holds secrets.
    this.#worker = new Worker(new URL('./sandbox-worker.ts', import.meta.url), {
      workerData: threadData,
      name: 'code-sandbox',
      resourceLimits: RESOURCE_LIMITS,
      execArgv: [],
      env: compileCacheEnvironment(),
    })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer))
    // An error is followed by the exit.
    this.#worker.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        this.#settle(GONE)
        resolve()
      })
    })
  }

  /** Runs one piece of code at a time. Never rejects: a thread that dies answers `spent`. */
  run(request: SandboxRequest): Promise<ThreadAnswer> {
    if (this.#hasExited) return Promise.resolve(GONE)
    this.#runNumber += 1
    const message: ThreadRequest = { ...request, runNumber: this.#runNumber }
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#worker.postMessage(message)
    })
  }

  /** Asks the code that runs now to stop. It answers soon, unless it is in the middle of a step that nothing interrupts. */
  stop(): void {
    Atomics.store(this.#stoppedRunNumber, 0, this.#runNumber)
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
    await this.exited
  }

  #settle(answer: ThreadAnswer): void {
    const settle = this.#answer
    this.#answer = null
    // An answer may have been on its way when the end came.
    settle?.(this.#isEnding ? { ...answer, isSpent: true } : answer)
  }
}
