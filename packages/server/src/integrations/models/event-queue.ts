import type { ModelEvent } from '@parley/engine/ports'

/** What a queue tells its producer. */
export interface EventQueueOwner {
  /** The consumer asked for the first event: work may begin. */
  start(): void
  /** Everything that was queued has been taken. */
  drained(): void
  /** The consumer walked away before the end. */
  abandoned(): void
}

const DONE: IteratorResult<ModelEvent, undefined> = { done: true, value: undefined }

/**
 * Hands events from socket callbacks to one `for await`. Written by hand because an async generator between them costs
 * three promises per token; here an event that is already queued costs one.
 */
export class EventQueue implements AsyncIterableIterator<ModelEvent, undefined> {
  readonly #signal: AbortSignal
  readonly #owner: EventQueueOwner
  #events: ModelEvent[] = []
  #taken = 0
  #waiting: ((result: IteratorResult<ModelEvent, undefined>) => void)[] = []
  #started = false
  #ended = false

  constructor(signal: AbortSignal, owner: EventQueueOwner) {
    this.#signal = signal
    this.#owner = owner
  }

  get length(): number {
    return this.#events.length - this.#taken
  }

  push(event: ModelEvent): void {
    if (this.#ended) return
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#events.push(event)
    else waiting({ done: false, value: event })
  }

  /** What is queued can still be taken; nothing is added any more. */
  end(): void {
    this.#ended = true
    for (const waiting of this.#waiting.splice(0)) waiting(DONE)
  }

  /** Ends at once and forgets what is queued. */
  cancel(): void {
    this.#events = []
    this.#taken = 0
    this.end()
  }

  next(): Promise<IteratorResult<ModelEvent, undefined>> {
    if (!this.#started) {
      this.#started = true
      this.#owner.start()
    }
    // The answer may have arrived whole before the abort; even so nothing comes after it.
    if (this.#signal.aborted) this.cancel()
    const event = this.#events[this.#taken]
    if (event === undefined) {
      if (this.#ended) return Promise.resolve(DONE)
      return new Promise((resolve) => this.#waiting.push(resolve))
    }
    this.#taken += 1
    if (this.#taken === this.#events.length) {
      this.#events = []
      this.#taken = 0
      this.#owner.drained()
    }
    return Promise.resolve({ done: false, value: event })
  }

  return(): Promise<IteratorResult<ModelEvent, undefined>> {
    // Without a start there is nothing to stop, and a later `next` must not begin it.
    this.#started = true
    const unfinished = !this.#ended
    this.cancel()
    if (unfinished) this.#owner.abandoned()
    return Promise.resolve(DONE)
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
