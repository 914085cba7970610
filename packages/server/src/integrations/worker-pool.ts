import type { Clock } from '@parley/engine/ports'

/** A thread or a process that works for a pool. */
export interface PoolWorker {
  /** Resolves when it is gone, whatever the reason. */
  readonly exited: Promise<void>
  /** Ends it, whatever it does. */
  end(): Promise<void>
}

export interface WorkerPoolOptions<Worker> {
  readonly clock: Clock
  readonly maxWorkers: number
  /** A worker without work for this long is ended, so that its memory returns. */
  readonly idleMs: number
  /** Throws when the system gives none. */
  readonly start: () => Worker
  /** One is gone: there is room for another. */
  readonly onExit: () => void
}

/** The workers of a pool. They start when there is work and end when there has been none for a while. */
export class WorkerPool<Worker extends PoolWorker> {
  readonly #options: WorkerPoolOptions<Worker>
  /** All that have not exited. */
  readonly #workers = new Set<Worker>()
  /** Those without work, used last last, each with what stops its timer. */
  readonly #idle = new Map<Worker, () => void>()

  constructor(options: WorkerPoolOptions<Worker>) {
    this.#options = options
  }

  /** Workers that have not exited, those that are being ended included. */
  get size(): number {
    return this.#workers.size
  }

  /** Whether there is one for more work, or may be. */
  get hasRoom(): boolean {
    return this.#idle.size > 0 || this.#workers.size < this.#options.maxWorkers
  }

  /** A worker for some work, where there is room. `null` when the system gives none. */
  take(): Worker | null {
    // The one used last, so that those that are not needed stay without work.
    const worker = [...this.#idle.keys()].at(-1)
    if (worker === undefined) return this.#start()
    this.#wake(worker)
    return worker
  }

  /** Its work is done and it is good for more. One that is being ended must not rest. */
  rest(worker: Worker): void {
    const end = (): void => {
      this.#idle.delete(worker)
      void worker.end()
    }
    this.#idle.set(worker, this.#options.clock.after(this.#options.idleMs, end))
  }

  /** Ends all. Nobody may take one afterwards. */
  async close(): Promise<void> {
    for (const worker of [...this.#idle.keys()]) this.#wake(worker)
    await Promise.all([...this.#workers].map((worker) => worker.end()))
  }

  #start(): Worker | null {
    let worker: Worker
    try {
      worker = this.#options.start()
    } catch {
      // Whoever takes one says what that means for its work.
      return null
    }
    this.#workers.add(worker)
    void worker.exited.then(() => {
      this.#workers.delete(worker)
      this.#wake(worker)
      this.#options.onExit()
    })
    return worker
  }

  #wake(worker: Worker): void {
    this.#idle.get(worker)?.()
    this.#idle.delete(worker)
  }
}
