export interface FairQueueOptions {
  /** Items of one group that may be taken and not yet finished; unlimited when absent. */
  readonly maxRunningPerGroup?: number
}

/**
 * Items of several groups, taken in turns: one item of each group, however many another group has queued. Within a group the
 * order is that of arrival. Items are told apart by identity, so each may be queued once at a time.
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
