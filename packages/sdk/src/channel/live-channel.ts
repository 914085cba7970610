import { CallProblem, refusalProblem } from '../call-problem.ts'
import type { ClientClock } from '../clock.ts'
import { decodeAudioFrame, encodeAudioFrame, unwrapSampleNumber } from './audio-frame.ts'
import {
  type ClientMessage,
  countsAsReceived,
  type JoinedMessage,
  LIVE_PROTOCOL,
  type RefusedMessage,
  readServerMessage,
  type ServerMessage,
} from './live-protocol.ts'
import { backoffBeforeAttempt } from './reconnect.ts'
import { SendBackpressure } from './send-backpressure.ts'

/** As much of a WebSocket as a call needs. */
export interface LiveSocket {
  binaryType: string
  readonly bufferedAmount: number
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: (() => void) | null
  onerror: (() => void) | null
  send(data: string | ArrayBuffer): void
  close(): void
}

/** Messages that are handed on: the others concern the channel alone. */
export type CallMessage = Exclude<ServerMessage, { type: 'joined' | 'refused' | 'pong' | 'ended' }>

export type ChannelEvent =
  | { readonly type: 'joined'; readonly message: JoinedMessage }
  | { readonly type: 'message'; readonly message: CallMessage }
  | { readonly type: 'audio'; readonly startSample: number; readonly samples: Int16Array }
  | { readonly type: 'reconnecting' }
  | { readonly type: 'reconnected' }
  | { readonly type: 'round-trip'; readonly durationMs: number }
  /** One of these two is the last event. */
  | { readonly type: 'ended'; readonly reason: string }
  | { readonly type: 'failed'; readonly problem: CallProblem }

/** How a call is entered: with the token of its link, with that of a connection that broke, or only to hear it. */
export type Entry =
  | Extract<ClientMessage, { type: 'join' | 'listen' }>
  | { readonly type: 'resume'; readonly resumeToken: string }

export interface LiveChannelOptions {
  readonly address: string
  readonly entry: Entry
  readonly clock: ClientClock
  readonly openSocket: (address: string) => LiveSocket
  readonly onEvent: (event: ChannelEvent) => void
}

const HANDSHAKE_MS = 8_000
const PING_EVERY_MS = 2_000
/** Without a word for so long after a ping the line counts as broken. */
const PONG_TIMEOUT_MS = 4_000
const CHECK_TIMEOUT_MS = 1_500
/** Somewhat more than a server takes from a caller at once. */
const MAX_UNACKNOWLEDGED_MESSAGES = 200

/** The connection of one call: enters it, comes back when the network breaks, and tells everything once and in order. */
export class LiveChannel {
  readonly #options: LiveChannelOptions
  #socket: LiveSocket | null = null
  #phase: 'connecting' | 'live' | 'reconnecting' | 'over' = 'connecting'
  #resumeToken: string | null
  #lastSeq = 0
  #nextSample = 0
  #attempt = 0
  #lostAtMs: number
  #pingId = 0
  #pingSentAtMs: number | null = null
  /** What must not be lost and is not known to have been received, oldest first. */
  #unacknowledged: ClientMessage[] = []
  /** So many of those messages the server has got, as far as it has told; those of an earlier page included. */
  #received = 0
  #muted = false
  readonly #backpressure = new SendBackpressure()
  readonly #timers = new Map<'attempt' | 'handshake' | 'ping' | 'silence', () => void>()

  constructor(options: LiveChannelOptions) {
    this.#options = options
    this.#resumeToken = options.entry.type === 'resume' ? options.entry.resumeToken : null
    this.#lostAtMs = options.clock.now()
    this.#connect()
  }

  /** Token that enters the same call again; `null` until it was joined. */
  get resumeToken(): string | null {
    return this.#resumeToken
  }

