/** A map of limited size. A new entry evicts the least recently used entry, which is passed to `onEvict`. */
export class RecentMap<Value> {
  readonly #maxSize: number
  readonly #onEvict: (value: Value) => void
  readonly #entries = new Map<string, Value>()

  constructor(maxSize: number, onEvict: (value: Value) => void = () => {}) {
    this.#maxSize = maxSize
    this.#onEvict = onEvict
  }

  getOrCreate(key: string, create: () => Value): Value {
    const value = this.#entries.get(key) ?? create()
    // Reinserting an entry makes it the most recent, because a Map keeps insertion order.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const [oldestEntry] = this.#entries
    if (this.#entries.size > this.#maxSize && oldestEntry !== undefined) {
      const [oldestKey, oldestValue] = oldestEntry
      this.#entries.delete(oldestKey)
      this.#onEvict(oldestValue)
    }
    return value
  }
}
