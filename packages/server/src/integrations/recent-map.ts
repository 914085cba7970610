/** A map of limited size. A new entry evicts the least recently used entry. */
export class RecentMap<Value> {
  readonly #maxSize: number
  readonly #entries = new Map<string, Value>()

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  getOrCreate(key: string, create: () => Value): Value {
    const value = this.#entries.get(key) ?? create()
    // Inserting an entry again makes it the newest, because a Map keeps insertion order.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#maxSize && oldest !== undefined) this.#entries.delete(oldest)
    return value
  }
}