  /** Says something. What must not be lost is kept until the server has it, and goes over the next connection if it has not. */
  send(message: ClientMessage): void {
    if (message.type === 'muted') this.#muted = message.muted
    if (countsAsReceived(message)) {
      // What is not kept is not sent either: the two counts would part.
      if (this.#unacknowledged.length >= MAX_UNACKNOWLEDGED_MESSAGES) return
      this.#unacknowledged.push(message)
    }
    if (this.#phase === 'live') this.#write(message)
  }

  /** Sends sound, unless the line is broken or cannot keep up: its number tells the server what is missing. */
  sendAudio(startSample: number, samples: Int16Array): void {
    const socket = this.#socket
    if (this.#phase !== 'live' || socket === null) return
    if (this.#backpressure.isFull(socket.bufferedAmount, this.#options.clock.now())) return
    socket.send(encodeAudioFrame(startSample, samples))
  }

  /** The network seems to have changed: finds out at once whether the line still stands. */
  check(): void {
    if (this.#phase === 'live') this.#ping(CHECK_TIMEOUT_MS)
    else if (this.#phase === 'reconnecting' && this.#timers.has('attempt')) this.#connect()
  }

  /** Leaves the call. No event follows. */
  leave(): void {
    if (this.#phase === 'live') this.#write({ type: 'leave' })
    this.#finish(null)
  }

  #connect(): void {
    this.#clear('attempt')
    const socket = this.#options.openSocket(this.#options.address)
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    const isCurrent = (): boolean => this.#socket === socket
    socket.onopen = () => isCurrent() && this.#enter()
    socket.onmessage = ({ data }) => isCurrent() && this.#receive(data)
    socket.onclose = () => isCurrent() && this.#lose()
    socket.onerror = null
    this.#set('handshake', HANDSHAKE_MS, () => this.#lose())
  }

  #enter(): void {
    const { entry } = this.#options
    const isFirst = this.#resumeToken === null && entry.type !== 'resume'
    // Who only listens has nothing to go on with: the call is heard anew.
    if (isFirst || entry.type === 'listen') this.#write(entry)
    else {
      const resumeToken = this.#resumeToken ?? ''
      this.#write({ type: 'resume', protocol: LIVE_PROTOCOL, resumeToken, lastSeq: this.#lastSeq })
    }
  }

  #receive(data: unknown): void {
    this.#noteReceived()
    if (data instanceof ArrayBuffer) {
      const frame = decodeAudioFrame(data)
      if (frame === null || this.#phase !== 'live') return
      const startSample = unwrapSampleNumber(frame.startSample, this.#nextSample)
      this.#nextSample = startSample + frame.samples.length
      this.#options.onEvent({ type: 'audio', startSample, samples: frame.samples })
      return
    }
    const message = typeof data === 'string' ? readServerMessage(data) : null
    if (message !== null) this.#handleMessage(message)
  }

  #handleMessage(message: ServerMessage): void {
    if (message.type === 'joined') this.#join(message)
    else if (message.type === 'refused') this.#refuse(message)
    else if (message.type === 'ended') this.#finish({ type: 'ended', reason: message.reason })
    else if (message.type === 'pong') this.#handlePong(message)
    else if (!('seq' in message)) this.#options.onEvent({ type: 'message', message })
    else if (message.seq > this.#lastSeq) {
      this.#lastSeq = message.seq
      this.#options.onEvent({ type: 'message', message })
    }
  }

  #handlePong({ id, received }: Extract<ServerMessage, { type: 'pong' }>): void {
    this.#dropReceived(received)
    if (id !== this.#pingId || this.#pingSentAtMs === null) return
    const durationMs = this.#options.clock.now() - this.#pingSentAtMs
    this.#pingSentAtMs = null
    this.#options.onEvent({ type: 'round-trip', durationMs })
  }

  #join(message: JoinedMessage): void {
    if (message.protocol !== LIVE_PROTOCOL) {
      this.#finish({ type: 'failed', problem: new CallProblem('protocol_mismatch') })
      return
    }
    this.#clear('handshake')
    const wasLost = this.#phase === 'reconnecting'
    // What was received before this page came was another's: nothing of its own has been sent.
    if (wasLost) this.#dropReceived(message.received)
    else this.#received = message.received
    this.#phase = 'live'
    this.#attempt = 0
    this.#resumeToken = message.resumeToken
    if (this.#muted) this.#write({ type: 'muted', muted: true })
    for (const unacknowledged of this.#unacknowledged) this.#write(unacknowledged)
    this.#ping(PONG_TIMEOUT_MS)
    // Last: whoever hears of it may say something, or leave.
    this.#options.onEvent({ type: 'joined', message })
    if (wasLost) this.#options.onEvent({ type: 'reconnected' })
  }

  #dropReceived(received: number): void {
    this.#unacknowledged.splice(0, received - this.#received)
    this.#received = received
  }

  #refuse({ code, message, retry }: RefusedMessage): void {
    if (retry) {
      this.#lose()
      return
    }
    const isReturning = this.#phase === 'reconnecting' && code.startsWith('token_') && code !== 'token_revoked'
    const problem = isReturning ? new CallProblem('connection_lost') : refusalProblem(code, message)
    this.#finish({ type: 'failed', problem })
  }

  /** The connection is of no use any more: another one is tried while the call waits. */
  #lose(): void {
    this.#dropSocket()
    for (const name of ['handshake', 'ping', 'silence'] as const) this.#clear(name)
    if (this.#phase === 'over') return
    const { clock, onEvent } = this.#options
    if (this.#phase === 'live') {
      this.#phase = 'reconnecting'
      this.#lostAtMs = clock.now()
      this.#attempt = 0
      onEvent({ type: 'reconnecting' })
    }
    const backoffMs = backoffBeforeAttempt(this.#attempt, clock.now() - this.#lostAtMs)
    this.#attempt += 1
    if (backoffMs !== null) this.#set('attempt', backoffMs, () => this.#connect())
    else {
      const code = this.#phase === 'reconnecting' ? 'connection_lost' : 'unreachable'
      this.#finish({ type: 'failed', problem: new CallProblem(code) })
    }
  }

  #ping(silenceMs: number): void {
    const { clock } = this.#options
    this.#pingId += 1
    this.#pingSentAtMs = clock.now()
    this.#write({ type: 'ping', id: this.#pingId })
    // Pings do not put the end of an earlier silence off.
    if (silenceMs < PONG_TIMEOUT_MS || !this.#timers.has('silence')) this.#set('silence', silenceMs, () => this.#lose())
    this.#set('ping', PING_EVERY_MS, () => this.#ping(PONG_TIMEOUT_MS))
  }

  /** Whatever comes shows that the line stands. */
  #noteReceived(): void {
    this.#clear('silence')
  }

  #write(message: ClientMessage): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #finish(event: ChannelEvent | null): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#dropSocket()
    for (const name of [...this.#timers.keys()]) this.#clear(name)
    if (event !== null) this.#options.onEvent(event)
  }

  #dropSocket(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close()
  }

  #set(name: 'attempt' | 'handshake' | 'ping' | 'silence', delayMs: number, callback: () => void): void {
    this.#clear(name)
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(name)
      callback()
    })
    this.#timers.set(name, cancel)
  }

  #clear(name: 'attempt' | 'handshake' | 'ping' | 'silence'): void {
    this.#timers.get(name)?.()
    this.#timers.delete(name)
  }
}
