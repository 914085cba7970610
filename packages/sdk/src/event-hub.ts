/** Dispatches events to listeners. Events before `open` are queued. */
export class EventHub<Events> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>()
  #waiting: (() => void)[] | null = []

  /** Adds a listener and returns a function that removes it. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  off<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void {
    this.#listeners.get(name)?.delete(listener)
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    if (this.#waiting !== null) {
      this.#waiting.push(() => this.#deliver(name, event))
      return
    }
    this.#deliver(name, event)
  }

  /** Delivers queued events, and further ones at once. */
  open(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const deliver of waiting) deliver()
  }

  #deliver<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        ;(listener as (event: Events[Name]) => void)(event)
      } catch (error) {
        // An error in a listener must not end the call; it is reported like any uncaught error.
        reportError(error)
      }
    }
  }
}
