const DONE: IteratorResult<never, undefined> = { done: true, value: undefined }

/** Callbacks of the event source of a stream. */
export interface PushStreamSource<Event> {
  /** Called when the consumer requests the first event. */
  onStart(): void
  /** Called at most once, when the stream is aborted or the consumer stops reading before the last event. */
  onCancel(): void
  /** Called when the consumer has read all queued events. */
  onDrain?(): void
  /** Whether the stream ends with this event. */
  isLast(event: Event): boolean
}

/**
 * Passes events from callbacks to one `for await` loop. An abort ends the loop without another event. This class creates one
 * promise per event; an async generator would create three.
 */
export class PushStream<Event> implements AsyncIterableIterator<Event, undefined> {
  readonly #signal: AbortSignal
  readonly #source: PushStreamSource<Event>
  readonly #events: Event[] = []
  readonly #pendingReads: ((result: IteratorResult<Event, undefined>) => void)[] = []
  readonly #onAbort = (): void => this.#cancel()
  #isStarted = false
  #isEnded = false

  constructor(signal: AbortSignal, source: PushStreamSource<Event>) {
    this.#signal = signal
    this.#source = source
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Number of queued events. */
  get length(): number {
    return this.#events.length
  }

  /** Adds an event. Does nothing after the last event. */
  push(event: Event): void {
    if (this.#isEnded) return
    const resolveRead = this.#pendingReads.shift()
    if (resolveRead === undefined) this.#events.push(event)
    else resolveRead({ done: false, value: event })
    if (this.#source.isLast(event)) this.#end()
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    if (!this.#isStarted) this.#start()
    // The last event may have arrived before the abort. No event follows an abort.
    if (this.#signal.aborted) this.#events.length = 0
    const event = this.#events.shift()
    if (event !== undefined) {
      if (this.#events.length === 0 && !this.#isEnded) this.#source.onDrain?.()
      return Promise.resolve({ done: false, value: event })
    }
    if (this.#isEnded) return Promise.resolve(DONE)
    return new Promise((resolve) => this.#pendingReads.push(resolve))
  }

  return(): Promise<IteratorResult<Event, undefined>> {
    this.#cancel()
    return Promise.resolve(DONE)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #start(): void {
    this.#isStarted = true
    if (this.#signal.aborted) {
      this.#end()
      return
    }
    this.#signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#source.onStart()
  }

  #cancel(): void {
    this.#events.length = 0
    if (this.#isEnded) return
    this.#end()
    if (this.#isStarted) this.#source.onCancel()
    this.#isStarted = true
  }

  #end(): void {
    this.#isEnded = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    for (const resolveRead of this.#pendingReads.splice(0)) resolveRead(DONE)
  }
}
