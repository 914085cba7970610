import type { SpeechFailure } from '@parley/engine/voice/ports'
import { toText } from '../../models/unknown-json.ts'
import { type SpeechSocketTarget, VendorSocket } from '../vendor-socket.ts'
import { buildHeaders, REASON_HEADER, REQUEST_ID_HEADER, toErrorFailure, toSpeakFailure } from './deepgram-wire.ts'

/** Differences between the protocols of Aura (`/v1/speak`) and Flux (`/v2/speak`). */
export interface SpeakProtocol {
  readonly path: string
  /** Type of the message after the last audio of a text. */
  readonly endType: string
  /** Whether a text can be dropped without closing the connection. */
  readonly canClear: boolean
}

export interface SpeakConnectionOptions extends SpeechSocketTarget {
  readonly url: URL
  readonly protocol: SpeakProtocol
  /** Called when a text was spoken or dropped and the next one can be sent. */
  readonly onIdle: () => void
  /** Called once when the connection has ended. */
  readonly onEnd: () => void
}

/** Receives the audio of one text, followed by exactly one end or failure. */
export interface SpeakListener {
  onAudio(bytes: Buffer): void
  onEnd(): void
  onFailed(failure: SpeechFailure): void
}

/** The vendor accepts 20 flushes per minute. */
const MAX_FLUSHES = 18
const FLUSH_WINDOW_MS = 60_000
/** Time for the vendor to confirm that a text was dropped. */
const CLEAR_TIMEOUT_MS = 500

const TOO_MANY_FLUSHES: SpeechFailure = {
  kind: 'rate-limited',
  message: 'The provider limits the number of texts per minute.',
  retryable: true,
}

/** Warnings about a text that contains nothing to speak, such as punctuation only. */
const EMPTY_TEXT_WARNINGS: readonly string[] = ['NO_SYNTHESIZABLE_TEXT', 'NO_ACTIVE_SPEECH']

const noop = (): void => {}

/** A connection to a synthesizer, which speaks one text at a time. Messages do not name the text that they belong to. */
export class SpeakConnection {
  readonly openedAtMs: number
  readonly #options: SpeakConnectionOptions
  readonly #socket: VendorSocket
  #listener: SpeakListener | null = null
  #hasAudio = false
  #isClearing = false
  #isEnded = false
  /** Number of texts whose end was not confirmed, including dropped ones, whose end may still be confirmed. */
  #unconfirmedTexts = 0
  #flushTimes: number[] = []
  #cancelClearTimeout: () => void = noop

  constructor(options: SpeakConnectionOptions) {
    this.#options = options
    const { openSocket, clock, url, apiKey } = options
    this.openedAtMs = clock.now()
    this.#socket = new VendorSocket({
      openSocket,
      clock,
      url,
      headers: buildHeaders(apiKey),
      requestIdHeader: REQUEST_ID_HEADER,
      reason: { header: REASON_HEADER, apiKey },
      onMessage: (message) => this.#handleMessage(message),
      onBinary: (bytes) => this.#handleAudio(bytes),
      onFailed: (failure, closeCode) => this.#end(toSpeakFailure(failure, closeCode)),
    })
  }

  /** Whether the vendor's limit allows another text now. */
  get hasFlushesLeft(): boolean {
    const sinceMs = this.#options.clock.now() - FLUSH_WINDOW_MS
    this.#flushTimes = this.#flushTimes.filter((timeMs) => timeMs > sinceMs)
    return this.#flushTimes.length < MAX_FLUSHES
  }

  /** Speaks a text. The previous text must have ended. */
  speak(text: string, listener: SpeakListener): void {
    this.#listener = listener
    this.#hasAudio = false
    this.#unconfirmedTexts += 1
    this.#flushTimes.push(this.#options.clock.now())
    this.#socket.sendJson({ type: 'Speak', text })
    this.#socket.sendJson({ type: 'Flush' })
  }

  /** Drops the current text. The listener is not called again. */
  cancel(): void {
    this.#listener = null
    if (this.#isEnded) return
    if (!this.#options.protocol.canClear) {
      this.close()
      return
    }
    this.#isClearing = true
    this.#cancelClearTimeout = this.#options.clock.after(CLEAR_TIMEOUT_MS, () => this.close())
    this.#socket.sendJson({ type: 'Clear' })
  }

  /** Closes the connection without calling the listener. */
  close(): void {
    this.#listener = null
    this.#socket.close({ type: 'Close' })
    this.#end(null)
  }

  #handleAudio(bytes: Buffer): void {
    if (this.#isClearing || this.#listener === null) return
    this.#hasAudio = true
    this.#listener.onAudio(bytes)
  }

  #handleMessage(message: Readonly<Record<string, unknown>>): void {
    const { endType } = this.#options.protocol
    if (message.type === endType) this.#handleTextEnd()
    else if (message.type === 'Cleared') this.#handleCleared()
    else if (message.type === 'Error') this.#socket.fail(toErrorFailure(message))
    else if (message.type === 'Warning' && !this.#hasAudio) this.#handleWarning(message)
  }

  /** Ends a text for which no audio will follow. Other warnings need no reaction. */
  #handleWarning(message: Readonly<Record<string, unknown>>): void {
    if (EMPTY_TEXT_WARNINGS.includes(toText(message.code))) this.#endText()
    else if (isFlushWarning(message)) this.#socket.fail(TOO_MANY_FLUSHES)
  }

  #handleTextEnd(): void {
    this.#unconfirmedTexts = Math.max(0, this.#unconfirmedTexts - 1)
    const isDroppedText = this.#unconfirmedTexts > 0 && !this.#hasAudio
    if (this.#isClearing || isDroppedText) return
    this.#unconfirmedTexts = 0
    this.#endText()
  }

  #endText(): void {
    const listener = this.#listener
    this.#listener = null
    if (listener === null) return
    listener.onEnd()
    // The listener may have sent the next part of its text.
    if (this.#listener === null && !this.#isEnded) this.#options.onIdle()
  }

  #handleCleared(): void {
    if (!this.#isClearing) return
    this.#isClearing = false
    this.#cancelClearTimeout()
    this.#options.onIdle()
  }

  #end(failure: SpeechFailure | null): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#cancelClearTimeout()
    const listener = this.#listener
    this.#listener = null
    this.#options.onEnd()
    if (failure !== null) listener?.onFailed(failure)
  }
}

function isFlushWarning(message: Readonly<Record<string, unknown>>): boolean {
  const { code, description, warn_code: warnCode, warn_msg: warnText } = message
  return [code, description, warnCode, warnText].some((text) => /flush/i.test(toText(text)))
}
