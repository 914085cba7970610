/** A map of limited size: the entry that was used longest ago makes room for a new one. */
export class RecentMap<Value> {
  readonly #maxSize: number
  readonly #entries = new Map<string, Value>()

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  getOrMake(key: string, make: () => Value): Value {
    const value = this.#entries.get(key) ?? make()
    // An entry that is inserted again becomes the newest: a Map keeps the order of insertion.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#maxSize && oldest !== undefined) this.#entries.delete(oldest)
    return value
  }
}
