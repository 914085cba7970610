import type { Clock } from '@parley/engine/ports'

/** A thread or process of a pool. */
export interface PoolWorker {
  /** Resolves when the worker has exited, regardless of the reason. */
  readonly exited: Promise<void>
  /** Terminates the worker, regardless of its current work. */
  terminate(): Promise<void>
}

export interface WorkerPoolOptions<Worker> {
  readonly clock: Clock
  readonly maxWorkers: number
  /** Time after which an idle worker is terminated to free its memory. */
  readonly idleMs: number
  /** Starts a worker. Throws if no worker can start. */
  readonly start: () => Worker
  /** Called when a worker has exited, so that another worker can start. */
  readonly onExit: () => void
}

/** A pool of workers, which start on demand and are terminated when idle. */
export class WorkerPool<Worker extends PoolWorker> {
  readonly #options: WorkerPoolOptions<Worker>
  /** Workers that have not exited. */
  readonly #workers = new Set<Worker>()
  /** Functions that cancel the timers of idle workers, in the order of last use. */
  readonly #idleTimers = new Map<Worker, () => void>()

  constructor(options: WorkerPoolOptions<Worker>) {
    this.#options = options
  }

  /** Number of workers that have not exited, including workers that are being terminated. */
  get size(): number {
    return this.#workers.size
  }

  /** Whether a worker is idle or can be started. */
  get hasCapacity(): boolean {
    return this.#idleTimers.size > 0 || this.#workers.size < this.#options.maxWorkers
  }

  /**
   * Returns an idle worker or starts one. Call this only if `hasCapacity` is true. Returns null if no worker can start.
   */
  acquire(): Worker | null {
    // Reuses the most recently used worker, so that surplus workers become idle and are terminated.
    const worker = [...this.#idleTimers.keys()].at(-1)
    if (worker === undefined) return this.#start()
    this.#cancelIdleTimer(worker)
    return worker
  }

  /** Makes a worker idle. Must not be called for a worker that is being terminated. */
  release(worker: Worker): void {
    const terminateIdle = (): void => {
      this.#idleTimers.delete(worker)
      void worker.terminate()
    }
    this.#idleTimers.set(worker, this.#options.clock.after(this.#options.idleMs, terminateIdle))
  }

  /** Terminates all workers. No worker can be acquired afterwards. */
  async close(): Promise<void> {
    for (const worker of [...this.#idleTimers.keys()]) this.#cancelIdleTimer(worker)
    await Promise.all([...this.#workers].map((worker) => worker.terminate()))
  }

  #start(): Worker | null {
    let worker: Worker
    try {
      worker = this.#options.start()
    } catch {
      // The caller handles the missing worker.
      return null
    }
    this.#workers.add(worker)
    void worker.exited.then(() => {
      this.#workers.delete(worker)
      this.#cancelIdleTimer(worker)
      this.#options.onExit()
    })
    return worker
  }

  #cancelIdleTimer(worker: Worker): void {
    this.#idleTimers.get(worker)?.()
    this.#idleTimers.delete(worker)
  }
}

interface FairQueueOptions {
  /** Maximum number of running items per group. Unlimited by default. */
  readonly maxRunningPerGroup?: number
}

/**
 * A queue that serves groups in turn, and the items of each group in order of arrival. An item can be queued only once at a
 * time.
 */
export class FairQueue<Item> {
  readonly #maxRunningPerGroup: number
  /** Groups with queued items in the order of their turns. A group moves to the end after its turn. */
  readonly #queued = new Map<string, Set<Item>>()
  readonly #groups = new Map<Item, string>()
  /** Running items and their groups. Empty if there is no limit. */
  readonly #running = new Map<Item, string>()
  readonly #runningPerGroup = new Map<string, number>()

  constructor({ maxRunningPerGroup = Number.POSITIVE_INFINITY }: FairQueueOptions = {}) {
    this.#maxRunningPerGroup = maxRunningPerGroup
  }

  /** Number of queued items. */
  get size(): number {
    return this.#groups.size
  }

  /** Returns the number of queued items of one group. */
  getGroupSize(group: string): number {
    return this.#queued.get(group)?.size ?? 0
  }

  push(group: string, item: Item): void {
    const items = this.#queued.get(group)
    if (items === undefined) this.#queued.set(group, new Set([item]))
    else items.add(item)
    this.#groups.set(item, group)
  }

  /**
   * Takes the next item of the first group below its limit. Skipped groups keep their turn. With a limit, the item counts as
   * running until `finish`.
   */
  take(): Item | undefined {
    for (const [group, items] of this.#queued) {
      if ((this.#runningPerGroup.get(group) ?? 0) >= this.#maxRunningPerGroup) continue
      for (const item of items) {
        this.#queued.delete(group)
        if (items.size > 1) this.#queued.set(group, items)
        this.remove(item)
        if (this.#maxRunningPerGroup !== Number.POSITIVE_INFINITY) this.#markRunning(group, item)
        return item
      }
    }
    return undefined
  }

  /** Removes a queued item. Returns false if the item is not queued. */
  remove(item: Item): boolean {
    const group = this.#groups.get(item)
    if (group === undefined) return false
    this.#groups.delete(item)
    const items = this.#queued.get(group)
    items?.delete(item)
    if (items?.size === 0) this.#queued.delete(group)
    return true
  }

  /** Marks a taken item as no longer running. */
  finish(item: Item): void {
    const group = this.#running.get(item)
    if (group === undefined) return
    this.#running.delete(item)
    const remainingCount = (this.#runningPerGroup.get(group) ?? 1) - 1
    if (remainingCount === 0) this.#runningPerGroup.delete(group)
    else this.#runningPerGroup.set(group, remainingCount)
  }

  /** Removes and returns all queued items. */
  clear(): readonly Item[] {
    const items = [...this.#queued.values()].flatMap((groupItems) => [...groupItems])
    this.#queued.clear()
    this.#groups.clear()
    return items
  }

  #markRunning(group: string, item: Item): void {
    this.#running.set(item, group)
    this.#runningPerGroup.set(group, (this.#runningPerGroup.get(group) ?? 0) + 1)
  }
}
