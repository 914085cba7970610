import type {
  Clock,
  LanguageModel,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  ModelToolCall,
  ModelUsage,
} from '../../ports.ts'
import type { ModelDeadlines } from '../conversation.ts'

/** The outcome of a generation. `failed` includes deadlines and broken streams. */
export type GenerationEnd =
  | { readonly type: 'finished'; readonly usage: ModelUsage | null }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled' }

/** Maximum length of the buffered text before the reader pauses. One network read returns less. */
const BUFFER_LIMIT_CHARACTERS = 64_000

/** Maximum length of an answer, so that a model that never stops cannot exhaust memory. */
const ANSWER_LIMIT_CHARACTERS = 1_000_000

const MODEL_ADAPTER_FAILED: ModelFailure = { kind: 'protocol', message: 'The model adapter failed.', retryable: false }
const ENDED_EARLY: ModelFailure = {
  kind: 'protocol',
  message: 'The model stream ended without a finish event.',
  retryable: true,
}
const TOO_LONG: ModelFailure = {
  kind: 'protocol',
  message: `The answer is longer than ${ANSWER_LIMIT_CHARACTERS} characters.`,
  retryable: false,
}

const noop = (): void => {}

/**
 * Reads one generation ahead of its consumer, so that the consumer can take pending text immediately. Ends the generation at a
 * deadline or when `signal` aborts, even if the model ignores both. Callers must call `close`.
 */
export class ModelReader {
  readonly #clock: Clock
  readonly #deadlines: ModelDeadlines
  readonly #signal: AbortSignal
  readonly #controller = new AbortController()
  #iterator: AsyncIterator<ModelEvent> | null = null
  #text = ''
  #receivedCharacters = 0
  #toolCalls: ModelToolCall[] = []
  #end: GenerationEnd | null = null
  #resolveWaiter: (() => void) | null = null
  #isPaused = false
  #hasStarted = false
  #lastActivityAtMs: number
  #cancelTotalDeadline: () => void = noop
  #cancelTokenDeadline: () => void = noop

