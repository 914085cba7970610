import type { Clock, JsonObject, ModelFailure } from '@parley/engine/ports'
import type { CustomLlmAnswer } from './custom-llm-answer.ts'
import { connectionLost, failureOfSocket, protocolError, serverTimeout, unavailable } from './custom-llm-failures.ts'
import {
  type AnswerFrame,
  type CustomLlmQuestion,
  detailsFrame,
  pingFrame,
  questionFrame,
  readFrame,
  type ServerFrame,
} from './custom-llm-frames.ts'

/** The part of a WebSocket that is used here. */
export interface CustomLlmSocket {
  on(event: 'message', listener: (data: { toString(): string }, isBinary: boolean) => void): unknown
  on(event: 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  send(text: string, done: (error?: Error) => void): void
  /** Begins to hand over messages: a socket comes paused, so that its first words are not missed. */
  resume(): void
  close(code: number): void
  terminate(): void
}

/** An answer that its connection went away from, before anything of it was handed on or in the middle. */
export interface FailedAnswer {
  readonly failure: ModelFailure
  /** The server may well be there for another connection. */
  readonly canRetry: boolean
}

/** How long a server may take to say what it wants (`config`) before it is asked anyway. */
const GREETING_WAIT_MS = 300
const PING_EVERY_MS = 2_000
const SILENT_AFTER_MS = 5_000
/** A process that stood still finds the time over before it has read what came meanwhile; it asks before it judges. */
const UNANSWERED_PINGS = 2
/** How long a server may take to agree to a close. */
const CLOSE_MS = 1_000
/** Of everything that a server says between two requests: far beyond any answer. */
const FRAME_LIMIT = 100_000
const FRAME_LIMIT_CHARACTERS = 16_000_000
const GOING_AWAY = 1001
const PROTOCOL_ERROR = 1002

/** Of what a server says first, unasked. */
const OPENING_ID = 0

const ignore = (): void => {}

interface Exchange {
  readonly responseId: number
  readonly answer: CustomLlmAnswer
  readonly settle: (lost: FailedAnswer | null) => void
}

/** One connection to a customer's server: one answer at a time, pings as the server wishes, and one end. */
export class CustomLlmConnection {
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>
  readonly #socket: CustomLlmSocket
  readonly #clock: Clock
  readonly #details: JsonObject
  readonly #onEnd: () => void
  readonly #greeted = Promise.withResolvers<void>()
  #exchange: Exchange | null = null
  /** Answers that it was asked for, the one under way included. */
  #asked = 0
  #lastResponseId = 0
  /** What the server said before anybody asked for it; the limits of frames hold for it too. */
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

  /** `onEnd` is called once, as soon as it cannot be used any more. */
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
    socket.on('error', (error) => this.#lose(failureOfSocket(error)))
    socket.on('close', () => {
      this.#lose(connectionLost())
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
   * Asks for an answer, in place of the one that is under way. Resolves to `null` when the answer is over, and otherwise when
   * the connection is, with the answer left as it stands. Never rejects.
   */
  async ask(request: CustomLlmQuestion, answer: CustomLlmAnswer): Promise<FailedAnswer | null> {
    this.#replace()
    if (answer.isOver) return null
    if (this.#ended) return { failure: connectionLost(), canRetry: true }
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
      // What comes late would have to be waited for, and a server that is stuck would not be noticed.
      if (end === 'failed') this.end()
      resolve(null)
    })
    if (isOpening) for (const part of opening) answer.accept(part)
    await Promise.race([this.#greeted.promise, promise])
    // A server opens without being asked, as soon as it is connected.
    if (this.#exchange === exchange && !isOpening) this.#send(questionFrame(responseId, request))
    return await promise
  }

  /** Closes it; an answer under way is lost. */
  end(failure: ModelFailure = connectionLost()): void {
    this.#finish(failure, () => this.#socket.close(GOING_AWAY))
  }

  #replace(): void {
    const replaced = this.#exchange
    this.#exchange = null
    replaced?.answer.fail(unavailable('The server was asked again before its answer was complete.'))
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
          this.#send(detailsFrame(this.#details))
        }
        this.#cancelPing()
        if (frame.autoReconnect) this.#schedulePing()
        return
      case 'response':
        // Others were asked for before, or never: in a chat nobody waits for an opening.
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
        this.#finish(serverTimeout(), () => this.#socket.terminate())
        return
      }
      this.#unansweredPings += 1
      this.#send(pingFrame(this.#clock.now()))
      this.#schedulePing()
    })
  }

  /** A socket that takes nothing any more says so by closing. */
  #send(text: string): void {
    if (!this.#ended) this.#socket.send(text, ignore)
  }

  #refuse(message: string): void {
    this.#finish(protocolError(message), () => this.#socket.close(PROTOCOL_ERROR))
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
    // A connection that was kept may have been given up by the server at the very moment at which it was used.
    const isKept = this.#autoReconnect || this.#asked > 1
    lost?.settle({ failure, canRetry: isKept && failure.kind !== 'protocol' })
  }
}
