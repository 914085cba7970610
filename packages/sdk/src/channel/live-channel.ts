import { CallProblem, createRejectionProblem } from '../call-problem.ts'
import type { ClientClock } from '../clock.ts'
import { decodeAudioFrame, encodeAudioFrame, unwrapSampleNumber } from './audio-frame.ts'
import {
  type ClientMessage,
  type JoinedMessage,
  LIVE_PROTOCOL,
  type RefusedMessage,
  readServerMessage,
  requiresAcknowledgment,
  type ServerMessage,
} from './live-protocol.ts'

/** The subset of `WebSocket` that the channel uses. */
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

/** Messages that the channel passes to the call. */
export type CallMessage = Exclude<ServerMessage, { type: 'joined' | 'refused' | 'pong' | 'ended' }>

export type ChannelEvent =
  | { readonly type: 'joined'; readonly message: JoinedMessage }
  | { readonly type: 'message'; readonly message: CallMessage }
  | { readonly type: 'audio'; readonly startSample: number; readonly samples: Int16Array }
  | { readonly type: 'reconnecting' }
  | { readonly type: 'reconnected' }
  | { readonly type: 'round-trip'; readonly durationMs: number }
  /** The last event, which is either `ended` or a problem. */
  | { readonly type: 'ended'; readonly reason: string }
  | { readonly type: 'failed'; readonly problem: CallProblem }

/** How to join a call: with an access token, with a resume token, or as a listener. */
export type Entry =
  | Extract<ClientMessage, { type: 'join' | 'listen' }>
  | { readonly type: 'resume'; readonly resumeToken: string }

interface LiveChannelOptions {
  readonly address: string
  readonly entry: Entry
  readonly clock: ClientClock
  readonly openSocket: (address: string) => LiveSocket
  readonly onEvent: (event: ChannelEvent) => void
}

const HANDSHAKE_TIMEOUT_MS = 8_000
const PING_INTERVAL_MS = 2_000
/** Maximum time to wait for a response to a ping before the connection is considered broken. */
const PONG_TIMEOUT_MS = 4_000
const CHECK_TIMEOUT_MS = 1_500
/** Maximum number of unconfirmed messages, slightly more than a server accepts at once. */
const MAX_UNACKNOWLEDGED_MESSAGES = 200

/** The connection of a call. It joins, reconnects after failures, and delivers each message once and in order. */
export class LiveChannel {
  readonly #options: LiveChannelOptions
  #socket: LiveSocket | null = null
  #phase: 'connecting' | 'live' | 'reconnecting' | 'ended' = 'connecting'
  #resumeToken: string | null
  #lastSeq = 0
  #nextSample = 0
  #attempt = 0
  #lostAtMs: number
  #pingId = 0
  #pingSentAtMs: number | null = null
  /** Unconfirmed messages that must not be lost, oldest first. */
  #unacknowledged: ClientMessage[] = []
  /** Number of messages that the server has confirmed, including messages from earlier pages. */
  #acknowledgedCount = 0
  #muted = false
  readonly #backpressure = new SendBackpressure()
  readonly #timers = new Map<'attempt' | 'handshake' | 'ping' | 'silence', () => void>()

  constructor(options: LiveChannelOptions) {
    this.#options = options
    this.#resumeToken = options.entry.type === 'resume' ? options.entry.resumeToken : null
    this.#lostAtMs = options.clock.now()
    this.#connect()
  }

  /** Token that resumes the call, or `null` before the call is connected. */
  get resumeToken(): string | null {
    return this.#resumeToken
  }

