import type { Clock, ModelEvent, ModelFailure } from '@parley/engine/ports'
import type { EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import { EventQueue } from './event-queue.ts'
import { createSseStream, type SseStream } from './sse-stream.ts'
import { failureOfConnection, failureOfStatus, protocolFailure } from './wire-failure.ts'

/** The engine's deadlines are far shorter; this one holds when nobody set any. */
const MAX_STREAM_MS = 10 * 60_000
const MAX_STREAM_BYTES = 64 * 1024 * 1024
const MAX_ERROR_BODY_BYTES = 64 * 1024
/** How long the rest of an error's body may take: its status already says what matters. */
const ERROR_BODY_TIMEOUT_MS = 2_000
/** How long usage and the end mark may take once the answer is complete. */
const TRAILING_EVENTS_MS = 2_000
/** Events held for a consumer that is slower than the provider before the socket is paused. */
const MAX_QUEUED_EVENTS = 1_024

/** 'answered': the answer is complete, only usage may follow; 'done': nothing follows. */
export type WireProgress = 'streaming' | 'answered' | 'done' | ModelFailure

/** Understands one provider's events. Holds the state of one response. */
export interface WireReader {
  read(event: EventSourceMessage, push: (event: ModelEvent) => void): WireProgress
  /** The closing event, once `read` said 'answered' or 'done'. */
  finish(): ModelEvent
}

/** Where and as whom a model's requests go; the same for all requests of a model. */
export interface WireTarget {
  readonly http: Dispatcher
  readonly clock: Clock
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The provider's key: never to be seen in a failure. */
  readonly secret: string | undefined
}

/** One request: `createBody` runs when the consumer asks for the first event. */
export interface WireRequest {
  readonly createBody: () => string
  readonly reader: WireReader
  readonly signal: AbortSignal
}

/** `base` with `path` appended to its path; a query in the base address stays. */
export function joinUrl(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`
  return url
}

/** Sends one POST and streams what the reader makes of the answer. Never throws; an abort ends it without an event. */
export function streamWire(target: WireTarget, request: WireRequest): AsyncIterable<ModelEvent> {
  return new WireExchange(target, request).events
}

class WireExchange implements Dispatcher.DispatchHandler {
  readonly events: EventQueue
  readonly #target: WireTarget
  readonly #request: WireRequest
  readonly #sse: SseStream
  readonly #push = (event: ModelEvent): void => this.events.push(event)
  readonly #onAbort = (): void => this.#cancel()
  #controller: Dispatcher.DispatchController | null = null
  #errorAnswer: { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer[] } | null = null
  #receivedBytes = 0
  #answered = false
  #settled = false
  #stopTimer: (() => void) | null = null

  constructor(target: WireTarget, request: WireRequest) {
    this.#target = target
    this.#request = request
    this.#sse = createSseStream((event) => this.#read(event))
    this.events = new EventQueue(request.signal, {
      start: () => this.#start(),
      drained: () => {
        if (this.#controller?.paused) this.#controller.resume()
      },
      abandoned: () => this.#cancel(),
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Cancelled while it waited for its connection.
    if (this.#settled) controller.abort(new Error('cancelled'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    if (status !== 200) {
      this.#errorAnswer = { status, headers, body: [] }
      this.#setTimer(ERROR_BODY_TIMEOUT_MS, () => this.#fail(this.#statusFailure()))
      return
    }
    const contentType = String(headers['content-type'] ?? 'text/event-stream')
    if (!/^text\/event-stream\b/i.test(contentType)) {
      this.#fail(protocolFailure('The provider did not answer with a stream of events; check its base address.'))
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#receivedBytes += chunk.length
    if (this.#settled) return
    if (this.#errorAnswer !== null) {
      this.#errorAnswer.body.push(chunk)
      if (this.#receivedBytes >= MAX_ERROR_BODY_BYTES) this.#fail(this.#statusFailure())
      return
    }
    if (!this.#sse.push(chunk) && !this.#settled) {
      this.#fail(protocolFailure('The provider sent a line that is longer than 1 MiB.'))
    } else if (this.#receivedBytes > MAX_STREAM_BYTES && !this.#settled) {
      this.#fail(protocolFailure('The provider sent more than 64 MiB in one answer.'))
    } else if (this.events.length > MAX_QUEUED_EVENTS && !this.#settled) {
      controller.pause()
    }
  }

  onResponseEnd(): void {
    if (this.#settled) this.#clearTimer()
    else if (this.#errorAnswer !== null) this.#settle({ type: 'error', failure: this.#statusFailure() })
    else if (this.#answered) this.#settle(this.#request.reader.finish())
    else this.#settle({ type: 'error', failure: endedEarly() })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settled) this.#clearTimer()
    else if (this.#errorAnswer !== null) this.#settle({ type: 'error', failure: this.#statusFailure() })
    // The answer was complete before the connection broke: it counts.
    else if (this.#answered) this.#settle(this.#request.reader.finish())
    else this.#settle({ type: 'error', failure: failureOfConnection(error) })
  }

  #start(): void {
    const { http, url, headers } = this.#target
    const { signal, createBody } = this.#request
    if (signal.aborted) {
      this.#cancel()
      return
    }
    signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#setTimer(MAX_STREAM_MS, () =>
      this.#fail({ kind: 'timeout', message: 'The provider did not finish within 10 minutes.', retryable: true }),
    )
    try {
      const { origin, pathname, search } = url
      http.dispatch({ origin, path: pathname + search, method: 'POST', headers, body: createBody() }, this)
    } catch (error) {
      this.#fail(failureOfConnection(error))
    }
  }

  #read(event: EventSourceMessage): void {
    // One chunk may hold several events; nothing counts after the one that settled the exchange.
    if (this.#settled) return
    const progress = this.#request.reader.read(event, this.#push)
    if (progress === 'streaming') return
    if (progress === 'answered') {
      if (this.#answered) return
      this.#answered = true
      this.#setTimer(TRAILING_EVENTS_MS, () => this.#fail(endedEarly()))
      return
    }
    if (progress !== 'done') {
      this.#fail(progress)
      return
    }
    this.#settle(this.#request.reader.finish())
    // The body's end usually comes with the same packet; read to it, the socket can serve the next turn.
    this.#setTimer(TRAILING_EVENTS_MS, () => this.#close())
  }

  #statusFailure(): ModelFailure {
    const answer = this.#errorAnswer ?? { status: 0, headers: {}, body: [] }
    const bodyText = Buffer.concat(answer.body).subarray(0, MAX_ERROR_BODY_BYTES).toString('utf8')
    const { secret, clock } = this.#target
    return failureOfStatus({ status: answer.status, headers: answer.headers, bodyText, secret, nowMs: clock.now() })
  }

  #fail(failure: ModelFailure): void {
    // What is wrong with bytes after a complete answer does not take the answer back.
    this.#settle(this.#answered ? this.#request.reader.finish() : { type: 'error', failure })
    this.#close()
  }

  #cancel(): void {
    this.events.cancel()
    this.#settle(null)
    this.#close()
  }

  #settle(last: ModelEvent | null): void {
    if (this.#settled) return
    this.#settled = true
    this.#clearTimer()
    this.#request.signal.removeEventListener('abort', this.#onAbort)
    if (last !== null) this.events.push(last)
    this.events.end()
    if (this.#controller?.paused) this.#controller.resume()
  }

  #close(): void {
    this.#clearTimer()
    this.#controller?.abort(new Error('closed by the client'))
  }

  #setTimer(delayMs: number, callback: () => void): void {
    this.#clearTimer()
    this.#stopTimer = this.#target.clock.after(delayMs, callback)
  }

  #clearTimer(): void {
    this.#stopTimer?.()
    this.#stopTimer = null
  }
}

function endedEarly(): ModelFailure {
  return { kind: 'unavailable', message: 'The stream ended early.', retryable: true }
}
