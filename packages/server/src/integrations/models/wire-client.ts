import type { Clock, ModelEvent, ModelFailure } from '@parley/engine/ports'
import type { EventSourceMessage } from 'eventsource-parser'
import type { Dispatcher } from 'undici'
import { PushStream } from '../push-stream.ts'
import { VendorExchange } from '../vendor-exchange.ts'
import { createSseStream, type SseStream } from './sse-stream.ts'
import { createProtocolFailure, toConnectionFailure, toStatusFailure } from './wire-failure.ts'

/** The engine's deadlines are far shorter. This limit applies if there is no deadline. */
const MAX_STREAM_MS = 10 * 60_000
const MAX_STREAM_BYTES = 64 * 1024 * 1024
/** Maximum time for usage and the end mark to arrive after the response is complete. */
const TRAILING_EVENTS_MS = 2_000
/** Maximum number of events queued for a slow consumer before the socket is paused. */
const MAX_QUEUED_EVENTS = 1_024

/** 'answered' means that the response is complete and only usage can follow; 'done' means that nothing follows. */
export type WireProgress = 'streaming' | 'answered' | 'done' | ModelFailure

/** Reads the events of one vendor. Holds the state of one response. */
export interface WireReader {
  read(event: EventSourceMessage, push: (event: ModelEvent) => void): WireProgress
  /** Returns the closing event once `read` has returned 'answered' or 'done'. */
  finish(): ModelEvent
}

/** Address and credentials of a model, the same for all requests. */
export interface WireTarget {
  readonly http: Dispatcher
  readonly clock: Clock
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** The vendor's key, which must not appear in a failure. */
  readonly secret: string | undefined
}

/** One request. `createBody` runs when the consumer requests the first event. */
export interface WireRequest {
  readonly createBody: () => string
  readonly reader: WireReader
  readonly signal: AbortSignal
}

/**
 * Sends one POST request and streams the events that the reader extracts from the response. Never throws. An abort ends the
 * stream without an event.
 */
export function streamWire(target: WireTarget, request: WireRequest): AsyncIterable<ModelEvent> {
  return new WireExchange(target, request).events
}

class WireExchange {
  readonly events: PushStream<ModelEvent>
  readonly #target: WireTarget
  readonly #request: WireRequest
  readonly #sse: SseStream
  readonly #emit = (event: ModelEvent): void => this.events.push(event)
  #exchange: VendorExchange | null = null
  #isAnswered = false

  constructor(target: WireTarget, request: WireRequest) {
    this.#target = target
    this.#request = request
    this.#sse = createSseStream((event) => this.#handleEvent(event))
    this.events = new PushStream(request.signal, {
      onStart: () => this.#start(),
      onCancel: () => this.#exchange?.cancel(),
      onDrain: () => this.#exchange?.resume(),
      isLast: ({ type }) => type === 'finish' || type === 'error',
    })
  }

  #start(): void {
    const { clock, secret, url, headers } = this.#target
    let body: string
    try {
      body = this.#request.createBody()
    } catch (error) {
      this.#emit({ type: 'error', failure: toConnectionFailure(error) })
      return
    }
    this.#exchange = new VendorExchange(
      this.#target,
      {
        url,
        headers,
        body,
        totalMs: MAX_STREAM_MS,
        maxBytes: MAX_STREAM_BYTES,
        createStatusFailure: (status, responseHeaders, bodyText) =>
          toStatusFailure({ status, headers: responseHeaders, bodyText, secret, nowMs: clock.now() }),
      },
      {
        onStart: (contentType) =>
          contentType === '' || /^text\/event-stream\b/.test(contentType)
            ? null
            : createProtocolFailure('The provider did not respond with a stream of events; check its base address.'),
        onChunk: (bytes) => this.#handleChunk(bytes),
        onEnd: (failure) => this.#end(failure),
      },
    )
    this.#exchange.send()
  }

  #handleChunk(bytes: Buffer): void {
    if (this.events.isEnded) return
    if (!this.#sse.push(bytes) && !this.events.isEnded) {
      this.#exchange?.fail(createProtocolFailure('The provider sent a line that is longer than 1 MiB.'))
    } else if (this.events.length > MAX_QUEUED_EVENTS && !this.events.isEnded) this.#exchange?.pause()
  }

  #handleEvent(event: EventSourceMessage): void {
    // One chunk can contain several events. Events after the last expected event are ignored.
    if (this.events.isEnded) return
    const progress = this.#request.reader.read(event, this.#emit)
    if (progress === 'streaming') return
    if (progress === 'answered') {
      if (!this.#isAnswered) this.#exchange?.setRemainingTime(TRAILING_EVENTS_MS)
      this.#isAnswered = true
    } else if (progress === 'done') {
      this.#emit(this.#request.reader.finish())
      // The end of the body usually comes in the same packet. Once it is read, the socket can serve the next turn.
      this.#exchange?.resume()
      this.#exchange?.setRemainingTime(TRAILING_EVENTS_MS)
    } else this.#exchange?.fail(progress)
  }

  #end(failure: ModelFailure | null): void {
    // A complete response counts, even if its connection fails afterwards.
    if (this.#isAnswered) this.#emit(this.#request.reader.finish())
    else this.#emit({ type: 'error', failure: failure ?? ENDED_EARLY })
  }
}

const ENDED_EARLY: ModelFailure = { kind: 'unavailable', message: 'The stream ended early.', retryable: true }