  /** Sends a message. Messages that must not be lost are resent after a reconnect. */
  send(message: ClientMessage): void {
    if (message.type === 'muted') this.#muted = message.muted
    if (requiresAcknowledgment(message)) {
      // Messages that cannot be stored are not sent, so that both sides count the same messages.
      if (this.#unacknowledged.length >= MAX_UNACKNOWLEDGED_MESSAGES) return
      this.#unacknowledged.push(message)
    }
    if (this.#phase === 'live') this.#write(message)
  }

  /** Sends audio unless the connection is broken or congested. The server detects the gap from the sample numbers. */
  sendAudio(startSample: number, samples: Int16Array): void {
    const socket = this.#socket
    if (this.#phase !== 'live' || socket === null) return
    if (this.#backpressure.shouldDrop(socket.bufferedAmount, this.#options.clock.now())) return
    socket.send(encodeAudioFrame(startSample, samples))
  }

  /** Checks the connection after a possible network change. */
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
    this.#clearTimer('attempt')
    const socket = this.#options.openSocket(this.#options.address)
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    const isCurrent = (): boolean => this.#socket === socket
    socket.onopen = () => isCurrent() && this.#sendEntry()
    socket.onmessage = ({ data }) => isCurrent() && this.#receive(data)
    socket.onclose = () => isCurrent() && this.#onConnectionLost()
    socket.onerror = null
    this.#setTimer('handshake', HANDSHAKE_TIMEOUT_MS, () => this.#onConnectionLost())
  }

  #sendEntry(): void {
    const { entry } = this.#options
    const isFirst = this.#resumeToken === null && entry.type !== 'resume'
    // Listeners cannot resume a call, so they join again.
    if (isFirst || entry.type === 'listen') this.#write(entry)
    else {
      const resumeToken = this.#resumeToken ?? ''
      this.#write({ type: 'resume', protocol: LIVE_PROTOCOL, resumeToken, lastSeq: this.#lastSeq })
    }
  }

  #receive(data: unknown): void {
    // Any message proves that the connection works.
    this.#clearTimer('silence')
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
    if (message.type === 'joined') this.#handleJoined(message)
    else if (message.type === 'refused') this.#handleRefusal(message)
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

  #handleJoined(message: JoinedMessage): void {
    if (message.protocol !== LIVE_PROTOCOL) {
      this.#finish({ type: 'failed', problem: new CallProblem('protocol_mismatch') })
      return
    }
    this.#clearTimer('handshake')
    const wasLost = this.#phase === 'reconnecting'
    // Messages that the server received earlier belong to a previous page.
    if (wasLost) this.#dropReceived(message.received)
    else this.#acknowledgedCount = message.received
    this.#phase = 'live'
    this.#attempt = 0
    this.#resumeToken = message.resumeToken
    if (this.#muted) this.#write({ type: 'muted', muted: true })
    for (const unacknowledged of this.#unacknowledged) this.#write(unacknowledged)
    this.#ping(PONG_TIMEOUT_MS)
    // The event is emitted last because listeners can send messages or leave.
    this.#options.onEvent({ type: 'joined', message })
    if (wasLost) this.#options.onEvent({ type: 'reconnected' })
  }

  #dropReceived(received: number): void {
    this.#unacknowledged.splice(0, received - this.#acknowledgedCount)
    this.#acknowledgedCount = received
  }

  #handleRefusal({ code, message, retry }: RefusedMessage): void {
    if (retry) {
      this.#onConnectionLost()
      return
    }
    const isCallLost = this.#phase === 'reconnecting' && code.startsWith('token_') && code !== 'token_revoked'
    const problem = isCallLost ? new CallProblem('connection_lost') : createRejectionProblem(code, message)
    this.#finish({ type: 'failed', problem })
  }

  /** Drops the connection and schedules the next attempt. */
  #onConnectionLost(): void {
    this.#dropSocket()
    for (const name of ['handshake', 'ping', 'silence'] as const) this.#clearTimer(name)
    if (this.#phase === 'ended') return
    const { clock, onEvent } = this.#options
    if (this.#phase === 'live') {
      this.#phase = 'reconnecting'
      this.#lostAtMs = clock.now()
      this.#attempt = 0
      onEvent({ type: 'reconnecting' })
    }
    const backoffMs = calculateBackoffMs(this.#attempt, clock.now() - this.#lostAtMs)
    this.#attempt += 1
    if (backoffMs !== null) this.#setTimer('attempt', backoffMs, () => this.#connect())
    else {
      const code = this.#phase === 'reconnecting' ? 'connection_lost' : 'unreachable'
      this.#finish({ type: 'failed', problem: new CallProblem(code) })
    }
  }

  #ping(timeoutMs: number): void {
    const { clock } = this.#options
    this.#pingId += 1
    this.#pingSentAtMs = clock.now()
    this.#write({ type: 'ping', id: this.#pingId })
    // A ping does not extend an earlier timeout.
    if (timeoutMs < PONG_TIMEOUT_MS || !this.#timers.has('silence'))
      this.#setTimer('silence', timeoutMs, () => this.#onConnectionLost())
    this.#setTimer('ping', PING_INTERVAL_MS, () => this.#ping(PONG_TIMEOUT_MS))
  }

  #write(message: ClientMessage): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #finish(event: ChannelEvent | null): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#dropSocket()
    for (const name of [...this.#timers.keys()]) this.#clearTimer(name)
    if (event !== null) this.#options.onEvent(event)
  }

  #dropSocket(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close()
  }

  #setTimer(name: 'attempt' | 'handshake' | 'ping' | 'silence', delayMs: number, callback: () => void): void {
    this.#clearTimer(name)
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(name)
      callback()
    })
    this.#timers.set(name, cancel)
  }

  #clearTimer(name: 'attempt' | 'handshake' | 'ping' | 'silence'): void {
    this.#timers.get(name)?.()
    this.#timers.delete(name)
  }
}

const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 2_000

/** Time that the server waits for a caller to reconnect. */
export const RECONNECT_TIMEOUT_MS = 15_000

/**
 * Returns the milliseconds until the next attempt, or `null` after the deadline. `attempt` counts from 0; `lostForMs` is the time
 * since the connection was lost.
 */
export function calculateBackoffMs(attempt: number, lostForMs: number): number | null {
  const backoffMs = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** attempt)
  if (lostForMs >= RECONNECT_TIMEOUT_MS) return null
  return Math.min(backoffMs, RECONNECT_TIMEOUT_MS - lostForMs)
}

/** Maximum backlog, about one second. With a larger backlog, new audio would arrive too late. */
const MAX_BUFFERED_BYTES = 32_000
/** Sockets report progress only between tasks, so only a lasting backlog counts as congestion. */
const CONGESTION_TIMEOUT_MS = 250
/** Maximum burst: 8 s at 16 kHz or 16 s at 8 kHz. A server accepts 20 s. */
const MAX_BURST_BYTES = 256_000

/** Distinguishes a congested connection from a blocked page that sends its backlog all at once. */
export class SendBackpressure {
  #congestedSinceMs: number | null = null

  /** Whether to drop audio because the connection is congested. */
  shouldDrop(bufferedBytes: number, nowMs: number): boolean {
    if (bufferedBytes <= MAX_BUFFERED_BYTES) this.#congestedSinceMs = null
    else this.#congestedSinceMs ??= nowMs
    if (this.#congestedSinceMs === null) return false
    return nowMs - this.#congestedSinceMs >= CONGESTION_TIMEOUT_MS || bufferedBytes > MAX_BURST_BYTES
  }
}
