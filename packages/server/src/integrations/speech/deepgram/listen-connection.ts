import { countFrameSamples, FRAME_MS } from '@parley/engine/audio/frame'
import type { SpeechFailure } from '@parley/engine/voice/ports'
import { type SpeechSocketTarget, VendorSocket } from '../vendor-socket.ts'
import { AudioTail } from './audio-tail.ts'
import { buildHeaders, REQUEST_ID_HEADER, toListenFailure } from './deepgram-wire.ts'

type JsonFields = Readonly<Record<string, unknown>>

/** A vendor and one of its models. */
export interface ListenTarget extends SpeechSocketTarget {
  readonly model: string
}

export interface ListenConnectionOptions extends SpeechSocketTarget {
  readonly url: URL
  readonly rateHz: number
  /** Number of frames per message. */
  readonly framesPerMessage: number
  /** Handles a message. `offsetSeconds` is the time in the call at which the connection's audio starts. */
  readonly onMessage: (message: JsonFields, offsetSeconds: number) => void
  /** Called after a connection has opened and the pending audio was sent. */
  readonly onOpen?: () => void
  /** Called before audio is sent again over another connection. */
  readonly onReconnect?: () => void
  /** Called regularly with the time since the caller's last audio and since the last message to the vendor. */
  readonly onIdleCheck: (sinceAudioMs: number, sinceSendMs: number) => void
  /** Called once. The connection is closed. */
  readonly onFailed: (failure: SpeechFailure) => void
}

const IDLE_CHECK_MS = 250
/** Number of reconnections in a row. A connection that has lasted for a while resets it. */
const MAX_RECONNECTS = 2
const STABLE_CONNECTION_MS = 10_000
/** Delay before the second reconnection in a row. The first is immediate. */
const RECONNECT_DELAY_MS = 500
/** Time for any message after the caller's voice. The vendor sends several per second while audio flows. */
const RESPONSE_TIMEOUT_MS = 8_000
/** Audio is sent again in messages of 200 ms, the most common size. */
const FRAMES_PER_REPLAY_MESSAGE = 10

const noop = (): void => {}

/** A transcriber's connection, which reconnects after a loss and sends the audio that has no text yet again. */
export class ListenConnection {
  readonly #options: ListenConnectionOptions
  readonly #tail: AudioTail
  #socket: VendorSocket | null = null
  #isOpen = false
  #hasBeenOpen = false
  #hasSentAudio = false
  #openedAtMs: number | null = null
  #offsetSeconds = 0
  #reconnectCount = 0
  #pendingFrames: Buffer[] = []
  #lastAudioMs: number
  #lastSendMs: number
  #isResponseExpected = false
  #cancelResponseTimeout: () => void = noop
  #cancelReconnect: () => void = noop
  #cancelIdleCheck: () => void = noop
  #isClosed = false

  constructor(options: ListenConnectionOptions) {
    this.#options = options
    this.#tail = new AudioTail(options.rateHz)
    this.#lastAudioMs = options.clock.now()
    this.#lastSendMs = this.#lastAudioMs
    this.#open()
    this.#scheduleIdleCheck()
  }

  /** Whether the current connection has received audio. */
  get hasSentAudio(): boolean {
    return this.#hasSentAudio
  }

  /** Whether audio that has no text yet had to be dropped. */
  get hasLostAudio(): boolean {
    return this.#tail.wasTruncated
  }

  /** Sends the caller's next frame. */
  push(frame: Int16Array): void {
    this.#lastAudioMs = this.#options.clock.now()
    this.#sendFrame(frame)
  }

