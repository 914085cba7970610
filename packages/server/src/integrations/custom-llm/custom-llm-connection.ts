import type { Clock, JsonObject, ModelFailure } from '@parley/engine/ports'
import type { CustomLlmAnswer } from './custom-llm-answer.ts'
import {
  type AnswerFrame,
  buildDetailsFrame,
  buildPingFrame,
  buildQuestionFrame,
  type CustomLlmQuestion,
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

/** A response that lost its connection. */
export interface FailedAnswer {
  readonly failure: ModelFailure
  /** Whether another connection can succeed. */
  readonly canRetry: boolean
}

/** Maximum time to wait for the server's `config` before sending the first request. */
const GREETING_WAIT_MS = 300
const PING_EVERY_MS = 2_000
const SILENT_AFTER_MS = 5_000
/** After a process pause, deadlines expire before received frames are read, so pings are sent before closing. */
const UNANSWERED_PINGS = 2
/** Time limit of the closing handshake. */
const CLOSE_MS = 1_000
/** Limits of frames and characters between two requests, far beyond any response. */
const FRAME_LIMIT = 100_000
const FRAME_LIMIT_CHARACTERS = 16_000_000
const GOING_AWAY = 1001
const PROTOCOL_ERROR = 1002

/** Response id of an opening that nobody requested. */
const OPENING_ID = 0

const ignore = (): void => {}

interface Exchange {
  readonly responseId: number
  readonly answer: CustomLlmAnswer
  readonly settle: (lost: FailedAnswer | null) => void
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
  /** Number of requested responses, including the running response. */
  #asked = 0
  #lastResponseId = 0
  /** Parts of an opening that arrived before it was requested. The frame limits apply. */
  #opening: AnswerFrame[] = []
  #ended = false
  #autoReconnect = false
  #detailsSent = false
  #lastHeardMs: number
  #unansweredPings = 0
  #frames = 0
  #characters = 0
  #cancelGreeting: () => void
  #cancelPing: () => void = ignore

  /** `onEnd` is called once, when the connection becomes unusable. */
  constructor(socket: CustomLlmSocket, options: { clock: Clock; details: JsonObject; onEnd: () => void }) {
    this.#socket = socket
    this.#clock = options.clock
    this.#details = options.details
    this.#onEnd = options.onEnd
    this.#lastHeardMs = this.#clock.now()
    this.#cancelGreeting = this.#clock.after(GREETING_WAIT_MS, () => this.#greeted.resolve())
    const closed = Promise.withResolvers<void>()
    this.closed = closed.promise
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary))
    socket.on('error', (error) => this.#lose(toSocketFailure(error)))
    socket.on('close', () => {
      this.#lose(createConnectionLostFailure())
      closed.resolve()
    })
    socket.resume()
  }

  get isEnded(): boolean {
    return this.#ended
  }

  get isBusy(): boolean {
    return this.#exchange !== null
  }

  /**
   * Requests a response, which replaces a running response. Resolves to null when the response ends. If the connection ends
   * first, resolves to the failure and leaves the response open. Never rejects.
   */
  async ask(request: CustomLlmQuestion, answer: CustomLlmAnswer): Promise<FailedAnswer | null> {
    this.#replace()
    if (answer.hasEnded) return null
    if (this.#ended) return { failure: createConnectionLostFailure(), canRetry: true }
    this.#asked += 1
    const isOpening = request.ask === 'opening'
    if (!isOpening) this.#lastResponseId += 1
    const { promise, resolve } = Promise.withResolvers<FailedAnswer | null>()
    const responseId = isOpening ? OPENING_ID : this.#lastResponseId
    const exchange: Exchange = { responseId, answer, settle: resolve }
    this.#exchange = exchange
    this.#frames = 0
    this.#characters = 0
    const opening = this.#opening
    this.#opening = []
    answer.onEnd((end) => {
      if (this.#exchange !== exchange) return
      this.#exchange = null
      // A new connection avoids waiting for late parts and detects a stuck server.
      if (end === 'failed') this.end()
      resolve(null)
    })
    if (isOpening) for (const part of opening) answer.accept(part)
    await Promise.race([this.#greeted.promise, promise])
    // The server sends an opening without a request, as soon as it is connected.
    if (this.#exchange === exchange && !isOpening) this.#send(buildQuestionFrame(responseId, request))
    return await promise
  }

  /** Closes the connection. A running response fails. */
  end(failure: ModelFailure = createConnectionLostFailure()): void {
    this.#finish(failure, () => this.#socket.close(GOING_AWAY))
  }

  #replace(): void {
    const replaced = this.#exchange
    this.#exchange = null
    replaced?.answer.fail(createUnavailableFailure('The server was asked again before its answer was complete.'))
    replaced?.settle(null)
  }

  #hear(data: { toString(): string }, isBinary: boolean): void {
    if (this.#ended) return
    this.#lastHeardMs = this.#clock.now()
    this.#unansweredPings = 0
    const text = isBinary ? '' : data.toString()
    this.#frames += 1
    this.#characters += text.length
    if (this.#frames > FRAME_LIMIT || this.#characters > FRAME_LIMIT_CHARACTERS) {
      this.#refuse('The server sent more than any answer needs.')
      return
    }
    const frame = isBinary ? null : readFrame(text)
    if (frame === null) {
      this.#refuse(isBinary ? 'The server sent a binary message.' : 'The server sent a message that is not valid.')
      return
    }
    this.#act(frame)
    this.#cancelGreeting()
    this.#greeted.resolve()
  }

  #act(frame: ServerFrame): void {
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
        else if (frame.responseId === OPENING_ID && this.#lastResponseId === 0) this.#opening.push(frame.part)
        return
      case 'tool-call':
      case 'tool-result':
        this.#exchange?.answer.accept(frame)
        return
      case 'other':
    }
  }

  #schedulePing(): void {
    const silentMs = this.#clock.now() - this.#lastHeardMs
    const leftMs = SILENT_AFTER_MS - silentMs
    const delayMs = leftMs > 0 ? Math.min(PING_EVERY_MS, leftMs) : PING_EVERY_MS
    this.#cancelPing = this.#clock.after(delayMs, () => {
      const isSilent = this.#clock.now() - this.#lastHeardMs >= SILENT_AFTER_MS
      if (isSilent && this.#unansweredPings >= UNANSWERED_PINGS) {
        this.#finish(createServerTimeoutFailure(), () => this.#socket.terminate())
        return
      }
      this.#unansweredPings += 1
      this.#send(buildPingFrame(this.#clock.now()))
      this.#schedulePing()
    })
  }

  /** A socket that cannot send emits `close`. */
  #send(text: string): void {
    if (!this.#ended) this.#socket.send(text, ignore)
  }

  #refuse(message: string): void {
    this.#finish(createProtocolError(message), () => this.#socket.close(PROTOCOL_ERROR))
  }

  #lose(failure: ModelFailure): void {
    this.#finish(failure, () => this.#socket.terminate())
  }

  #finish(failure: ModelFailure, close: () => void): void {
    if (this.#ended) return
    this.#ended = true
    this.#cancelPing()
    this.#cancelGreeting()
    this.#greeted.resolve()
    close()
    const cancelTermination = this.#clock.after(CLOSE_MS, () => this.#socket.terminate())
    this.closed.then(cancelTermination, ignore)
    const lost = this.#exchange
    this.#exchange = null
    this.#onEnd()
    // The server may have closed a kept connection just as it was reused.
    const isKept = this.#autoReconnect || this.#asked > 1
    lost?.settle({ failure, canRetry: isKept && failure.kind !== 'protocol' })
  }
}
