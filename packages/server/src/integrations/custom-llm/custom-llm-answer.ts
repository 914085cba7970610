import type { Clock, CustomLlmEvent, CustomLlmRequest, ModelFailure } from '@parley/engine/ports'
import { expired, protocolError } from './custom-llm-failures.ts'
import type { AnswerFrame } from './custom-llm-frames.ts'

/** How an answer ended. After `failed` its connection is not used again. */
export type AnswerEnd = 'complete' | 'failed' | 'cancelled'

/** No answer is that long, and a server that never stops must not fill the memory before the total deadline. */
const ANSWER_LIMIT_CHARACTERS = 1_000_000

/** Each is put on record. */
const TOOL_CALL_LIMIT = 100

const ignore = (): void => {}

/**
 * One answer on its way from a socket to whoever asked for it: what has come of it, its deadlines, and its one end. It outlives
 * the connection that it was asked for on.
 */
export class CustomLlmAnswer {
  readonly #clock: Clock
  readonly #deadlines: CustomLlmRequest['deadlines']
  readonly #asker: AbortSignal
  readonly #controller = new AbortController()
  #queued: CustomLlmEvent[] = []
  #end: AnswerEnd | null = null
  #begun = false
  #endCall = false
  #characters = 0
  #toolCalls = 0
  #lastActivityMs: number
  #heard = false
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
    this.#cancelTotal = this.#after(deadlines.totalMs, () => this.fail(expired('The answer took longer than allowed.')))
    this.#cancelWait = this.#after(deadlines.firstTokenMs, this.#checkWait)
  }

  /** Aborts as soon as nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.#end !== null
  }

  /** Something of it has been handed on, so that it must not be asked for again. */
  get hasStarted(): boolean {
    return this.#begun
  }

  /** Calls `listener`, and no earlier one, when the answer ends. */
  onEnd(listener: (end: AnswerEnd) => void): void {
    this.#onEnd = listener
  }

  /** Takes a part of the answer; nothing counts after its end. */
  accept(frame: AnswerFrame): void {
    if (this.#end !== null) return
    this.#noteActivity(countCharacters(frame))
    if (this.#end !== null) return
    if (frame.type !== 'text') {
      if (frame.type === 'tool-call') this.#toolCalls += 1
      if (this.#toolCalls <= TOOL_CALL_LIMIT) this.#push(frame)
      else this.fail(tooLong(`The server called more than ${TOOL_CALL_LIMIT} tools for one answer.`))
      return
    }
    if (frame.content !== '') this.#push({ type: 'text-delta', text: frame.content })
    this.#endCall ||= frame.endCall
    if (frame.complete) this.#finish('complete', { type: 'complete', endCall: this.#endCall })
  }

  fail(failure: ModelFailure): void {
    this.#finish('failed', { type: 'failed', failure })
  }

  /** Ends it without an event and forgets what was not taken. */
  cancel(): void {
    this.#finish('cancelled', null)
  }

  /** Everything there is, as it comes. To be read once. */
  async *events(): AsyncGenerator<CustomLlmEvent> {
    for (;;) {
      const batch = this.#queued
      this.#queued = []
      for (const event of batch) {
        // It may have arrived whole before the abort; even so nothing comes after it.
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
    this.#begun = true
    this.#queued.push(event)
    this.#wake()
  }

  #noteActivity(characters: number): void {
    this.#lastActivityMs = this.#clock.now()
    this.#characters += characters
    if (this.#characters > ANSWER_LIMIT_CHARACTERS) {
      this.fail(tooLong(`The answer is longer than ${ANSWER_LIMIT_CHARACTERS} characters.`))
    }
    if (this.#heard || this.#end !== null) return
    this.#heard = true
    // The idle limit is usually shorter than the one for the first token, so the running timer would fire too late.
    this.#cancelWait()
    this.#cancelWait = this.#after(this.#deadlines.idleMs, this.#checkWait)
  }

  /** Parts only note the time; the one timer looks back when it fires and is armed again for what is left. */
  readonly #checkWait = (): void => {
    const limitMs = this.#heard ? this.#deadlines.idleMs : this.#deadlines.firstTokenMs
    const leftMs = limitMs - (this.#clock.now() - this.#lastActivityMs)
    if (leftMs > 0) this.#cancelWait = this.#after(leftMs, this.#checkWait)
    else if (this.#heard) this.fail(expired('The server stopped in the middle of its answer.'))
    else this.fail(expired('The server did not answer in time.'))
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

/** Another attempt would be as long. */
function tooLong(message: string): ModelFailure {
  return { ...protocolError(message), retryable: false }
}

function countCharacters(frame: AnswerFrame): number {
  return frame.type === 'tool-call' ? frame.call.argumentsText.length : frame.content.length
}
