/** Hands events to those who listen. What happens before it is opened waits, so that nobody comes too late. */
export class EventHub<Events> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>()
  #waiting: (() => void)[] | null = []

  /** Listens; returns what ends that. */
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

  /** Delivers what waits, and everything else at once from now on. */
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
        // A listener's mistake must not end the call: it is reported as any other that nobody catches.
        reportError(error)
      }
    }
  }
}
