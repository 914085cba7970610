/** A map of limited size. A new entry evicts the least recently used entry. */
export class RecentMap<Value> {
  readonly #maxSize: number
  readonly #entries = new Map<string, Value>()

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  getOrCreate(key: string, create: () => Value): Value {
    const value = this.#entries.get(key) ?? create()
    // Reinserting an entry makes it the most recent, because a Map keeps insertion order.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const [oldestKey] = this.#entries.keys()
    if (this.#entries.size > this.#maxSize && oldestKey !== undefined) this.#entries.delete(oldestKey)
    return value
  }
}
