import type { Clock } from '@parley/engine/ports'
import { WorkerCrew } from '../worker-crew.ts'
import { createFairQueue, type FairQueue, type Owner } from './fair-queue.ts'
import { NOT_STARTED, STOPPING, TOO_MUCH_WAITING } from './sandbox-failures.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-protocol.ts'
import { SandboxThread } from './sandbox-thread.ts'

/** A piece of code that waits for a thread or runs on one. */
export interface SandboxJob {
  /** Whose code it is. */
  readonly owner: Owner
  readonly request: SandboxRequest
  /** Called once with what came of it, unless it was dropped before. */
  answered(outcome: SandboxOutcome): void
}

export interface SandboxPoolOptions {
  readonly clock: Clock
  readonly mostThreads: number
  readonly mostThreadsPerOwner: number
  readonly mostWaiting: number
  readonly mostWaitingPerOwner: number
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

/** A few threads for the code of all owners. They start when there is work and end when there has been none for a while. */
export class SandboxPool {
  readonly #options: SandboxPoolOptions
  readonly #waiting: FairQueue<SandboxJob>
  readonly #threads: WorkerCrew<SandboxThread>
  readonly #running = new Map<SandboxJob, Place>()
  /** Threads at work for each owner, those that are stopping included. */
  readonly #busy = new Map<Owner, number>()
  #isClosed = false

  constructor(options: SandboxPoolOptions) {
    this.#options = options
    this.#threads = new WorkerCrew({
      clock: options.clock,
      most: options.mostThreads,
      idleMs: options.idleMs,
      start: () => new SandboxThread(),
      onExit: () => this.#advance(),
    })
    const { mostWaiting: mostItems, mostWaitingPerOwner: mostItemsPerOwner } = options
    this.#waiting = createFairQueue({ mostItems, mostItemsPerOwner })
  }

  /** Puts a job in line. It is answered at once when the line is full or the pool closed. */
  submit(job: SandboxJob): void {
    if (this.#isClosed) job.answered(STOPPING)
    else if (this.#waiting.add(job.owner, job)) this.#advance()
    else job.answered(TOO_MUCH_WAITING)
  }

  /** Takes a job out of the line, or stops it. It will not be answered any more. Says where it was. */
  drop(job: SandboxJob): 'waiting' | 'running' {
    const place = this.#running.get(job)
    if (place === undefined) {
      this.#waiting.remove(job.owner, job)
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
    const { mostThreadsPerOwner } = this.#options
    const mayRun = (owner: Owner): boolean => owner === null || (this.#busy.get(owner) ?? 0) < mostThreadsPerOwner
    while (this.#threads.hasRoom) {
      const job = this.#waiting.take(mayRun)
      if (job === null) return
      const thread = this.#threads.take()
      if (thread === null) job.answered(NOT_STARTED)
      else void this.#work(thread, job)
    }
  }

  async #work(thread: SandboxThread, job: SandboxJob): Promise<void> {
    const place: Place = { thread, spare: () => {} }
    this.#running.set(job, place)
    this.#busy.set(job.owner, (this.#busy.get(job.owner) ?? 0) + 1)
    const { outcome, isSpent } = await thread.run(job.request)
    place.spare()
    if (this.#running.delete(job)) job.answered(outcome)
    const stillBusy = (this.#busy.get(job.owner) ?? 1) - 1
    if (stillBusy === 0) this.#busy.delete(job.owner)
    else this.#busy.set(job.owner, stillBusy)
    if (isSpent || this.#isClosed) await thread.end()
    else this.#threads.rest(thread)
    this.#advance()
  }
}
