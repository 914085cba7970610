import type { Clock, JsonObject, ModelFailure } from '@parley/engine/ports'
import type { CustomLlmAnswer } from './custom-llm-answer.ts'
import {
  type AnswerFrame,
  type AnswerRequest,
  buildDetailsFrame,
  buildPingFrame,
  buildRequestFrame,
  createConnectionLostFailure,
  createProtocolError,
  createServerTimeoutFailure,
  createUnavailableFailure,
  readFrame,
  type ServerFrame,
  toSocketFailure,
} from './custom-llm-frames.ts'

/** The subset of a WebSocket that the connection uses. */
export interface CustomLlmSocket {
  on(event: 'message', listener: (data: { toString(): string }, isBinary: boolean) => void): unknown
  on(event: 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  send(text: string, done: (error?: Error) => void): void
  /** Starts delivering messages. Sockets start paused, so that no message is lost. */
  resume(): void
  close(code: number): void
  terminate(): void
}

/** Failure of a response whose connection was lost. */
export interface FailedAnswer {
  readonly failure: ModelFailure
  /** Whether another connection can succeed. */
  readonly canRetry: boolean
}

/** Maximum time to wait for the server's `config` before sending the first request. */
const GREETING_WAIT_MS = 300
const PING_INTERVAL_MS = 2_000
const SILENCE_TIMEOUT_MS = 5_000
/** After a process pause, deadlines expire before received frames are read, so pings are sent before closing. */
const MAX_UNANSWERED_PINGS = 2
/** Time limit of the closing handshake. */
const CLOSE_TIMEOUT_MS = 1_000
/** Maximum number of frames and characters between two requests, far beyond any response. */
const MAX_FRAMES = 100_000
const MAX_FRAME_CHARACTERS = 16_000_000
const GOING_AWAY = 1001
const PROTOCOL_ERROR = 1002

/** Response id of the opening, which the server sends without a request. */
const OPENING_ID = 0

const noop = (): void => {}

interface Exchange {
  readonly responseId: number
  readonly answer: CustomLlmAnswer
  readonly finish: (failedAnswer: FailedAnswer | null) => void
}

/** One connection to a customer's server. Handles one response at a time, with pings if the server requests them. */
export class CustomLlmConnection {
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>
  readonly #socket: CustomLlmSocket
  readonly #clock: Clock
  readonly #details: JsonObject
  readonly #onEnd: () => void
  readonly #greeted = Promise.withResolvers<void>()
  #exchange: Exchange | null = null
  /** Number of requested responses, including the current one. */
  #requestCount = 0
  #lastResponseId = 0
  /** Parts of an opening that arrived before it was requested. The frame limits apply. */
  #openingParts: AnswerFrame[] = []
  #isEnded = false
  #autoReconnect = false
  #detailsSent = false
  #lastMessageMs: number
  #unansweredPings = 0
  #frameCount = 0
  #characterCount = 0
  #cancelGreeting: () => void
  #cancelPing: () => void = noop

