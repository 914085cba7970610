import { ClientMessage, countsAsReceived, type ServerMessage } from '@parley/contract/live'
import { createFrameFactory, type Frame } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { TokenBucket } from '../token-bucket.ts'
import { type AudioMessage, decodeAudio, encodeAudio, joinAudio } from './audio-messages.ts'

/** The subset of a WebSocket that a connection uses. */
export interface ConnectionSocket {
  readonly bufferedAmount: number
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown
  on(event: 'close', listener: (code: number) => void): unknown
  on(event: 'ping' | 'pong', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  send(data: string | Buffer): void
  ping(): void
  close(code: number, reason: string): void
  terminate(): void
}

/** Handlers for the events of a connection. */
interface ConnectionEvents {
  message(message: ClientMessage): void
  /**
   * Called for a malformed message of a known type, or with a null problem for an unknown type. `isCounted` is true if the
   * message still counts as received.
   */
  invalid(problem: string | null, isCounted: boolean): void
  audio(audio: AudioMessage): void
  /** The last event. `left` if the client closed the connection normally, otherwise `broken`. */
  closed(outcome: 'left' | 'broken'): void
}

export const CLOSE_CODES = { done: 1000, goingAway: 1001, invalid: 1007, policy: 1008, replaced: 4001 } as const

const PING_INTERVAL_MS = 1_500
/**
 * A client that sends nothing for this time and does not answer pings is disconnected, at most 6 s after its last message.
 */
const SILENCE_TIMEOUT_MS = 4_500
const MAX_UNANSWERED_PINGS = 2
/** Maximum time for the client to confirm a close. */
const CLOSE_TIMEOUT_MS = 1_000
/** The bursts allow for stalled connections, which deliver several seconds of messages at once. */
const TEXT_LIMITS = { perSecond: 50, burst: 600 }
const AUDIO_LIMITS = { perSecond: 150, burst: 1_500 }
/** Clients with more pending bytes are disconnected. A replay needs far fewer. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024

const noop = (): void => {}

/** Wraps one WebSocket of a browser with heartbeat, limits and message parsing. No method throws. */
export class WebConnection {
  readonly #socket: ConnectionSocket
  readonly #clock: Clock
  readonly #newFrame = createFrameFactory()
  readonly #textBucket: TokenBucket
  readonly #audioBucket: TokenBucket
  #events: ConnectionEvents | null = null
  #onEnded = noop
  /** Audio that is sent as one message at the end of the current task. */
  #unsentAudio: Buffer[] = []
  #unsentAudioBytes = 0
  #unsentEndSample = 0
  #isOpen = true
  #isClosed = false
  #lastReceivedMs: number
  #unansweredPings = 0
  #cancelPing = noop
  #cancelClose = noop

