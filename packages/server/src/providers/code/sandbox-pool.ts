import type { Clock } from '@parley/engine/ports'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { failed, type SandboxOutcome, type SandboxRequest } from './sandbox-protocol.ts'
import { SandboxThread } from './sandbox-thread.ts'

/** A piece of code that waits for a thread or runs on one. */
export interface SandboxJob {
  /** Whose code it is. */
  readonly owner: number
  readonly request: SandboxRequest
  /** Called once with what came of it, unless it was dropped before. */
  answered(outcome: SandboxOutcome): void
}

export interface SandboxPoolOptions {
  readonly clock: Clock
  readonly threads: number
  readonly mostWaiting: number
  readonly mostWaitingPerOwner: number
  /** A thread without work for this long is ended. */
  readonly idleMs: number
}

interface Place {
  readonly thread: SandboxThread
  /** `null` once it was dropped while it ran. */
  job: SandboxJob | null
}

/** Code that was asked to stop has this long before its thread is ended. */
const STOP_GRACE_MS = 250

const STOPPING = failed('unavailable', 'The code could not be run because the server is stopping.')

/** A few threads for the code of all owners. They start when there is work, and end when there has been none for a while. */
export class SandboxPool {
  readonly #options: SandboxPoolOptions
  readonly #waiting: FairQueue<SandboxJob>
  /** All threads that have not exited. */
  readonly #threads = new Set<SandboxThread>()
  /** Those without work, with what keeps them from being ended. */
  readonly #idle = new Map<SandboxThread, () => void>()
  readonly #running = new Map<SandboxJob, Place>()
  /** Threads at work, dropped code included, by owner. */
  readonly #busy = new Map<number, number>()
  #isClosed = false

  constructor(options: SandboxPoolOptions) {
    this.#options = options
    this.#waiting = createFairQueue({
      mostItems: options.mostWaiting,
      mostItemsPerOwner: options.mostWaitingPerOwner,
    })
  }

  /** Puts code in line; false when the line is full or the pool closed, and then nothing will be answered. */
  submit(job: SandboxJob): boolean {
    if (this.#isClosed || !this.#waiting.add(job.owner, job)) return false
    this.#advance()
    return true
  }

  /** Takes code out of the line or stops it. It is not answered any more. Says where it was. */
  drop(job: SandboxJob): 'waiting' | 'running' {
    const place = this.#running.get(job)
    if (place === undefined) {
      this.#waiting.remove(job.owner, job)
      return 'waiting'
    }
    this.#running.delete(job)
    place.job = null
    place.thread.stop()
    const cancel = this.#options.clock.after(STOP_GRACE_MS, () => place.thread.end())
    return 'running'
  }

  /** Ends all threads. What waits or runs is answered as unavailable. */
  async close(): Promise<void> {
    this.#isClosed = true
    const jobs = [...this.#waiting.clear(), ...this.#running.keys()]
    this.#running.clear()
    for (const cancel of this.#idle.values()) cancel()
    this.#idle.clear()
    for (const job of jobs) job.answered(STOPPING)
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }
}
