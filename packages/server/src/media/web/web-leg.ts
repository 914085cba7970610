import type { ClientMessage } from '@parley/contract/live'
import type { Frame, LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { LegCapabilities, LegEvents, MediaLeg } from '@parley/engine/voice/ports'
import type { AudioMessage } from '../channel/audio-messages.ts'
import type { WebConnection } from '../channel/web-connection.ts'
import { CallerAudio } from './caller-audio.ts'
import { createCallerLimits } from './caller-limits.ts'

export interface WebLegOptions extends Pick<LegCapabilities, 'cancelsEcho' | 'recognizesSpeech'> {
  readonly clock: Clock
  readonly rateHz: LegRateHz
  /** No gap of a caller who is back is taken to be longer. */
  readonly maxGapMs: number
  readonly onWarning: (code: string, message: string) => void
  /** The leg has ended: what was sent is played, or nobody waits for it. */
  readonly onClosed: () => void
}

/** Far enough ahead that a hiccup of the network is not heard, near enough that little is lost when the agent is interrupted. */
const LEAD_MS = 300
/** With a message for each, writing them took a seventh of the busy time of a server with 200 calls. */
const FRAMES_TOGETHER = 3
/** Frames that are held until the first connection takes them: a second. */
const MAX_BUFFERED_FRAMES = 50
/** Who has hung up is let go at the latest after this. */
const HANGUP_TIMEOUT_MS = 2_000

type Position = Extract<ClientMessage, { type: 'position' }>
type Recognized = Extract<ClientMessage, { type: 'recognised' }>

/** The media of a caller in a browser, over one connection at a time. */
export class WebLeg implements MediaLeg {
  readonly kind = 'web'
  readonly rateHz: LegRateHz
  readonly leadMs = LEAD_MS
  readonly framesTogether = FRAMES_TOGETHER
  readonly capabilities: LegCapabilities
  /** Frames that found the connection full or broken. */
  droppedFrames = 0
  readonly #options: WebLegOptions
  readonly #audio: CallerAudio
  readonly #limits
  #connection: WebConnection | null = null
  #events: LegEvents | null = null
  /** `null` once a connection took them. */
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
      canTake: (samples) => limits.takeAudio(samples),
      onFrame: (frame, startSample) => this.#events?.frame(frame, startSample),
    })
  }

  /** `close` was called, or the caller has hung up. */
  get isClosing(): boolean {
    return this.#isClosing || this.#isEnded
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** From now on frames go there; those that were held for the first connection leave at once. */
  attach(connection: WebConnection): void {
    this.#connection = connection
    for (const { frame, startSample } of this.#bufferedFrames ?? []) connection.sendAudio(frame, startSample)
    this.#bufferedFrames = null
  }

  /** The connection is gone; another one may follow. */
  detach(): void {
    this.#connection = null
    this.#audio.reconnect()
    this.#events?.lost()
  }

  /** The caller is back: whatever the connection says next counts. */
  restore(): void {
    this.#events?.restored()
  }

  listen(events: LegEvents): void {
    this.#events = this.#isEnded ? null : events
    // Before anybody listened: the call must not start with nobody in it.
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

  close(drainMs: number): void {
    if (this.#isHungUp) this.finish()
    if (this.isClosing) return
    this.#isClosing = true
    const isPlayed = this.#connection === null || this.#playedSamples >= this.#sentSamples
    if (drainMs <= 0 || isPlayed) this.finish()
    else this.#cancelClose = this.#options.clock.after(drainMs, () => this.finish())
  }

  /** The caller is gone for good; `farewell`: there is still a connection on which the end of the call can be said. */
  hangUp({ canSendEnded }: { readonly canSendEnded: boolean }): void {
    if (this.isClosing) return
    this.#isClosing = true
    this.#isHungUp = true
    this.#cancelClose = this.#options.clock.after(HANGUP_TIMEOUT_MS, () => this.finish())
    this.#events?.hungUp()
    if (!canSendEnded) this.finish()
  }

  /** Ends it at once. */
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

  /** What the caller's end says, as far as it is about media. */
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
        if (this.#isWithin(this.#limits.takeText(message.text))) this.#events?.typed(message.text)
        return
      case 'dtmf':
        if (this.#isWithin(this.#limits.takeText(message.digit))) this.#events?.dtmf(message.digit)
        return
      // Silence comes as audio; the others are about the connection.
      case 'muted':
      case 'ping':
      case 'leave':
      case 'join':
      case 'resume':
      case 'listen':
    }
  }

  /** `false`: more audio came than time has passed. */
  receiveAudio(audio: AudioMessage): boolean {
    return this.#audio.push(audio)
  }

  /** Says to the caller, now and then, what is wrong with messages. */
  warn(code: string, message: string): void {
    if (this.#limits.takeWarning()) this.#options.onWarning(code, message)
  }

  #receivePosition({ playedSamples, capturedSamples }: Position): void {
    // What cannot be is brought to what can: nobody has played what was not sent, and nothing is played twice.
    this.#playedSamples = Math.max(this.#playedSamples, Math.min(playedSamples, this.#sentSamples))
    this.#events?.played(this.#playedSamples, this.#audio.capturedAt(capturedSamples))
    if (this.#isClosing && this.#playedSamples >= this.#sentSamples) this.finish()
  }

  #receiveRecognized({ utteranceId, text, stage }: Recognized): void {
    if (!this.#isWithin(this.#limits.takeUtterance(utteranceId, text))) return
    if (stage === 'final') this.#events?.recognized({ type: 'final', utteranceId, text, endOfTurn: null, words: [] })
    else this.#events?.recognized({ type: 'interim', utteranceId, text, stable: stage === 'stable' })
  }

  /** Too many words are left out; the call goes on. */
  #isWithin(limit: boolean): boolean {
    if (!limit) this.warn('too_many_words', 'A message was left out because more was said than anybody can say.')
    return limit
  }
}
