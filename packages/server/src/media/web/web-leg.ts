import type { ClientMessage } from '@parley/contract/live'
import type { Frame, LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { LegCapabilities, LegEvents, MediaLeg } from '@parley/engine/voice/ports'
import type { AudioMessage } from '../channel/audio-messages.ts'
import type { WebConnection } from '../channel/web-connection.ts'
import { TokenBucket } from '../token-bucket.ts'
import { CallerAudio } from './caller-audio.ts'

interface WebLegOptions extends Pick<LegCapabilities, 'cancelsEcho' | 'recognizesSpeech'> {
  readonly clock: Clock
  readonly rateHz: LegRateHz
  /** Maximum gap assumed after a reconnect. */
  readonly maxGapMs: number
  readonly onWarning: (code: string, message: string) => void
  /** Called when the leg has ended, after all audio was played or dropped. */
  readonly onClosed: () => void
}

/** Long enough to hide network jitter, short enough to lose little audio on interruptions. */
const LEAD_MS = 300
/** Frames sent per message. With one frame per message, a server with 200 calls spent a seventh of its CPU time on messages. */
const FRAMES_PER_MESSAGE = 3
/** Maximum number of frames to buffer before the first connection, equal to one second. */
const MAX_BUFFERED_FRAMES = 50
/** Maximum time for the session to end after a hangup. */
const HANGUP_TIMEOUT_MS = 2_000

type PositionMessage = Extract<ClientMessage, { type: 'position' }>
type RecognizedMessage = Extract<ClientMessage, { type: 'recognised' }>

/** The media leg of a browser, over one connection at a time. */
export class WebLeg implements MediaLeg {
  readonly kind = 'web'
  readonly rateHz: LegRateHz
  readonly leadMs = LEAD_MS
  readonly framesPerMessage = FRAMES_PER_MESSAGE
  readonly capabilities: LegCapabilities
  /** Number of frames dropped because the connection was congested or broken. */
  droppedFrames = 0
  readonly #options: WebLegOptions
  readonly #audio: CallerAudio
  readonly #limits
  #connection: WebConnection | null = null
  #events: LegEvents | null = null
  /** Null after the first connection has received the frames. */
  #bufferedFrames: { readonly frame: Frame; readonly startSample: number }[] | null = []
  #sentSamples = 0
  #playedSamples = 0
  #isClosing = false
  #isHungUp = false
  #isEnded = false
  #cancelClose: () => void = () => {}

  constructor(options: WebLegOptions) {
    const { clock, rateHz, cancelsEcho, recognizesSpeech, maxGapMs } = options
    this.#options = options
    this.rateHz = rateHz
    this.capabilities = { cancelsEcho, recognizesSpeech, reportsPlayed: true, acceptsText: true }
    const limits = createCallerLimits(clock, rateHz)
    this.#limits = limits
    this.#audio = new CallerAudio({
      ...{ clock, rateHz, maxGapMs },
      takeSamples: (samples) => limits.takeAudio(samples),
      onFrame: (frame, startSample) => this.#events?.frame(frame, startSample),
    })
  }

  /** True if `close` was called or the caller has hung up. */
  get isClosing(): boolean {
    return this.#isClosing || this.#isEnded
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Sends audio over this connection, starting with the buffered frames. */
  attach(connection: WebConnection): void {
    this.#connection = connection
    for (const { frame, startSample } of this.#bufferedFrames ?? []) connection.sendAudio(frame, startSample)
    this.#bufferedFrames = null
  }

  /** Handles the loss of the connection. Another connection can follow. */
  detach(): void {
    this.#connection = null
    this.#audio.reconnect()
    this.#events?.lost()
  }

  /** Handles the caller's return after a lost connection. */
  restore(): void {
    this.#events?.restored()
  }

  listen(events: LegEvents): void {
    this.#events = this.#isEnded ? null : events
    // The caller hung up before the session started.
    if (this.#isHungUp || this.#isEnded) events.hungUp()
    if (this.#isEnded) events.closed()
  }

  send(frame: Frame, startSample: number): void {
    if (this.#isEnded) return
    this.#sentSamples = startSample + frame.length
    if (this.#bufferedFrames !== null && this.#bufferedFrames.length < MAX_BUFFERED_FRAMES) {
      this.#bufferedFrames.push({ frame: frame.slice(), startSample })
      return
    }
    const oneSecondBytes = this.rateHz * Int16Array.BYTES_PER_ELEMENT
    if (this.#connection === null || this.#connection.pendingBytes > oneSecondBytes) this.droppedFrames += 1
    else this.#connection.sendAudio(frame, startSample)
  }

  clear(): void {
    if (this.#bufferedFrames !== null) this.#bufferedFrames = []
    this.#connection?.send({ type: 'clear' })
  }

  attenuate(db: number, rampMs: number): void {
    this.#connection?.send({ type: 'gain', db: -db, rampMs })
  }

  close(drainMs: number): void {
    if (this.#isHungUp) this.finish()
    if (this.isClosing) return
    this.#isClosing = true
    const isFullyPlayed = this.#connection === null || this.#playedSamples >= this.#sentSamples
    if (drainMs <= 0 || isFullyPlayed) this.finish()
    else this.#cancelClose = this.#options.clock.after(drainMs, () => this.finish())
  }

  /** Handles the caller's hangup. `canSendEnded` says whether a connection remains to send the end of the call. */
  hangUp({ canSendEnded }: { readonly canSendEnded: boolean }): void {
    if (this.isClosing) return
    this.#isClosing = true
    this.#isHungUp = true
    this.#cancelClose = this.#options.clock.after(HANGUP_TIMEOUT_MS, () => this.finish())
    this.#events?.hungUp()
    if (!canSendEnded) this.finish()
  }

  /** Ends the leg immediately. */
  finish(): void {
    if (this.#isEnded) return
    const events = this.#events
    this.#isEnded = true
    this.#events = null
    this.#connection = null
    this.#bufferedFrames = null
    this.#cancelClose()
    events?.closed()
    this.#options.onClosed()
  }

  /** Handles media messages from the client. */
  receive(message: ClientMessage): void {
    switch (message.type) {
      case 'position':
        this.#receivePosition(message)
        return
      case 'recognised':
        this.#receiveRecognized(message)
        return
      case 'recognition-failed':
        this.#events?.recognitionFailed()
        return
      case 'typed':
        if (this.#checkTextLimit(this.#limits.takeText(message.text))) this.#events?.typed(message.text)
        return
      case 'dtmf':
        if (this.#checkTextLimit(this.#limits.takeText(message.digit))) this.#events?.dtmf(message.digit)
        return
      // A muted client sends silence. The other messages do not affect the media.
      case 'muted':
      case 'ping':
      case 'leave':
      case 'join':
      case 'resume':
      case 'listen':
    }
  }

  /** Receives caller audio. Returns false if the audio limit is exceeded. */
  receiveAudio(audio: AudioMessage): boolean {
    return this.#audio.push(audio)
  }

  /** Sends a warning to the caller, within the rate limit. */
  warn(code: string, message: string): void {
    if (this.#limits.takeWarning()) this.#options.onWarning(code, message)
  }

  #receivePosition({ playedSamples, capturedSamples }: PositionMessage): void {
    // Only sent audio can be played, and positions never decrease.
    this.#playedSamples = Math.max(this.#playedSamples, Math.min(playedSamples, this.#sentSamples))
    this.#events?.played(this.#playedSamples, this.#audio.clampCapturedPosition(capturedSamples))
    if (this.#isClosing && this.#playedSamples >= this.#sentSamples) this.finish()
  }

  #receiveRecognized({ utteranceId, text, stage }: RecognizedMessage): void {
    if (!this.#checkTextLimit(this.#limits.takeUtterance(utteranceId, text))) return
    if (stage === 'final') this.#events?.recognized({ type: 'final', utteranceId, text, endOfTurn: null, words: [] })
    else this.#events?.recognized({ type: 'interim', utteranceId, text, stable: stage === 'stable' })
  }

  /** Returns whether the text is within the limit. If not, warns the caller that the text was dropped. */
  #checkTextLimit(isWithinLimit: boolean): boolean {
    if (!isWithinLimit) this.warn('too_many_words', 'Ignored a message because the text limit is exceeded.')
    return isWithinLimit
  }
}

/** Covers the time that a call waits for its caller. */
const AUDIO_BURST_SECONDS = 20
/** Slightly faster than real time. */
const AUDIO_PER_SECOND = 1.1
/**
 * Limit of characters that a caller can type or speak, several times the normal amount. Each message counts as extra
 * characters, because the call keeps all messages.
 */
const TEXT_LIMITS = { perSecond: 200, burst: 20_000 }
const CHARACTERS_PER_MESSAGE = 100
/** Warnings are limited, so that they do not displace other messages in the replay history. */
const WARNING_LIMITS = { perSecond: 0.1, burst: 5 }

/** Limits of one caller across all connections. Each method returns false if the limit is exceeded. */
interface CallerLimits {
  /** Counts samples, including missing samples before them. */
  takeAudio(samples: number): boolean
  /** Counts typed text or keypad input. */
  takeText(text: string): boolean
  /** Counts text that the client recognized. Text that grows within one utterance counts once. */
  takeUtterance(id: string, text: string): boolean
  takeWarning(): boolean
}

function createCallerLimits(clock: Omit<Clock, 'after'>, rateHz: LegRateHz): CallerLimits {
  const audioLimits = { perSecond: rateHz * AUDIO_PER_SECOND, burst: rateHz * AUDIO_BURST_SECONDS }
  const audioBucket = new TokenBucket(clock, audioLimits)
  const textBucket = new TokenBucket(clock, TEXT_LIMITS)
  const warningBucket = new TokenBucket(clock, WARNING_LIMITS)
  /** The latest utterance and its number of counted characters. */
  let utterance = { id: '', countedCharacters: 0 }

  return {
    takeAudio: (samples) => audioBucket.take(samples),
    takeText: ({ length }) => textBucket.take(CHARACTERS_PER_MESSAGE + length),
    takeUtterance(id, { length }) {
      const countedCharacters = utterance.id === id ? utterance.countedCharacters : -CHARACTERS_PER_MESSAGE
      if (length > countedCharacters && !textBucket.take(length - countedCharacters)) return false
      utterance = { id, countedCharacters: Math.max(countedCharacters, length) }
      return true
    },
    takeWarning: () => warningBucket.take(1),
  }
}
