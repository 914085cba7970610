import { ClientMessage, countsAsReceived, type ServerMessage } from '@parley/contract/live'
import { createFrameFactory, type Frame } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import { createTokenBucket, type TokenBucket } from '../token-bucket.ts'
import { type AudioMessage, decodeAudio, encodeAudio, joinAudio } from './audio-messages.ts'

/** The part of a WebSocket that is used here. */
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

/** What comes over a connection. */
export interface ConnectionEvents {
  message(message: ClientMessage): void
  /** A message of a known type that is not as it must be; `null`: its type is not known. `counts`: as received, all the same. */
  invalid(problem: string | null, counts: boolean): void
  audio(audio: AudioMessage): void
  /** The last event. `left`: the other side closed it as one does at the end; otherwise it broke. */
  closed(how: 'left' | 'broken'): void
}

export const CLOSE_CODES = { done: 1000, goingAway: 1001, invalid: 1007, policy: 1008, replaced: 4001 } as const

const PING_EVERY_MS = 1_500
/** A peer that was silent for so long, with pings that it did not answer, is gone: 6 s after its last message at most. */
const SILENT_AFTER_MS = 4_500
const UNANSWERED_PINGS = 2
/** How long the other side may take to agree to a close. */
const CLOSE_MS = 1_000
/** A stalled connection delivers what waited all at once: several seconds of everything have to be let through. */
const TEXT_LIMITS = { perSecond: 50, burst: 600 }
const AUDIO_LIMITS = { perSecond: 150, burst: 1_500 }
/** Bytes that may be pending, far above all that is sent again after a break: whoever does not read any more is cut off. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024

const ignore = (): void => {}

/** One WebSocket of a browser: heart-beat, limits and the form of messages. Nothing here throws. */
export class WebConnection {
  readonly #socket: ConnectionSocket
  readonly #clock: Clock
  readonly #newFrame = createFrameFactory()
  readonly #texts: TokenBucket
  readonly #audioMessages: TokenBucket
  #events: ConnectionEvents | null = null
  #onEnded = ignore
  /** Audio that leaves in one message when whoever sends it has done so. */
  #unsent: Buffer[] = []
  #unsentBytes = 0
  #unsentTo = 0
  #isOpen = true
  #isClosed = false
  #lastReceivedMs: number
  #unansweredPings = 0
  #cancelPing = ignore
  #cancelClose = ignore

