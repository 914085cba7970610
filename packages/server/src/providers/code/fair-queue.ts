/** `null` stands for everybody who has no name; only the limits of the whole line are theirs. */
export type Owner = number | null

/** A line in which each owner has its turn, however much others have put into it. */
export interface FairQueue<Item> {
  readonly size: number
  /** False when the line, or the owner's part of it, is full. */
  add(owner: Owner, item: Item): boolean
  /** Takes the next item of the owner whose turn it is, among those that `mayRun` allows; null when there is none. */
  take(mayRun: (owner: Owner) => boolean): Item | null
  /** Takes an item out before its turn; false when it does not wait. */
  remove(owner: Owner, item: Item): boolean
  /** Takes everything out. */
  clear(): readonly Item[]
}

export interface FairQueueOptions {
  readonly mostItems: number
  readonly mostItemsPerOwner: number
}

/** Makes an empty line. An owner's items are taken in the order in which they came. */
export function createFairQueue<Item>({ mostItems, mostItemsPerOwner }: FairQueueOptions): FairQueue<Item> {
  /** In the order of turns: who was served goes to the end. No owner is here without items. */
  const lines = new Map<Owner, Item[]>()
  let size = 0

  const take = (owner: Owner, line: Item[]): Item | null => {
    const item = line.shift()
    if (item === undefined) return null
    size -= 1
    lines.delete(owner)
    if (line.length > 0) lines.set(owner, line)
    return item
  }

  return {
    get size() {
      return size
    },
    add(owner, item) {
      const line = lines.get(owner) ?? []
      const mostOfOwner = owner === null ? mostItems : mostItemsPerOwner
      if (size >= mostItems || line.length >= mostOfOwner) return false
      line.push(item)
      lines.set(owner, line)
      size += 1
      return true
    },
    take(mayRun) {
      for (const [owner, line] of lines) {
        if (mayRun(owner)) return take(owner, line)
      }
      return null
    },
    remove(owner, item) {
      const line = lines.get(owner)
      const index = line?.indexOf(item) ?? -1
      if (line === undefined || index === -1) return false
      line.splice(index, 1)
      size -= 1
      if (line.length === 0) lines.delete(owner)
      return true
    },
    clear() {
      const items = [...lines.values()].flat()
      lines.clear()
      size = 0
      return items
    },
  }
}
