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
      // The caller decides what a lost worker means for its work.
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
  /** Items of one group that may be taken and not yet finished; unlimited when absent. */
  readonly maxRunningPerGroup?: number
}

/**
 * Round-robin queue over groups, in order of arrival within a group. Items are compared by identity, so each can be
 * queued once at a time.
 */
export class FairQueue<Item> {
  readonly #maxRunningPerGroup: number
  /** In the order of turns: a group that was served moves to the end. No group is here without items. */
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
   * Takes the next item of the group whose turn it is; groups at their limit of running items keep their turn. Under a limit
   * the item counts as running until `finish`.
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

  /** Gives the place of a taken item back to its group. */
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
