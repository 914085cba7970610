import { countFrameSamples, FRAME_MS } from '@parley/engine/audio/frame'
import type { SpeechFailure } from '@parley/engine/voice/ports'
import { toLinear16 } from '../linear16.ts'
import { UnconfirmedAudio } from '../unconfirmed-audio.ts'
import { type SpeechSocketTarget, VendorSocket } from '../vendor-socket.ts'
import { buildHeaders, REASON_HEADER, REQUEST_ID_HEADER, toListenFailure } from './deepgram-wire.ts'

type JsonFields = Readonly<Record<string, unknown>>

/** A vendor and one of its models. */
export interface ListenTarget extends SpeechSocketTarget {
  readonly model: string
}

export interface ListenConnectionOptions extends SpeechSocketTarget {
  /** Returns the URL of the next connection. */
  readonly getUrl: () => URL
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
const RESPONSE_TIMEOUT_MS = 1_500
/** Time for any message while the caller speaks. */
const VOICE_RESPONSE_TIMEOUT_MS = 4_000
/** Time for any message about audio that was sent again, all at once. */
const RESENT_RESPONSE_TIMEOUT_MS = 2_500
/** Time for another connection to open while the caller waits. */
const RECONNECT_TIMEOUT_MS = 1_500
/** Maximum audio that is sent again over another connection. */
const MAX_RESENT_SECONDS = 15
/** Duration of messages with audio that is sent again, the most common size. */
const RESENT_MESSAGE_MS = 200

const noop = (): void => {}

/** A transcriber's connection, which reconnects after a loss and sends the audio that has no text yet again. */
export class ListenConnection {
  readonly #options: ListenConnectionOptions
  readonly #audio: UnconfirmedAudio
  #socket: VendorSocket | null = null
  #hasLostAudio = false
  #isOpen = false
  #hasBeenOpen = false
  #hasSentAudio = false
  #openedAtMs: number | null = null
  #offsetSeconds = 0
  #reconnectCount = 0
  #pendingFrames: Buffer[] = []
  #lastAudioMs: number
  #lastSendMs: number
  #isVoice = false
  #isResponseExpected = false
  #cancelResponseTimeout: () => void = noop
  #cancelReconnect: () => void = noop
  #cancelIdleCheck: () => void = noop
  #isClosed = false

  constructor(options: ListenConnectionOptions) {
    this.#options = options
    this.#audio = new UnconfirmedAudio(options.rateHz)
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
    return this.#hasLostAudio
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

  /**
   * Sends a command after the audio. Returns false if the connection is not open. Commands are not queued: `onOpen` repeats the
   * ones that matter.
   */
  sendCommand(message: JsonFields): boolean {
    this.#flushFrames()
    if (!this.#isOpen) return false
    this.#lastSendMs = this.#options.clock.now()
    this.#socket?.sendJson(message)
    return true
  }

  /** Expects messages while the caller speaks. Reconnects if there are none in time. */
  voiceStarted(): void {
    this.#isVoice = true
    this.#expectResponse(VOICE_RESPONSE_TIMEOUT_MS)
  }

  /** Expects a message after the caller's voice. Reconnects if there is none in time. */
  voiceEnded(): void {
    this.#isVoice = false
    this.#expectResponse(RESPONSE_TIMEOUT_MS)
  }

  #expectResponse(timeoutMs: number): void {
    this.#isResponseExpected = true
    this.#cancelResponseTimeout()
    if (!this.#isOpen) return
    this.#cancelResponseTimeout = this.#options.clock.after(timeoutMs, () =>
      this.#socket?.fail({ kind: 'timeout', message: 'The provider stopped responding.', retryable: true }),
    )
  }

  #handleResponse(): void {
    this.#isResponseExpected = false
    this.#cancelResponseTimeout()
    if (this.#isVoice) this.#expectResponse(VOICE_RESPONSE_TIMEOUT_MS)
  }

  /** Drops the audio before a time in the call. It is not sent again. */
  confirmUntil(seconds: number): void {
    if (this.#audio.dropBefore(seconds * this.#options.rateHz)) this.#hasLostAudio = false
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
  }

  #open(): void {
    const { openSocket, clock, getUrl, apiKey, onMessage } = this.#options
    this.#openedAtMs = null
    this.#socket = new VendorSocket({
      openSocket,
      clock,
      url: getUrl(),
      headers: buildHeaders(apiKey),
      requestIdHeader: REQUEST_ID_HEADER,
      reason: { header: REASON_HEADER, apiKey },
      onOpen: () => this.#resume(),
      ...(this.#reconnectCount > 0 && { connectTimeoutMs: RECONNECT_TIMEOUT_MS }),
      onMessage: (message) => {
        // The greeting of a new connection says nothing about its audio.
        if (message.type !== 'Connected') this.#handleResponse()
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
    this.#hasSentAudio = false
    this.#resendAudio()
    if (!this.#isOpen) return
    if (this.#isResponseExpected) this.#expectResponse(RESENT_RESPONSE_TIMEOUT_MS)
    this.#options.onOpen?.()
  }

  #resendAudio(): void {
    const { startSample, endSample } = this.#audio
    const { rateHz } = this.#options
    this.#offsetSeconds = startSample / rateHz
    const messageSamples = (RESENT_MESSAGE_MS * rateHz) / 1_000
    // Sending can fail and replace the socket at once. The replacement sends all of the audio itself.
    const socket = this.#socket
    for (let fromSample = startSample; fromSample < endSample; fromSample += messageSamples) {
      if (this.#socket !== socket) return
      this.#sendAudio(toLinear16(this.#audio.read(fromSample, Math.min(fromSample + messageSamples, endSample))))
    }
  }

  #sendFrame(frame: Int16Array): void {
    // An empty message would end the stream.
    if (this.#isClosed || frame.length === 0) return
    this.#audio.append(frame)
    if (this.#audio.limit(MAX_RESENT_SECONDS)) this.#hasLostAudio = true
    if (!this.#isOpen) return
    this.#pendingFrames.push(toLinear16(frame))
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
    // Another attempt would take just as long, and the caller waits.
    const isSilent = failure.kind === 'timeout' && this.#reconnectCount > 0
    if (!this.#hasBeenOpen || !failure.retryable || isSilent || this.#reconnectCount >= MAX_RECONNECTS) {
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
