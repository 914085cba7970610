import type { Clock, CustomLlmEvent, CustomLlmRequest, ModelFailure } from '@parley/engine/ports'
import { type AnswerFrame, createExpiredFailure, createProtocolError } from './custom-llm-frames.ts'

/** How a response ended. After `failed`, its connection is not reused. */
export type AnswerEnd = 'complete' | 'failed' | 'cancelled'

/** Longer than any response. Keeps an endless response from filling the memory before its deadline. */
const MAX_ANSWER_CHARACTERS = 1_000_000

/** Maximum number of tool calls, because each call is recorded. */
const MAX_TOOL_CALLS = 100

const noop = (): void => {}

/** A response in progress: its state, deadlines and single end. A response can outlive the connection of its request. */
export class CustomLlmAnswer {
  readonly #clock: Clock
  readonly #deadlines: CustomLlmRequest['deadlines']
  readonly #requestSignal: AbortSignal
  readonly #controller = new AbortController()
  #queuedEvents: CustomLlmEvent[] = []
  #end: AnswerEnd | null = null
  #hasStarted = false
  #endCall = false
  #characterCount = 0
  #toolCallCount = 0
  #lastActivityMs: number
  #hasReceived = false
  #wake: () => void = noop
  #onEnd: (end: AnswerEnd) => void = noop
  #cancelTotalTimer: () => void = noop
  #cancelWaitTimer: () => void = noop

  constructor({ deadlines, signal }: Pick<CustomLlmRequest, 'deadlines' | 'signal'>, clock: Clock) {
    this.#clock = clock
    this.#deadlines = deadlines
    this.#requestSignal = signal
    this.#lastActivityMs = clock.now()
    if (signal.aborted) {
      this.cancel()
      return
    }
    signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#cancelTotalTimer = this.#startTimer(deadlines.totalMs, () =>
      this.fail(createExpiredFailure('The answer took longer than allowed.')),
    )
    this.#cancelWaitTimer = this.#startTimer(deadlines.firstTokenMs, this.#checkWait)
  }

  /** Signal that aborts when the response ends. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get hasEnded(): boolean {
    return this.#end !== null
  }

  /** Whether part of the response was emitted. Such a response must not be requested again. */
  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /** Sets the listener for the end of the response, which replaces an earlier listener. */
  onEnd(listener: (end: AnswerEnd) => void): void {
    this.#onEnd = listener
  }

  /** Accepts a part of the response. Parts after the end are ignored. */
  accept(frame: AnswerFrame): void {
    if (this.#end !== null) return
    this.#recordActivity(countCharacters(frame))
    if (this.#end !== null) return
    if (frame.type !== 'text') {
      if (frame.type === 'tool-call') this.#toolCallCount += 1
      if (this.#toolCallCount <= MAX_TOOL_CALLS) this.#push(frame)
      else this.fail(createTooLongFailure(`The server called more than ${MAX_TOOL_CALLS} tools for one answer.`))
      return
    }
    if (frame.content !== '') this.#push({ type: 'text-delta', text: frame.content })
    this.#endCall ||= frame.endCall
    if (frame.complete) this.#finish('complete', { type: 'complete', endCall: this.#endCall })
  }

  fail(failure: ModelFailure): void {
    this.#finish('failed', { type: 'failed', failure })
  }

  /** Ends the response without an event and discards queued events. */
  cancel(): void {
    this.#finish('cancelled', null)
  }

  /** Streams the events to one consumer. */
  async *streamEvents(): AsyncGenerator<CustomLlmEvent> {
    for (;;) {
      const batch = this.#queuedEvents
      this.#queuedEvents = []
      for (const event of batch) {
        // The response may have completed before the abort. No event follows an abort.
        if (this.#requestSignal.aborted || this.#end === 'cancelled') return
        yield event
      }
      if (this.#queuedEvents.length > 0) continue
      if (this.#end !== null) return
      await this.#waitForChange()
    }
  }

  readonly #onAbort = (): void => this.cancel()

  #waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #push(event: CustomLlmEvent): void {
    this.#hasStarted = true
    this.#queuedEvents.push(event)
    this.#wake()
  }

  #recordActivity(characters: number): void {
    this.#lastActivityMs = this.#clock.now()
    this.#characterCount += characters
    if (this.#characterCount > MAX_ANSWER_CHARACTERS) {
      this.fail(createTooLongFailure(`The answer is longer than ${MAX_ANSWER_CHARACTERS} characters.`))
    }
    if (this.#hasReceived || this.#end !== null) return
    this.#hasReceived = true
    // The idle limit is usually shorter than the limit for the first token, so the timer is restarted.
    this.#cancelWaitTimer()
    this.#cancelWaitTimer = this.#startTimer(this.#deadlines.idleMs, this.#checkWait)
  }

  /** Restarts the timer for the remaining time, because new parts only record their arrival time. */
  readonly #checkWait = (): void => {
    const limitMs = this.#hasReceived ? this.#deadlines.idleMs : this.#deadlines.firstTokenMs
    const remainingMs = limitMs - (this.#clock.now() - this.#lastActivityMs)
    if (remainingMs > 0) this.#cancelWaitTimer = this.#startTimer(remainingMs, this.#checkWait)
    else if (this.#hasReceived) this.fail(createExpiredFailure('The server stopped in the middle of its answer.'))
    else this.fail(createExpiredFailure('The server did not answer in time.'))
  }

  #startTimer(delayMs: number, callback: () => void): () => void {
    return Number.isFinite(delayMs) ? this.#clock.after(delayMs, callback) : noop
  }

  #finish(end: AnswerEnd, lastEvent: CustomLlmEvent | null): void {
    if (this.#end !== null) return
    this.#end = end
    this.#cancelTotalTimer()
    this.#cancelWaitTimer()
    this.#requestSignal.removeEventListener('abort', this.#onAbort)
    if (lastEvent !== null) this.#queuedEvents.push(lastEvent)
    this.#onEnd(end)
    this.#controller.abort()
    this.#wake()
  }
}

/** Builds a failure that is not retryable, because another attempt would be just as long. */
function createTooLongFailure(message: string): ModelFailure {
  return { ...createProtocolError(message), retryable: false }
}

function countCharacters(frame: AnswerFrame): number {
  return frame.type === 'tool-call' ? frame.call.argumentsText.length : frame.content.length
}
