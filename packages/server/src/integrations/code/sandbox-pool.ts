import type { Clock } from '@parley/engine/ports'
import { FairQueue } from '../fair-queue.ts'
import { WorkerPool } from '../worker-pool.ts'
import { NOT_STARTED, QUEUE_FULL, STOPPING } from './sandbox-failures.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-protocol.ts'
import { SandboxThread } from './sandbox-thread.ts'

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
  /** Spares the thread of a dropped job, once it has stopped by itself. */
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