  constructor(socket: ConnectionSocket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#textBucket = new TokenBucket(clock, TEXT_LIMITS)
    this.#audioBucket = new TokenBucket(clock, AUDIO_LIMITS)
    this.#lastReceivedMs = clock.now()
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('ping', () => this.#acceptMessage(this.#textBucket))
    socket.on('pong', () => this.#acceptMessage(this.#textBucket))
    // After an error, the socket also emits `close`.
    socket.on('error', noop)
    socket.on('close', (code) => {
      this.#isClosed = true
      this.#cancelClose()
      this.#end(code === CLOSE_CODES.done ? 'left' : 'broken')
    })
    this.#schedulePing()
  }

  /** Replaces the event handlers. */
  listen(events: ConnectionEvents): void {
    this.#events = events
  }

  /** Calls `listener` once when the connection ends, or immediately if it has ended. Supports one listener. */
  onEnded(listener: () => void): void {
    if (this.#isOpen) this.#onEnded = listener
    else listener()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Number of bytes that have not been sent yet. */
  get pendingBytes(): number {
    return this.#socket.bufferedAmount + this.#unsentAudioBytes
  }

  send(message: ServerMessage): void {
    this.sendText(JSON.stringify(message))
  }

  sendText(text: string): void {
    if (!this.#isOpen) return
    this.#flushAudio()
    if (this.#socket.bufferedAmount > MAX_PENDING_BYTES) this.#terminate()
    else this.#socket.send(text)
  }

  /** Sends consecutive frames of a task as one message, in order with other messages. */
  sendAudio(frame: Frame, startSample: number): void {
    if (!this.#isOpen) return
    if (startSample !== this.#unsentEndSample) this.#flushAudio()
    if (this.#unsentAudio.length === 0) queueMicrotask(() => this.#flushAudio())
    const audio = encodeAudio(frame, startSample)
    this.#unsentAudio.push(audio)
    this.#unsentAudioBytes += audio.length
    this.#unsentEndSample = startSample + frame.length
  }

  /** Sends an error and closes the connection. */
  reject(
    rejection: { readonly code: string; readonly message: string; readonly retry: boolean },
    closeCode: number,
  ): void {
    const { code, message, retry } = rejection
    this.send({ type: 'refused', code, message, retry })
    this.close(closeCode, code)
  }

  /** Closes the connection. No event follows. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#flushAudio()
    this.#events = null
    this.#end('left')
    this.#socket.close(code, reason)
    if (!this.#isClosed) this.#cancelClose = this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.terminate())
  }

  #flushAudio(): void {
    if (this.#unsentAudio.length === 0) return
    const audio = joinAudio(this.#unsentAudio)
    this.#unsentAudio = []
    this.#unsentAudioBytes = 0
    if (this.#isOpen) this.#socket.send(audio)
  }

  #end(outcome: 'left' | 'broken'): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#cancelPing()
    this.#onEnded()
    const events = this.#events
    this.#events = null
    events?.closed(outcome)
  }

  #terminate(): void {
    this.#socket.terminate()
    this.#end('broken')
  }

  /** Registers a message for the heartbeat and the rate limits. Returns whether the message is within the limits. */
  #acceptMessage(bucket: TokenBucket): boolean {
    if (!this.#isOpen) return false
    this.#lastReceivedMs = this.#clock.now()
    this.#unansweredPings = 0
    if (bucket.take(1)) return true
    this.#rejectMessage('too_many_messages', 'Too many messages.', CLOSE_CODES.policy)
    return false
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (!this.#acceptMessage(isBinary ? this.#audioBucket : this.#textBucket)) return
    if (isBinary) {
      const audio = decodeAudio(data, this.#newFrame)
      if (audio === null)
        this.#rejectMessage('invalid_message', 'A binary message must contain samples.', CLOSE_CODES.invalid)
      else this.#events?.audio(audio)
      return
    }
    const parsedMessage = parseMessage(data.toString())
    if (parsedMessage.kind === 'message') this.#events?.message(parsedMessage.message)
    else if (parsedMessage.kind === 'invalid') this.#events?.invalid(parsedMessage.problem, parsedMessage.isCounted)
    else if (parsedMessage.kind === 'unknown') this.#events?.invalid(null, false)
    else this.#rejectMessage('invalid_message', 'A message must be a JSON object with a type.', CLOSE_CODES.invalid)
  }

  /** Sends an error and closes the connection as broken, so that the call can be resumed over another connection. */
  #rejectMessage(code: string, message: string, closeCode: number): void {
    const events = this.#events
    this.#events = null
    this.reject({ code, message, retry: false }, closeCode)
    events?.closed('broken')
  }

  #schedulePing(): void {
    this.#cancelPing = this.#clock.after(PING_INTERVAL_MS, () => {
      const isSilent = this.#clock.now() - this.#lastReceivedMs >= SILENCE_TIMEOUT_MS
      // If the process was blocked, messages may be waiting to be read, so the client must also have missed pings.
      if (isSilent && this.#unansweredPings >= MAX_UNANSWERED_PINGS) {
        this.#terminate()
        return
      }
      this.#unansweredPings += 1
      this.#socket.ping()
      this.#schedulePing()
    })
  }
}

type ParsedMessage =
  | { readonly kind: 'message'; readonly message: ClientMessage }
  /** A message of an unknown type, possibly from a newer client. Such messages are ignored. */
  | { readonly kind: 'unknown' }
  /** A malformed message of a known type. `isCounted` is true if the message still counts as received. */
  | { readonly kind: 'invalid'; readonly problem: string; readonly isCounted: boolean }
  /** A message that is not JSON, or not an object with a type. */
  | { readonly kind: 'malformed' }

const CLIENT_MESSAGE_TYPES: ReadonlySet<string> = new Set(ClientMessage.options.map(({ shape }) => shape.type.value))

function parseMessage(text: string): ParsedMessage {
  const value = parseJsonOrUndefined(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'malformed' }
  const { type, stage } = value as { readonly type?: unknown; readonly stage?: unknown }
  if (typeof type !== 'string') return { kind: 'malformed' }
  if (!CLIENT_MESSAGE_TYPES.has(type)) return { kind: 'unknown' }
  const { success, data, error } = ClientMessage.safeParse(value)
  if (success) return { kind: 'message', message: data }
  const [issue] = error.issues
  const problem = `${type}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`
  return { kind: 'invalid', problem, isCounted: countsAsReceived({ type, stage }) }
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