  constructor(socket: ConnectionSocket, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#texts = createTokenBucket(clock, TEXT_LIMITS)
    this.#audioMessages = createTokenBucket(clock, AUDIO_LIMITS)
    this.#lastReceivedMs = clock.now()
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('ping', () => this.#acceptMessage(this.#texts))
    socket.on('pong', () => this.#acceptMessage(this.#texts))
    // A socket that fails closes as well.
    socket.on('error', ignore)
    socket.on('close', (code) => {
      this.#isClosed = true
      this.#cancelClose()
      this.#end(code === CLOSE_CODES.done ? 'left' : 'broken')
    })
    this.#schedulePing()
  }

  /** From now on events go there, in the place of who had them before. */
  listen(events: ConnectionEvents): void {
    this.#events = events
  }

  /** Calls `listener` once when the connection ends, from whichever side; at once when it has. One listener at most. */
  whenEnded(listener: () => void): void {
    if (this.#isOpen) this.#onEnded = listener
    else listener()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Bytes that wait to be taken by the network. */
  get pendingBytes(): number {
    return this.#socket.bufferedAmount + this.#unsentBytes
  }

  send(message: ServerMessage): void {
    this.sendText(JSON.stringify(message))
  }

  sendText(text: string): void {
    if (!this.#isOpen) return
    this.#sendUnsent()
    if (this.#socket.bufferedAmount > MAX_PENDING_BYTES) this.#terminate()
    else this.#socket.send(text)
  }

  /** Frames that are sent at one go and follow on each other leave together, in their order among messages. */
  sendAudio(frame: Frame, startSample: number): void {
    if (!this.#isOpen) return
    if (startSample !== this.#unsentTo) this.#sendUnsent()
    if (this.#unsent.length === 0) queueMicrotask(() => this.#sendUnsent())
    const audio = encodeAudio(frame, startSample)
    this.#unsent.push(audio)
    this.#unsentBytes += audio.length
    this.#unsentTo = startSample + frame.length
  }

  /** Sends the reason and closes it. */
  refuse(
    refusal: { readonly code: string; readonly message: string; readonly retry: boolean },
    closeCode: number,
  ): void {
    const { code, message, retry } = refusal
    this.send({ type: 'refused', code, message, retry })
    this.close(closeCode, code)
  }

  /** Ends it from this side; whoever listens gets nothing more. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#sendUnsent()
    this.#events = null
    this.#end('left')
    this.#socket.close(code, reason)
    if (!this.#isClosed) this.#cancelClose = this.#clock.after(CLOSE_MS, () => this.#socket.terminate())
  }

  #sendUnsent(): void {
    if (this.#unsent.length === 0) return
    const audio = joinAudio(this.#unsent)
    this.#unsent = []
    this.#unsentBytes = 0
    if (this.#isOpen) this.#socket.send(audio)
  }

  #end(how: 'left' | 'broken'): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#cancelPing()
    this.#onEnded()
    const events = this.#events
    this.#events = null
    events?.closed(how)
  }

  #terminate(): void {
    this.#socket.terminate()
    this.#end('broken')
  }

  /** Whatever comes shows that the other side lives, and counts. */
  #acceptMessage(bucket: TokenBucket): boolean {
    if (!this.#isOpen) return false
    this.#lastReceivedMs = this.#clock.now()
    this.#unansweredPings = 0
    if (bucket.take(1)) return true
    this.#refuseMessage('too_many_messages', 'More messages came than a call needs.', CLOSE_CODES.policy)
    return false
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (!this.#acceptMessage(isBinary ? this.#audioMessages : this.#texts)) return
    if (isBinary) {
      const audio = decodeAudio(data, this.#newFrame)
      if (audio === null)
        this.#refuseMessage('invalid_message', 'A binary message holds no samples.', CLOSE_CODES.invalid)
      else this.#events?.audio(audio)
      return
    }
    const read = readMessage(data.toString())
    if (read.kind === 'message') this.#events?.message(read.message)
    else if (read.kind === 'invalid') this.#events?.invalid(read.problem, read.counts)
    else if (read.kind === 'unknown') this.#events?.invalid(null, false)
    else this.#refuseMessage('invalid_message', 'A message is not a JSON object with a type.', CLOSE_CODES.invalid)
  }

  /** The call goes on over another connection, should this have been a mistake. */
  #refuseMessage(code: string, message: string, closeCode: number): void {
    const events = this.#events
    this.#events = null
    this.refuse({ code, message, retry: false }, closeCode)
    events?.closed('broken')
  }

  #schedulePing(): void {
    this.#cancelPing = this.#clock.after(PING_EVERY_MS, () => {
      const isSilent = this.#clock.now() - this.#lastReceivedMs >= SILENT_AFTER_MS
      // A process that stood still finds the time over before it has read what came meanwhile; it asks before it judges.
      if (isSilent && this.#unansweredPings >= UNANSWERED_PINGS) {
        this.#terminate()
        return
      }
      this.#unansweredPings += 1
      this.#socket.ping()
      this.#schedulePing()
    })
  }
}

/** A text message of a browser, as it is understood. */
export type ReadMessage =
  | { readonly kind: 'message'; readonly message: ClientMessage }
  /** Of a newer browser perhaps: to be ignored. */
  | { readonly kind: 'unknown' }
  /** Of a known type, but not as it must be; `counts`: among those that were received, all the same. */
  | { readonly kind: 'invalid'; readonly problem: string; readonly counts: boolean }
  /** Not JSON, or no object with a type. */
  | { readonly kind: 'garbage' }

const TYPES: ReadonlySet<string> = new Set(ClientMessage.options.map(({ shape }) => shape.type.value))

/** Never throws. */
function readMessage(text: string): ReadMessage {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'garbage' }
  const { type, stage } = value as { readonly type?: unknown; readonly stage?: unknown }
  if (typeof type !== 'string') return { kind: 'garbage' }
  if (!TYPES.has(type)) return { kind: 'unknown' }
  const { success, data, error } = ClientMessage.safeParse(value)
  if (success) return { kind: 'message', message: data }
  const [issue] = error.issues
  const problem = `${type}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`
  return { kind: 'invalid', problem, counts: countsAsReceived({ type, stage }) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
