import type { Clock } from '@parley/engine/ports'
import type { SpeechFailure } from '@parley/engine/voice/ports'
import type { Dispatcher } from 'undici'
import { asObject, asText, parseJson } from '../models/unknown-json.ts'
import { failureOfConnection } from '../models/wire-failure.ts'

/** Of the body of an error: its code stands near the beginning. */
const MAX_ERROR_BODY_BYTES = 16 * 1024
/** How long the rest of an error's body may take: its status already says what matters. */
const ERROR_BODY_TIMEOUT_MS = 1_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Where and as whom requests go. */
export interface SpeechTarget {
  readonly http: Dispatcher
  readonly clock: Clock
  /** Where the paths of the wire begin. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

export interface SpeechExchangeRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** Until the status, counted from the request, connecting included. */
  readonly firstByteMs: number
  /** Between two pieces of the body, until `limitIdle` says otherwise. */
  readonly idleMs: number
  readonly totalMs: number
  readonly maxBytes: number
}

/** Hears of one exchange: `started`, pieces, and then exactly one end, `null` when the body is complete. */
export interface SpeechExchangeListener {
  /** What is wrong with an answer of this kind, if anything. */
  started(contentType: string): SpeechFailure | null
  chunk(bytes: Buffer): void
  ended(failure: SpeechFailure | null, status: number): void
}

/** One POST to a provider of speech, with limits on everything. Nothing is told after `cancel`, which closes the socket. */
export class SpeechExchange implements Dispatcher.DispatchHandler {
  readonly #clock: Clock
  readonly #request: SpeechExchangeRequest
  readonly #listener: SpeechExchangeListener
  readonly #startedAtMs: number
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #headers: Headers = {}
  #errorBody: Buffer[] | null = null
  #receivedBytes = 0
  #isSettled = false
  #isPaused = false
  #idleMs: number
  #stopTimer: () => void = () => {}

  constructor({ http, clock }: SpeechTarget, request: SpeechExchangeRequest, listener: SpeechExchangeListener) {
    this.#clock = clock
    this.#request = request
    this.#listener = listener
    this.#startedAtMs = clock.now()
    this.#idleMs = request.idleMs
    this.#startTimer(request.firstByteMs, 'The provider did not begin to answer in time.')
    const { origin, pathname, search } = request.url
    const { headers, body } = request
    try {
      http.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, this)
    } catch (error) {
      const failure = connectionFailure(error)
      queueMicrotask(() => this.#fail(failure))
    }
  }

  /** Lets the provider wait while the consumer is behind. */
  pause(): void {
    if (this.#isSettled || this.#isPaused) return
    this.#isPaused = true
    this.#startTimer(Number.POSITIVE_INFINITY, '')
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (this.#isSettled) return
    this.#armIdle()
    this.#controller?.resume()
  }

  /** From now on pieces have to follow each other this fast. */
  limitIdle(idleMs: number): void {
    if (this.#isSettled || this.#idleMs === idleMs) return
    this.#idleMs = idleMs
    this.#armIdle()
  }

  cancel(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#close()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Cancelled while it waited for its connection.
    if (this.#isSettled) controller.abort(new Error('cancelled'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#isSettled) return
    this.#status = status
    this.#headers = headers
    if (status !== 200) {
      this.#errorBody = []
      this.#stopTimer()
      this.#stopTimer = this.#clock.after(ERROR_BODY_TIMEOUT_MS, () => this.#fail(this.#statusFailure()))
      return
    }
    this.#armIdle()
    const problem = this.#listener.started(String(headers['content-type'] ?? '').toLowerCase())
    if (problem !== null) this.#fail(problem)
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isSettled) return
    this.#receivedBytes += bytes.length
    if (this.#errorBody !== null) {
      this.#errorBody.push(bytes)
      if (this.#receivedBytes >= MAX_ERROR_BODY_BYTES) this.#fail(this.#statusFailure())
    } else if (this.#receivedBytes > this.#request.maxBytes) {
      this.#fail(protocolFailure('The provider sent more than fits one answer.'))
    } else {
      this.#armIdle()
      this.#listener.chunk(bytes)
    }
  }

  onResponseEnd(): void {
    this.#settle(this.#errorBody === null ? null : this.#statusFailure())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(this.#errorBody === null ? connectionFailure(error) : this.#statusFailure())
  }

  /** Ends the exchange for what its reader has found. */
  fail(failure: SpeechFailure): void {
    this.#fail(failure)
  }

  #armIdle(): void {
    if (!this.#isPaused) this.#startTimer(this.#idleMs, 'The provider fell silent in the middle of its answer.')
  }

  #startTimer(limitMs: number, message: string): void {
    this.#stopTimer()
    const leftMs = this.#startedAtMs + this.#request.totalMs - this.#clock.now()
    const timeout: SpeechFailure =
      leftMs < limitMs
        ? { kind: 'timeout', message: 'The provider did not finish in time.', retryable: true }
        : { kind: 'timeout', message, retryable: true }
    this.#stopTimer = this.#clock.after(Math.max(0, Math.min(limitMs, leftMs)), () => this.#fail(timeout))
  }

  #statusFailure(): SpeechFailure {
    const text = Buffer.concat(this.#errorBody ?? []).toString('utf8')
    return statusFailure(this.#status, this.#headers, text)
  }

  #fail(failure: SpeechFailure): void {
    if (this.#isSettled) return
    this.#settle(failure)
    this.#close()
  }

  #settle(failure: SpeechFailure | null): void {
    this.#stopTimer()
    if (this.#isSettled) return
    this.#isSettled = true
    this.#listener.ended(failure, this.#status)
  }

  #close(): void {
    this.#stopTimer()
    this.#controller?.abort(new Error('closed by the client'))
  }
}

/** Builds the failure of an answer that does not keep to the wire. */
export function protocolFailure(message: string): SpeechFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** The provider's own code for a problem, never its words: they may repeat what was to be spoken, or show parts of a key. */
function codesOf(text: string): string {
  const body = asObject(parseJson(text))
  const error = asObject(body?.error) ?? asObject(body?.detail) ?? body
  const codes = [error?.code, error?.type, error?.param].map(asText).filter((code) => /^[a-z][a-z_.]{1,63}$/.test(code))
  return codes.length === 0 ? '' : ` (${[...new Set(codes)].join(', ')})`
}

/** What a status other than 200 means. */
function statusFailure(status: number, headers: Headers, text: string): SpeechFailure {
  const description = `The provider answered with status ${status}${codesOf(text)}`
  if (status === 401 || status === 403) return { kind: 'unauthorized', message: `${description}.`, retryable: false }
  if (status === 429) {
    const retryAfter = /^\d{1,6}$/.exec(String(headers['retry-after'] ?? ''))?.[0]
    const message =
      retryAfter === undefined ? `${description}.` : `${description} and asks to wait ${retryAfter} seconds.`
    return { kind: 'rate-limited', message, retryable: true }
  }
  if (status === 408 || status === 409 || status >= 500) {
    return { kind: 'unavailable', message: `${description}.`, retryable: true }
  }
  if (status < 300) return protocolFailure(`${description} in the place of an answer.`)
  return { kind: 'rejected', message: `${description}.`, retryable: false }
}

function connectionFailure(error: unknown): SpeechFailure {
  const { kind, message, retryable } = failureOfConnection(error)
  return { kind, message, retryable } as SpeechFailure
}

/** Headers of every request to a provider. */
export function authorization(apiKey: string | undefined): Readonly<Record<string, string>> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
}