  constructor(
    model: LanguageModel,
    request: Omit<ModelRequest, 'signal'>,
    environment: { readonly clock: Clock; readonly deadlines: ModelDeadlines; readonly signal: AbortSignal },
  ) {
    this.#clock = environment.clock
    this.#deadlines = environment.deadlines
    this.#signal = environment.signal
    this.#lastActivityAtMs = environment.clock.now()
    if (this.#signal.aborted) {
      this.#end = { type: 'cancelled' }
      return
    }
    this.#signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#cancelTotalDeadline = this.#schedule(this.#deadlines.totalMs, () =>
      this.#failByTimeout('The answer took longer than allowed.'),
    )
    this.#cancelTokenDeadline = this.#schedule(this.#deadlines.firstTokenMs, this.#checkDeadline)
    try {
      const stream = model.stream({ ...request, signal: this.#controller.signal })
      this.#iterator = stream[Symbol.asyncIterator]()
    } catch {
      this.#finish({ type: 'failed', failure: MODEL_ADAPTER_FAILED })
      return
    }
    this.#readNext()
  }

  /** The outcome, or `null` while the model is answering. Text may remain after the end. */
  get end(): GenerationEnd | null {
    return this.#end
  }

  /** Received tool calls in order, with the model's IDs. */
  get toolCalls(): readonly ModelToolCall[] {
    return this.#toolCalls
  }

  /** Returns and clears the text received since the last call, or `''` if there is none. */
  takeText(): string {
    const text = this.#text
    this.#text = ''
    if (this.#isPaused && this.#end === null) {
      this.#isPaused = false
      this.#lastActivityAtMs = this.#clock.now()
      this.#readNext()
    }
    return text
  }

  /** Resolves on new text or at the end. Supports one waiter at a time. */
  waitForChange(): Promise<void> {
    if (this.#text !== '' || this.#end !== null) return Promise.resolve()
    return new Promise((resolve) => {
      this.#resolveWaiter = resolve
    })
  }

  /** Ends a running generation, closes the upstream, and releases timers and listeners. */
  close(): void {
    this.#finish({ type: 'cancelled' })
  }

  readonly #onAbort = (): void => this.#finish({ type: 'cancelled' })

  #readNext(): void {
    try {
      this.#iterator?.next().then(this.#onResult, this.#onRejection)
    } catch {
      this.#onRejection()
    }
  }

  readonly #onRejection = (): void => this.#finish({ type: 'failed', failure: MODEL_ADAPTER_FAILED })

  readonly #onResult = (result: IteratorResult<ModelEvent>): void => {
    if (this.#end !== null) return
    if (result.done === true) {
      this.#finish({ type: 'failed', failure: ENDED_EARLY })
      return
    }
    this.#handleEvent(result.value)
    if (this.#end !== null) return
    if (this.#text.length < BUFFER_LIMIT_CHARACTERS) this.#readNext()
    else this.#isPaused = true
  }

  #handleEvent(event: ModelEvent): void {
    switch (event.type) {
      case 'text-delta':
        this.#recordActivity(event.text.length)
        if (event.text === '') return
        this.#text += event.text
        this.#notifyWaiter()
        return
      case 'tool-call':
        this.#recordActivity(event.call.argumentsText.length)
        this.#toolCalls.push(event.call)
        return
      case 'finish':
        this.#finish({ type: 'finished', usage: event.usage })
        return
      case 'error':
        this.#finish({ type: 'failed', failure: event.failure })
    }
  }

  #recordActivity(characters: number): void {
    this.#lastActivityAtMs = this.#clock.now()
    this.#receivedCharacters += characters
    if (this.#receivedCharacters > ANSWER_LIMIT_CHARACTERS) this.#finish({ type: 'failed', failure: TOO_LONG })
    if (this.#hasStarted || this.#end !== null) return
    this.#hasStarted = true
    // The idle deadline is usually shorter, so the running timer would fire too late.
    this.#cancelTokenDeadline()
    this.#cancelTokenDeadline = this.#schedule(this.#deadlines.idleMs, this.#checkDeadline)
  }

  /** Reschedules the deadline if a token has arrived since the timer was set. */
  readonly #checkDeadline = (): void => {
    const limitMs = this.#hasStarted ? this.#deadlines.idleMs : this.#deadlines.firstTokenMs
    const remainingMs = this.#isPaused ? limitMs : limitMs - (this.#clock.now() - this.#lastActivityAtMs)
    if (remainingMs > 0) this.#cancelTokenDeadline = this.#schedule(remainingMs, this.#checkDeadline)
    else
      this.#failByTimeout(
        this.#hasStarted ? 'The model stopped in the middle of its answer.' : 'The model did not answer in time.',
      )
  }

  #failByTimeout(message: string): void {
    this.#finish({ type: 'failed', failure: { kind: 'timeout', message, retryable: true } })
  }

  #schedule(delayMs: number, callback: () => void): () => void {
    return Number.isFinite(delayMs) ? this.#clock.after(delayMs, callback) : noop
  }

  #finish(end: GenerationEnd): void {
    if (this.#end !== null) return
    this.#end = end
    this.#cancelTotalDeadline()
    this.#cancelTokenDeadline()
    this.#signal.removeEventListener('abort', this.#onAbort)
    if (end.type !== 'finished') this.#controller.abort()
    try {
      // A generator that waits for the network returns late, so do not await it.
      this.#iterator?.return?.().then(noop, noop)
    } catch {
      // If the adapter cannot be closed, the abort signal already stopped it.
    }
    this.#notifyWaiter()
  }

  #notifyWaiter(): void {
    const resolveWaiter = this.#resolveWaiter
    this.#resolveWaiter = null
    resolveWaiter?.()
  }
}
