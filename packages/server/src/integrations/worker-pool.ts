import type { Clock } from '@parley/engine/ports'

/** A thread or process of a pool. */
export interface PoolWorker {
  /** Resolves when the worker has exited, whatever the reason. */
  readonly exited: Promise<void>
  /** Ends the worker, whatever it is doing. */
  end(): Promise<void>
}

export interface WorkerPoolOptions<Worker> {
  readonly clock: Clock
  readonly maxWorkers: number
  /** A worker without work for this long is ended to free its memory. */
  readonly idleMs: number
  /** Throws when no worker can start. */
  readonly start: () => Worker
  /** A worker has exited, so there is room for another. */
  readonly onExit: () => void
}

/** The workers of a pool. They start on demand and end when idle. */
export class WorkerPool<Worker extends PoolWorker> {
  readonly #options: WorkerPoolOptions<Worker>
  /** Workers that have not exited. */
  readonly #workers = new Set<Worker>()
  /** Idle workers, last used last, each with the function that stops its timer. */
  readonly #idle = new Map<Worker, () => void>()

  constructor(options: WorkerPoolOptions<Worker>) {
    this.#options = options
  }

  /** Number of workers that have not exited, including those that are being ended. */
  get size(): number {
    return this.#workers.size
  }

  /** Whether a worker is idle or can be started. */
  get hasRoom(): boolean {
    return this.#idle.size > 0 || this.#workers.size < this.#options.maxWorkers
  }

  /** Takes an idle worker or starts one; call it only with room. `null` when none can start. */
  take(): Worker | null {
    // Takes the last used one, so that surplus workers stay idle and end.
    const worker = [...this.#idle.keys()].at(-1)
    if (worker === undefined) return this.#start()
    this.#wake(worker)
    return worker
  }

  /** Makes a worker idle; must not be called for one that is being ended. */
  rest(worker: Worker): void {
    const end = (): void => {
      this.#idle.delete(worker)
      void worker.end()
    }
    this.#idle.set(worker, this.#options.clock.after(this.#options.idleMs, end))
  }

  /** Ends all workers. None may be taken afterwards. */
  async close(): Promise<void> {
    for (const worker of [...this.#idle.keys()]) this.#wake(worker)
    await Promise.all([...this.#workers].map((worker) => worker.end()))
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

interface FairQueueOptions {
  /** Limit of taken and unfinished items per group; unlimited when absent. */
  readonly maxRunningPerGroup?: number
}

/**
 * Round-robin queue over groups, in order of arrival within a group. Items are compared by identity, so each can be
 * queued once at a time.
 */
export class FairQueue<Item> {
  readonly #maxRunningPerGroup: number
  /** Groups with queued items in the order of their turns; a served group moves to the end. */
  readonly #queued = new Map<string, Set<Item>>()
  readonly #groups = new Map<Item, string>()
  /** Only counted under a limit. */
  readonly #running = new Map<Item, string>()
  readonly #runningPerGroup = new Map<string, number>()

  constructor({ maxRunningPerGroup = Number.POSITIVE_INFINITY }: FairQueueOptions = {}) {
    this.#maxRunningPerGroup = maxRunningPerGroup
  }

  /** Queued items. */
  get size(): number {
    return this.#groups.size
  }

  /** Queued items of one group. */
  sizeOf(group: string): number {
    return this.#queued.get(group)?.size ?? 0
  }

  push(group: string, item: Item): void {
    const items = this.#queued.get(group)
    if (items === undefined) this.#queued.set(group, new Set([item]))
    else items.add(item)
    this.#groups.set(item, group)
  }

  /**
   * Takes the next item of the first group below its limit; skipped groups keep their turn. With a limit, the item counts as
   * running until `finish`.
   */
  take(): Item | undefined {
    for (const [group, items] of this.#queued) {
      if ((this.#runningPerGroup.get(group) ?? 0) >= this.#maxRunningPerGroup) continue
      for (const item of items) {
        this.#queued.delete(group)
        if (items.size > 1) this.#queued.set(group, items)
        this.remove(item)
        if (this.#maxRunningPerGroup !== Number.POSITIVE_INFINITY) this.#begin(group, item)
        return item
      }
    }
    return undefined
  }

  /** Removes a queued item; false when it is not queued. */
  remove(item: Item): boolean {
    const group = this.#groups.get(item)
    if (group === undefined) return false
    this.#groups.delete(item)
    const items = this.#queued.get(group)
    items?.delete(item)
    if (items?.size === 0) this.#queued.delete(group)
    return true
  }

  /** Ends the running state of a taken item. */
  finish(item: Item): void {
    const group = this.#running.get(item)
    if (group === undefined) return
    this.#running.delete(item)
    const left = (this.#runningPerGroup.get(group) ?? 1) - 1
    if (left === 0) this.#runningPerGroup.delete(group)
    else this.#runningPerGroup.set(group, left)
  }

  /** Removes and returns all queued items. */
  clear(): readonly Item[] {
    const items = [...this.#queued.values()].flatMap((group) => [...group])
    this.#queued.clear()
    this.#groups.clear()
    return items
  }

  #begin(group: string, item: Item): void {
    this.#running.set(item, group)
    this.#runningPerGroup.set(group, (this.#runningPerGroup.get(group) ?? 0) + 1)
  }
}
