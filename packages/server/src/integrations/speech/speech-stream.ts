import type { SpeechEvent } from '@parley/engine/voice/ports'

const DONE: IteratorResult<SpeechEvent, undefined> = { done: true, value: undefined }

/** What a stream tells whoever makes its events. */
export interface SpeechStreamOwner {
  /** The consumer asked for the first event: work may begin. */
  start(): void
  /** Aborted, or the consumer walked away: let go of everything. Called at most once, and not after the end. */
  canceled(): void
  /** Everything that was queued has been taken. */
  drained?(): void
}

/** Hands the events of a voice from callbacks to one `for await`. An abort ends it at once, without a further event. */
export class SpeechStream implements AsyncIterableIterator<SpeechEvent, undefined> {
  readonly #signal: AbortSignal
  readonly #owner: SpeechStreamOwner
  readonly #events: SpeechEvent[] = []
  readonly #waiting: ((result: IteratorResult<SpeechEvent, undefined>) => void)[] = []
  readonly #onAbort = (): void => this.#cancel()
  #isStarted = false
  #isEnded = false

  constructor(signal: AbortSignal, owner: SpeechStreamOwner) {
    this.#signal = signal
    this.#owner = owner
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Events that wait to be taken. */
  get length(): number {
    return this.#events.length
  }

  /** Nothing is taken after an `end` or a `failed`. */
  push(event: SpeechEvent): void {
    if (this.#isEnded) return
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#events.push(event)
    else waiting({ done: false, value: event })
    if (event.type === 'end' || event.type === 'failed') this.#end()
  }

  next(): Promise<IteratorResult<SpeechEvent, undefined>> {
    if (!this.#isStarted) this.#start()
    // The end may have come before the abort; even so nothing is told after it.
    if (this.#signal.aborted) this.#events.length = 0
    const event = this.#events.shift()
    if (event !== undefined) {
      if (this.#events.length === 0 && !this.#isEnded) this.#owner.drained?.()
      return Promise.resolve({ done: false, value: event })
    }
    if (this.#isEnded) return Promise.resolve(DONE)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  return(): Promise<IteratorResult<SpeechEvent, undefined>> {
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
    this.#owner.start()
  }

  #cancel(): void {
    this.#events.length = 0
    if (this.#isEnded) return
    this.#end()
    if (this.#isStarted) this.#owner.canceled()
    this.#isStarted = true
  }

  #end(): void {
    this.#isEnded = true
    this.#signal.removeEventListener('abort', this.#onAbort)
    for (const waiting of this.#waiting.splice(0)) waiting(DONE)
  }
}
