import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import { createProtocolFailure, toConnectionFailure } from './models/wire-failure.ts'

/** Larger error bodies are truncated, because the status contains the most important information. */
const MAX_ERROR_BODY_BYTES = 64 * 1024
const ERROR_BODY_TIMEOUT_MS = 1_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface VendorRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** Maximum time from the request to the response status, including the connection setup. */
  readonly firstByteMs?: number
  /** Maximum time between two chunks of the body. `setIdleLimit` changes it. */
  readonly idleMs?: number
  readonly totalMs: number
  readonly maxBytes: number
  /** Builds the failure for a response with a status other than 200. */
  readonly createStatusFailure: (status: number, headers: Headers, bodyText: string) => ModelFailure
}

/** Receives the response of an exchange. `onEnd` is called exactly once, with null if the body is complete. */
export interface VendorListener {
  /** Checks the content type of a response. Returns a failure if the type is unexpected, otherwise null. */
  onStart(contentType: string): ModelFailure | null
  onChunk(bytes: Buffer): void
  onEnd(failure: ModelFailure | null, status: number): void
}

/** Returns `base` with `path` appended to its path. Keeps a query in the base URL. */
export function joinUrl(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`
  return url
}

/** One POST request to a vendor, with limits on time and size. After `cancel`, no callback runs. */
export class VendorExchange implements Dispatcher.DispatchHandler {
  readonly #http: Dispatcher
  readonly #clock: Clock
  readonly #request: VendorRequest
  readonly #listener: VendorListener
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #headers: Headers = {}
  #errorBody: Buffer[] | null = null
  #receivedBytes = 0
  #isFinished = false
  #isPaused = false
  #deadlineMs: number
  #idleMs: number
  #stopTimer: () => void = () => {}

  constructor(
    { http, clock }: { readonly http: Dispatcher; readonly clock: Clock },
    request: VendorRequest,
    listener: VendorListener,
  ) {
    this.#http = http
    this.#clock = clock
    this.#request = request
    this.#listener = listener
    this.#deadlineMs = clock.now() + request.totalMs
    this.#idleMs = request.idleMs ?? Number.POSITIVE_INFINITY
  }

  send(): void {
    const { url, headers, body, firstByteMs = Number.POSITIVE_INFINITY } = this.#request
    this.#startTimer(firstByteMs, 'The provider did not start to respond in time.')
    try {
      this.#http.dispatch({ origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body }, this)
    } catch (error) {
      queueMicrotask(() => this.fail(toConnectionFailure(error)))
    }
  }

  /** Stops reading while the consumer is behind. */
  pause(): void {
    if (this.#isFinished || this.#isPaused) return
    this.#isPaused = true
    this.#startTimer(Number.POSITIVE_INFINITY, '')
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (this.#isFinished) return
    this.#startIdleTimer()
    this.#controller?.resume()
  }

  /** Sets the maximum time between two chunks. */
  setIdleLimit(idleMs: number): void {
    if (this.#isFinished || this.#idleMs === idleMs) return
    this.#idleMs = idleMs
    this.#startIdleTimer()
  }

  /** Sets the remaining time limit of the exchange. */
  setRemainingTime(remainingMs: number): void {
    if (this.#isFinished) return
    this.#deadlineMs = this.#clock.now() + remainingMs
    this.#startTimer(this.#idleMs, '')
  }

  /** Ends the exchange with a failure that the listener detected. */
  fail(failure: ModelFailure): void {
    if (this.#isFinished) return
    this.#finish(failure)
    this.#close()
  }

  cancel(): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#close()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The request was canceled while it waited for its connection.
    if (this.#isFinished) controller.abort(new Error('canceled'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#isFinished) return
    this.#status = status
    this.#headers = headers
    if (status !== 200) {
      this.#errorBody = []
      this.#stopTimer()
      this.#stopTimer = this.#clock.after(ERROR_BODY_TIMEOUT_MS, () => this.fail(this.#createStatusFailure()))
      return
    }
    if (this.#request.firstByteMs !== undefined) this.#startIdleTimer()
    const failure = this.#listener.onStart(String(headers['content-type'] ?? '').toLowerCase())
    if (failure !== null) this.fail(failure)
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isFinished) return
    this.#receivedBytes += bytes.length
    if (this.#errorBody !== null) {
      this.#errorBody.push(bytes)
      if (this.#receivedBytes >= MAX_ERROR_BODY_BYTES) this.fail(this.#createStatusFailure())
    } else if (this.#receivedBytes > this.#request.maxBytes) {
      this.fail(createProtocolFailure(`The provider sent more than ${this.#request.maxBytes} bytes in one response.`))
    } else {
      if (this.#idleMs !== Number.POSITIVE_INFINITY) this.#startIdleTimer()
      this.#listener.onChunk(bytes)
    }
  }

  onResponseEnd(): void {
    this.#finish(this.#errorBody === null ? null : this.#createStatusFailure())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(this.#errorBody === null ? toConnectionFailure(error) : this.#createStatusFailure())
  }

  #startIdleTimer(): void {
    if (!this.#isPaused) this.#startTimer(this.#idleMs, 'The provider stopped sending in the middle of its response.')
  }

  #startTimer(limitMs: number, timeoutMessage: string): void {
    this.#stopTimer()
    const remainingMs = this.#deadlineMs - this.#clock.now()
    const message = remainingMs < limitMs ? 'The provider did not finish in time.' : timeoutMessage
    this.#stopTimer = this.#clock.after(Math.max(0, Math.min(limitMs, remainingMs)), () =>
      this.fail({ kind: 'timeout', message, retryable: true }),
    )
  }

  #createStatusFailure(): ModelFailure {
    const bodyText = Buffer.concat(this.#errorBody ?? [])
      .subarray(0, MAX_ERROR_BODY_BYTES)
      .toString('utf8')
    return this.#request.createStatusFailure(this.#status, this.#headers, bodyText)
  }

  #finish(failure: ModelFailure | null): void {
    this.#stopTimer()
    if (this.#isFinished) return
    this.#isFinished = true
    this.#listener.onEnd(failure, this.#status)
  }

  #close(): void {
    this.#stopTimer()
    this.#controller?.abort(new Error('closed by the client'))
  }
}
