import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import { createProtocolFailure, toConnectionFailure } from './models/wire-failure.ts'

/** Limits the body of an error, because the status already contains the important information. */
const MAX_ERROR_BODY_BYTES = 64 * 1024
const ERROR_BODY_TIMEOUT_MS = 1_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface VendorRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** Time until the status, counted from the request, including connecting. */
  readonly firstByteMs?: number
  /** Time between two chunks of the body, until `limitIdle` changes it. */
  readonly idleMs?: number
  readonly totalMs: number
  readonly maxBytes: number
  /** Builds the failure for a response with a status other than 200. */
  readonly failureOfStatus: (status: number, headers: Headers, bodyText: string) => ModelFailure
}

/** Receives `started`, chunks, and then exactly one `ended`, with null if the body is complete. */
export interface VendorListener {
  /** Checks the content type of a response. Returns a failure if the type is unexpected, otherwise null. */
  started(contentType: string): ModelFailure | null
  chunk(bytes: Buffer): void
  ended(failure: ModelFailure | null, status: number): void
}

/** Returns `base` with `path` appended to its path. Keeps a query in the base URL. */
export function joinUrl(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`
  return url
}

/**
 * One POST request to a vendor, within limits of time and size. `cancel` closes the socket, and no callback runs afterwards.
 */
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
  #isSettled = false
  #isPaused = false
  #endsAtMs: number
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
    this.#endsAtMs = clock.now() + request.totalMs
    this.#idleMs = request.idleMs ?? Number.POSITIVE_INFINITY
  }

  send(): void {
    const { url, headers, body, firstByteMs = Number.POSITIVE_INFINITY } = this.#request
    this.#startTimer(firstByteMs, 'The provider did not begin to answer in time.')
    try {
      this.#http.dispatch({ origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body }, this)
    } catch (error) {
      queueMicrotask(() => this.fail(toConnectionFailure(error)))
    }
  }

  /** Stops reading while the consumer is behind. */
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

  /** Changes the maximum time between two chunks. */
  limitIdle(idleMs: number): void {
    if (this.#isSettled || this.#idleMs === idleMs) return
    this.#idleMs = idleMs
    this.#armIdle()
  }

  /** Changes the maximum remaining time in total. */
  limitRest(restMs: number): void {
    if (this.#isSettled) return
    this.#endsAtMs = this.#clock.now() + restMs
    this.#startTimer(this.#idleMs, '')
  }

  /** Ends the exchange with a failure that its reader found. */
  fail(failure: ModelFailure): void {
    if (this.#isSettled) return
    this.#settle(failure)
    this.#close()
  }

  cancel(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#close()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The request was canceled while it waited for its connection.
    if (this.#isSettled) controller.abort(new Error('canceled'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#isSettled) return
    this.#status = status
    this.#headers = headers
    if (status !== 200) {
      this.#errorBody = []
      this.#stopTimer()
      this.#stopTimer = this.#clock.after(ERROR_BODY_TIMEOUT_MS, () => this.fail(this.#statusFailure()))
      return
    }
    if (this.#request.firstByteMs !== undefined) this.#armIdle()
    const problem = this.#listener.started(String(headers['content-type'] ?? '').toLowerCase())
    if (problem !== null) this.fail(problem)
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isSettled) return
    this.#receivedBytes += bytes.length
    if (this.#errorBody !== null) {
      this.#errorBody.push(bytes)
      if (this.#receivedBytes >= MAX_ERROR_BODY_BYTES) this.fail(this.#statusFailure())
    } else if (this.#receivedBytes > this.#request.maxBytes) {
      this.fail(createProtocolFailure(`The provider sent more than ${this.#request.maxBytes} bytes in one answer.`))
    } else {
      if (this.#idleMs !== Number.POSITIVE_INFINITY) this.#armIdle()
      this.#listener.chunk(bytes)
    }
  }

  onResponseEnd(): void {
    this.#settle(this.#errorBody === null ? null : this.#statusFailure())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(this.#errorBody === null ? toConnectionFailure(error) : this.#statusFailure())
  }

  #armIdle(): void {
    if (!this.#isPaused) this.#startTimer(this.#idleMs, 'The provider fell silent in the middle of its answer.')
  }

  #startTimer(limitMs: number, silence: string): void {
    this.#stopTimer()
    const leftMs = this.#endsAtMs - this.#clock.now()
    const message = leftMs < limitMs ? 'The provider did not finish in time.' : silence
    this.#stopTimer = this.#clock.after(Math.max(0, Math.min(limitMs, leftMs)), () =>
      this.fail({ kind: 'timeout', message, retryable: true }),
    )
  }

  #statusFailure(): ModelFailure {
    const bodyText = Buffer.concat(this.#errorBody ?? [])
      .subarray(0, MAX_ERROR_BODY_BYTES)
      .toString('utf8')
    return this.#request.failureOfStatus(this.#status, this.#headers, bodyText)
  }

  #settle(failure: ModelFailure | null): void {
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
