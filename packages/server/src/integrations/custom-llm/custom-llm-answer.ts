import type { Clock, CustomLlmEvent, CustomLlmRequest, ModelFailure } from '@parley/engine/ports'
import { type AnswerFrame, createExpiredFailure, createProtocolError } from './custom-llm-frames.ts'

/** How a response ended. After `failed`, its connection is not reused. */
export type AnswerEnd = 'complete' | 'failed' | 'cancelled'

/** Longer than any response, so that an endless response does not fill the memory before its deadline. */
const ANSWER_LIMIT_CHARACTERS = 1_000_000

/** Maximum number of tool calls, because each call is recorded. */
const TOOL_CALL_LIMIT = 100

const ignore = (): void => {}

/** A response in progress: its state, deadlines and single end. A response can outlive the connection of its request. */
export class CustomLlmAnswer {
  readonly #clock: Clock
  readonly #deadlines: CustomLlmRequest['deadlines']
  readonly #asker: AbortSignal
  readonly #controller = new AbortController()
  #queued: CustomLlmEvent[] = []
  #end: AnswerEnd | null = null
  #hasStarted = false
  #endCall = false
  #characters = 0
  #toolCalls = 0
  #lastActivityMs: number
  #hasReceived = false
  #wake: () => void = ignore
  #onEnd: (end: AnswerEnd) => void = ignore
  #cancelTotal: () => void = ignore
  #cancelWait: () => void = ignore

  constructor({ deadlines, signal }: Pick<CustomLlmRequest, 'deadlines' | 'signal'>, clock: Clock) {
    this.#clock = clock
    this.#deadlines = deadlines
    this.#asker = signal
    this.#lastActivityMs = clock.now()
    if (signal.aborted) {
      this.cancel()
      return
    }
    signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#cancelTotal = this.#after(deadlines.totalMs, () =>
      this.fail(createExpiredFailure('The answer took longer than allowed.')),
    )
    this.#cancelWait = this.#after(deadlines.firstTokenMs, this.#checkWait)
  }

  /** Signal that aborts when the response ends. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get hasEnded(): boolean {
    return this.#end !== null
  }

  /** True if part of the response was passed on, so it must not be requested again. */
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
    this.#noteActivity(countCharacters(frame))
    if (this.#end !== null) return
    if (frame.type !== 'text') {
      if (frame.type === 'tool-call') this.#toolCalls += 1
      if (this.#toolCalls <= TOOL_CALL_LIMIT) this.#push(frame)
      else this.fail(createTooLongFailure(`The server called more than ${TOOL_CALL_LIMIT} tools for one answer.`))
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

  /** Streams the events. Can be read once. */
  async *events(): AsyncGenerator<CustomLlmEvent> {
    for (;;) {
      const batch = this.#queued
      this.#queued = []
      for (const event of batch) {
        // The response may have completed before the abort. No event follows an abort.
        if (this.#asker.aborted || this.#end === 'cancelled') return
        yield event
      }
      if (this.#queued.length > 0) continue
      if (this.#end !== null) return
      await this.#changed()
    }
  }

  readonly #onAbort = (): void => this.cancel()

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #push(event: CustomLlmEvent): void {
    this.#hasStarted = true
    this.#queued.push(event)
    this.#wake()
  }

  #noteActivity(characters: number): void {
    this.#lastActivityMs = this.#clock.now()
    this.#characters += characters
    if (this.#characters > ANSWER_LIMIT_CHARACTERS) {
      this.fail(createTooLongFailure(`The answer is longer than ${ANSWER_LIMIT_CHARACTERS} characters.`))
    }
    if (this.#hasReceived || this.#end !== null) return
    this.#hasReceived = true
    // The idle limit is usually shorter than the limit for the first token, so the timer is restarted.
    this.#cancelWait()
    this.#cancelWait = this.#after(this.#deadlines.idleMs, this.#checkWait)
  }

  /** Parts only record the time. When the timer fires, it restarts for the remaining time. */
  readonly #checkWait = (): void => {
    const limitMs = this.#hasReceived ? this.#deadlines.idleMs : this.#deadlines.firstTokenMs
    const leftMs = limitMs - (this.#clock.now() - this.#lastActivityMs)
    if (leftMs > 0) this.#cancelWait = this.#after(leftMs, this.#checkWait)
    else if (this.#hasReceived) this.fail(createExpiredFailure('The server stopped in the middle of its answer.'))
    else this.fail(createExpiredFailure('The server did not answer in time.'))
  }

  #after(delayMs: number, callback: () => void): () => void {
    return Number.isFinite(delayMs) ? this.#clock.after(delayMs, callback) : ignore
  }

  #finish(end: AnswerEnd, last: CustomLlmEvent | null): void {
    if (this.#end !== null) return
    this.#end = end
    this.#cancelTotal()
    this.#cancelWait()
    this.#asker.removeEventListener('abort', this.#onAbort)
    if (last !== null) this.#queued.push(last)
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