  /** Sends silence in place of the caller's audio. */
  pushSilence(durationMs: number): void {
    const frame = new Int16Array(countFrameSamples(this.#options.rateHz))
    for (let sentMs = 0; sentMs < durationMs; sentMs += FRAME_MS) this.#sendFrame(frame)
  }

  /** Sends a command after the audio. Commands are not queued: `onOpen` repeats the ones that matter. */
  sendCommand(message: JsonFields): void {
    this.#flushFrames()
    if (!this.#isOpen) return
    this.#lastSendMs = this.#options.clock.now()
    this.#socket?.sendJson(message)
  }

  /** Reconnects if the vendor sends no message within the timeout. */
  expectResponse(): void {
    this.#isResponseExpected = true
    this.#cancelResponseTimeout()
    if (!this.#isOpen) return
    this.#cancelResponseTimeout = this.#options.clock.after(RESPONSE_TIMEOUT_MS, () =>
      this.#socket?.fail({ kind: 'timeout', message: 'The provider stopped responding.', retryable: true }),
    )
  }

  /** Drops the audio before a time in the call. It is not sent again. */
  confirmUntil(seconds: number): void {
    this.#tail.confirmUntil(seconds)
  }

  /** Ends the connection and reconnects if possible. */
  fail(failure: SpeechFailure): void {
    this.#socket?.fail(failure)
  }

  /** Ends the connection without reconnecting. */
  abandon(failure: SpeechFailure): void {
    if (this.#isClosed) return
    this.close()
    this.#options.onFailed(failure)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isOpen = false
    this.#cancelResponseTimeout()
    this.#cancelReconnect()
    this.#cancelIdleCheck()
    this.#socket?.close({ type: 'CloseStream' })
    this.#tail.clear()
  }

  #open(): void {
    const { openSocket, clock, url, apiKey, onMessage } = this.#options
    this.#openedAtMs = null
    this.#socket = new VendorSocket({
      openSocket,
      clock,
      url,
      headers: buildHeaders(apiKey),
      requestIdHeader: REQUEST_ID_HEADER,
      onOpen: () => this.#resume(),
      onMessage: (message) => {
        this.#isResponseExpected = false
        this.#cancelResponseTimeout()
        onMessage(message, this.#offsetSeconds)
      },
      onFailed: (failure, closeCode) => this.#handleEnd(toListenFailure(failure, closeCode)),
    })
  }

  /** Sends the audio that arrived before the connection opened or that the previous connection left without text. */
  #resume(): void {
    this.#isOpen = true
    this.#hasBeenOpen = true
    this.#openedAtMs = this.#options.clock.now()
    this.#lastSendMs = this.#openedAtMs
    this.#offsetSeconds = this.#tail.startSeconds
    this.#hasSentAudio = false
    for (const message of this.#tail.getMessages(FRAMES_PER_REPLAY_MESSAGE)) this.#sendAudio(message)
    if (!this.#isOpen) return
    if (this.#isResponseExpected) this.expectResponse()
    this.#options.onOpen?.()
  }

  #sendFrame(frame: Int16Array): void {
    // An empty message would end the stream.
    if (this.#isClosed || frame.length === 0) return
    const bytes = this.#tail.append(frame)
    if (!this.#isOpen) return
    this.#pendingFrames.push(bytes)
    if (this.#pendingFrames.length >= this.#options.framesPerMessage) this.#flushFrames()
  }

  #flushFrames(): void {
    const [firstFrame, ...otherFrames] = this.#pendingFrames
    this.#pendingFrames = []
    if (firstFrame === undefined || !this.#isOpen) return
    this.#lastSendMs = this.#options.clock.now()
    this.#sendAudio(otherFrames.length === 0 ? firstFrame : Buffer.concat([firstFrame, ...otherFrames]))
  }

  #sendAudio(bytes: Buffer): void {
    this.#hasSentAudio = true
    this.#socket?.send(bytes)
  }

  #handleEnd(failure: SpeechFailure): void {
    const { clock, onReconnect } = this.#options
    this.#isOpen = false
    this.#pendingFrames = []
    this.#cancelResponseTimeout()
    const isStable = this.#openedAtMs !== null && clock.now() - this.#openedAtMs >= STABLE_CONNECTION_MS
    if (isStable) this.#reconnectCount = 0
    if (!this.#hasBeenOpen || !failure.retryable || this.#reconnectCount >= MAX_RECONNECTS) {
      this.abandon(failure)
      return
    }
    this.#reconnectCount += 1
    onReconnect?.()
    if (this.#reconnectCount === 1) this.#open()
    else this.#cancelReconnect = clock.after(RECONNECT_DELAY_MS, () => this.#open())
  }

  #scheduleIdleCheck(): void {
    const { clock, onIdleCheck } = this.#options
    this.#cancelIdleCheck = clock.after(IDLE_CHECK_MS, () => {
      this.#scheduleIdleCheck()
      if (this.#isOpen) onIdleCheck(clock.now() - this.#lastAudioMs, clock.now() - this.#lastSendMs)
    })
  }
}