  /** `onEnd` is called once, when the connection becomes unusable. */
  constructor(socket: CustomLlmSocket, options: { clock: Clock; details: JsonObject; onEnd: () => void }) {
    this.#socket = socket
    this.#clock = options.clock
    this.#details = options.details
    this.#onEnd = options.onEnd
    this.#lastMessageMs = this.#clock.now()
    this.#cancelGreeting = this.#clock.after(GREETING_WAIT_MS, () => this.#greeted.resolve())
    const closed = Promise.withResolvers<void>()
    this.closed = closed.promise
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
    socket.on('error', (error) => this.#onConnectionLost(toSocketFailure(error)))
    socket.on('close', () => {
      this.#onConnectionLost(createConnectionLostFailure())
      closed.resolve()
    })
    socket.resume()
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get isBusy(): boolean {
    return this.#exchange !== null
  }

  /**
   * Requests a response and replaces a running one. Resolves to null when the response ends. If the connection ends
   * first, resolves to the failure and leaves the response open. Never rejects.
   */
  async requestAnswer(request: AnswerRequest, answer: CustomLlmAnswer): Promise<FailedAnswer | null> {
    this.#replaceExchange()
    if (answer.hasEnded) return null
    if (this.#isEnded) return { failure: createConnectionLostFailure(), canRetry: true }
    this.#requestCount += 1
    const isOpening = request.requestType === 'opening'
    if (!isOpening) this.#lastResponseId += 1
    const { promise, resolve } = Promise.withResolvers<FailedAnswer | null>()
    const responseId = isOpening ? OPENING_ID : this.#lastResponseId
    const exchange: Exchange = { responseId, answer, finish: resolve }
    this.#exchange = exchange
    this.#frameCount = 0
    this.#characterCount = 0
    const openingParts = this.#openingParts
    this.#openingParts = []
    answer.onEnd((end) => {
      if (this.#exchange !== exchange) return
      this.#exchange = null
      // A new connection avoids waiting for late parts and detects a stuck server.
      if (end === 'failed') this.end()
      resolve(null)
    })
    if (isOpening) for (const part of openingParts) answer.accept(part)
    await Promise.race([this.#greeted.promise, promise])
    // The server sends an opening without a request, as soon as it is connected.
    if (this.#exchange === exchange && !isOpening) this.#send(buildRequestFrame(responseId, request))
    return await promise
  }

  /** Closes the connection. A running response fails. */
  end(failure: ModelFailure = createConnectionLostFailure()): void {
    this.#finish(failure, () => this.#socket.close(GOING_AWAY))
  }

  #replaceExchange(): void {
    const exchange = this.#exchange
    this.#exchange = null
    exchange?.answer.fail(createUnavailableFailure('A newer request replaced this answer.'))
    exchange?.finish(null)
  }

  #onMessage(data: { toString(): string }, isBinary: boolean): void {
    if (this.#isEnded) return
    this.#lastMessageMs = this.#clock.now()
    this.#unansweredPings = 0
    const text = isBinary ? '' : data.toString()
    this.#frameCount += 1
    this.#characterCount += text.length
    if (this.#frameCount > MAX_FRAMES || this.#characterCount > MAX_FRAME_CHARACTERS) {
      this.#closeForProtocolError('The server sent too much data for one answer.')
      return
    }
    const frame = isBinary ? null : readFrame(text)
    if (frame === null) {
      this.#closeForProtocolError(
        isBinary ? 'The server sent a binary message.' : 'The server sent an invalid message.',
      )
      return
    }
    this.#handleFrame(frame)
    this.#cancelGreeting()
    this.#greeted.resolve()
  }

  #handleFrame(frame: ServerFrame): void {
    switch (frame.type) {
      case 'config':
        this.#autoReconnect = frame.autoReconnect
        if (frame.callDetails && !this.#detailsSent) {
          this.#detailsSent = true
          this.#send(buildDetailsFrame(this.#details))
        }
        this.#cancelPing()
        if (frame.autoReconnect) this.#schedulePing()
        return
      case 'response':
        // Other responses are outdated or were never requested, because chats do not wait for an opening.
        if (frame.responseId === this.#exchange?.responseId) this.#exchange.answer.accept(frame.part)
        else if (frame.responseId === OPENING_ID && this.#lastResponseId === 0) this.#openingParts.push(frame.part)
        return
      case 'tool-call':
      case 'tool-result':
        this.#exchange?.answer.accept(frame)
        return
      case 'other':
    }
  }

  #schedulePing(): void {
    const silentMs = this.#clock.now() - this.#lastMessageMs
    const remainingMs = SILENCE_TIMEOUT_MS - silentMs
    const delayMs = remainingMs > 0 ? Math.min(PING_INTERVAL_MS, remainingMs) : PING_INTERVAL_MS
    this.#cancelPing = this.#clock.after(delayMs, () => {
      const isSilent = this.#clock.now() - this.#lastMessageMs >= SILENCE_TIMEOUT_MS
      if (isSilent && this.#unansweredPings >= MAX_UNANSWERED_PINGS) {
        this.#finish(createServerTimeoutFailure(), () => this.#socket.terminate())
        return
      }
      this.#unansweredPings += 1
      this.#send(buildPingFrame(this.#clock.now()))
      this.#schedulePing()
    })
  }

  /** Sends a frame. Ignores errors, because a socket that cannot send emits `close`. */
  #send(text: string): void {
    if (!this.#isEnded) this.#socket.send(text, noop)
  }

  #closeForProtocolError(message: string): void {
    this.#finish(createProtocolError(message), () => this.#socket.close(PROTOCOL_ERROR))
  }

  #onConnectionLost(failure: ModelFailure): void {
    this.#finish(failure, () => this.#socket.terminate())
  }

  #finish(failure: ModelFailure, close: () => void): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#cancelPing()
    this.#cancelGreeting()
    this.#greeted.resolve()
    close()
    const cancelTermination = this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.terminate())
    this.closed.then(cancelTermination, noop)
    const exchange = this.#exchange
    this.#exchange = null
    this.#onEnd()
    // The server may have closed an idle connection just as it was reused.
    const canReconnect = this.#autoReconnect || this.#requestCount > 1
    exchange?.finish({ failure, canRetry: canReconnect && failure.kind !== 'protocol' })
  }
}
