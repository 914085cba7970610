import type {
  SpeechFailure,
  TimedWord,
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberSession,
} from '@parley/engine/voice/ports'
import { type SpeechSocketTarget, VendorSocket } from '../vendor-socket.ts'
import { buildAuthHeaders, toErrorFailure } from './elevenlabs-api.ts'
import { buildAudioMessage, buildCommitMessage, buildScribeUrl, readScribeMessage } from './scribe-messages.ts'
import { UnconfirmedAudio } from './unconfirmed-audio.ts'

export interface ElevenLabsTranscriberOptions extends SpeechSocketTarget {
  readonly model?: string
}

const DEFAULT_MODEL = 'scribe_v2_realtime'
const FINAL_P99_MS = 410
/** Frames are sent in groups, because each message has an overhead. A commit sends an incomplete group at once. */
const GROUP_MS = 80
/** The vendor rejects commits with less new audio. */
const MIN_COMMIT_MS = 300
/** Time for the message with timestamps to follow the message without. */
const TIMESTAMPS_WAIT_MS = 150
const COMMIT_TIMEOUT_MS = 4_000
/** Includes connecting. */
const START_TIMEOUT_MS = 8_000
/** The vendor closes sessions without audio. */
const KEEPALIVE_MS = 5_000
/** Voice is detected after 50 ms, at the end of the next frame. */
const VOICE_DETECTION_MS = 60
/** Audio that is sent again on another connection: all of it while text is due, otherwise only the latest. */
const MAX_RESENT_SECONDS = 15
const QUIET_RESENT_SECONDS = 1
const RESENT_CHUNK_MS = 500
/** Delays of the attempts to reconnect after a failure. */
const RECONNECT_DELAYS_MS: readonly number[] = [50, 500]
/** A connection that lasts this long allows new attempts to reconnect. */
const STABLE_CONNECTION_MS = 30_000
/** Maximum number of rejected commits in a row. */
const MAX_THROTTLED_COMMITS = 3

const noop = (): void => {}

/**
 * Creates a transcriber for ElevenLabs' Scribe with manual commits: the end of voice commits an utterance. Reconnects twice
 * and sends the audio without final text again.
 */
export function createElevenLabsTranscriber(options: ElevenLabsTranscriberOptions): Transcriber {
  const { model = DEFAULT_MODEL } = options
  return {
    name: `elevenlabs/${model}`,
    finalP99Ms: FINAL_P99_MS,
    open: (session) => new ScribeSession({ ...options, model }, session),
  }
}

/** Audio that is committed together. Positions count the session's samples. */
interface Segment {
  readonly startSample: number
  readonly endSample: number
  readonly voiceStartSample: number | null
}

/** A committed text that waits for its timestamps. */
interface HeldText {
  readonly text: string
  readonly cancelTimeout: () => void
}

class ScribeSession implements TranscriberSession {
  readonly #options: ElevenLabsTranscriberOptions & { readonly model: string }
  readonly #session: TranscriberOptions
  readonly #audio: UnconfirmedAudio
  #socket: VendorSocket | null = null
  #socketOpenedAtMs = 0
  /** Position of the first sample that the current connection received, and of the next one. */
  #socketStartSample = 0
  #sentSample = 0
  /** Start of the segment that is not committed. */
  #segmentStartSample = 0
  /** Position from which the next commit's new audio counts. */
  #commitBaseSample = 0
  #voiceStartSample: number | null = null
  #isVoiced = false
  #isCommitDue = false
  /** Committed segments without text, oldest first. */
  #segments: Segment[] = []
  #throttledCount = 0
  #heldText: HeldText | null = null
  /** The last final text and how it was received, to recognize its repetition. */
  #lastFinal: { readonly text: string; hasTimed: boolean; hasPlain: boolean } | null = null
  #lastInterim = ''
  #utteranceNumber = 1
  #reconnectCount = 0
  #isClosed = false
  /** Whether the owner has closed the session, so that no event follows. */
  #isSilenced = false
  #cancelStartTimeout = noop
  #cancelCommitTimeout = noop
  #cancelKeepalive = noop
  #cancelReconnect = noop

  constructor(options: ElevenLabsTranscriberOptions & { readonly model: string }, session: TranscriberOptions) {
    this.#options = options
    this.#session = session
    this.#audio = new UnconfirmedAudio(session.rateHz)
    this.#connect()
    this.#startKeepalive()
  }

  push(frame: Int16Array): void {
    if (this.#isClosed) return
    this.#audio.append(frame)
    if (this.#audio.endSample - this.#sentSample >= this.#toSamples(GROUP_MS)) this.#sendAudio(this.#audio.endSample)
    if (this.#isCommitDue) this.#commitIfPossible()
    const isTextDue = this.#isVoiced || this.#isCommitDue || this.#segments.length > 0 || this.#lastInterim !== ''
    this.#audio.limit(isTextDue ? MAX_RESENT_SECONDS : QUIET_RESENT_SECONDS)
  }

  voiceStarted(): void {
    this.#isVoiced = true
    this.#isCommitDue = false
    this.#voiceStartSample ??= Math.max(0, this.#audio.endSample - this.#toSamples(VOICE_DETECTION_MS))
  }

  voiceEnded(): void {
    if (this.#isClosed || !this.#isVoiced) return
    this.#isVoiced = false
    this.#isCommitDue = true
    this.#throttledCount = 0
    this.#commitIfPossible()
  }

  close(): void {
    this.#isSilenced = true
    this.#end()
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#releaseConnection()
    this.#cancelKeepalive()
    this.#cancelReconnect()
    this.#socket?.close()
    this.#socket = null
  }

  #connect(): void {
    const { openSocket, clock, baseUrl, apiKey, model } = this.#options
    this.#socketOpenedAtMs = clock.now()
    this.#socketStartSample = this.#audio.startSample
    this.#sentSample = this.#audio.startSample
    const socket = new VendorSocket({
      openSocket,
      clock,
      url: buildScribeUrl(baseUrl, model, this.#session),
      headers: buildAuthHeaders(apiKey),
      onMessage: (message) => this.#receive(message),
      onFailed: (failure) => this.#handleFailure(failure),
    })
    this.#socket = socket
    this.#cancelStartTimeout = clock.after(START_TIMEOUT_MS, () => this.#failConnection('The provider did not start.'))
    this.#segments = this.#segments.filter(({ endSample }) => endSample > this.#socketStartSample)
    for (const segment of this.#segments) this.#sendCommit(segment)
    this.#sendAudio(this.#audio.endSample)
    this.#watchCommits()
  }

  #commitIfPossible(): void {
    const endSample = this.#audio.endSample
    // The commit follows as soon as there is enough audio.
    if (endSample - this.#commitBaseSample < this.#toSamples(MIN_COMMIT_MS)) return
    const segment = { startSample: this.#segmentStartSample, endSample, voiceStartSample: this.#voiceStartSample }
    this.#isCommitDue = false
    this.#voiceStartSample = null
    this.#segmentStartSample = endSample
    this.#commitBaseSample = endSample
    this.#segments.push(segment)
    this.#sendCommit(segment)
    if (this.#segments.length === 1) this.#watchCommits()
  }

  #sendCommit({ endSample }: Segment): void {
    this.#sendAudio(endSample)
    this.#socket?.sendJson(buildCommitMessage(this.#session.rateHz))
  }

  #sendAudio(endSample: number): void {
    const maxSamples = this.#toSamples(RESENT_CHUNK_MS)
    while (this.#socket !== null && this.#sentSample < endSample) {
      const fromSample = this.#sentSample
      this.#sentSample = Math.min(fromSample + maxSamples, endSample)
      const samples = this.#audio.read(fromSample, this.#sentSample)
      this.#socket.sendJson(buildAudioMessage(samples, this.#session.rateHz))
    }
  }

  #receive(fields: Readonly<Record<string, unknown>>): void {
    const message = readScribeMessage(fields)
    switch (message.type) {
      case 'started':
        this.#cancelStartTimeout()
        return
      case 'interim':
        this.#handleInterim(message.text, message.isStable)
        return
      case 'committed':
        this.#handleCommitted(message.text, message.words)
        return
      case 'throttled':
        this.#restoreCommit()
        return
      case 'no-speech':
        if (this.#segments.length > 0) this.#emitFinal('', [])
        return
      case 'error':
        this.#socket?.fail(toErrorFailure(message.codes))
        return
      case 'other':
    }
  }

  #handleInterim(text: string, isStable: boolean): void {
    this.#lastFinal = null
    if (text === '' || (text === this.#lastInterim && !isStable)) return
    this.#lastInterim = text
    this.#emit({ type: 'interim', utteranceId: this.#utteranceId, text, stable: isStable })
  }

  /** With timestamps, the vendor sends each text twice. */
  #handleCommitted(text: string, words: readonly TimedWord[] | null): void {
    const { clock } = this.#options
    if (this.#isRepetition(text, words !== null)) return
    if (words !== null) {
      this.#heldText?.cancelTimeout()
      const hasPlain = this.#heldText !== null
      this.#heldText = null
      this.#emitFinal(text, words)
      this.#lastFinal = { text, hasTimed: true, hasPlain }
      return
    }
    this.#emitHeldText()
    // Its timestamps repeat this text, not the one before.
    this.#lastFinal = null
    this.#heldText = { text, cancelTimeout: clock.after(TIMESTAMPS_WAIT_MS, () => this.#emitHeldText()) }
  }

  /** Emits a committed text without word times. */
  #emitHeldText(): void {
    if (this.#heldText === null) return
    const { text, cancelTimeout } = this.#heldText
    cancelTimeout()
    this.#heldText = null
    this.#emitFinal(text, [])
    this.#lastFinal = { text, hasTimed: false, hasPlain: true }
  }

  #isRepetition(text: string, isTimed: boolean): boolean {
    const lastFinal = this.#lastFinal
    if (lastFinal === null || lastFinal.text !== text) return false
    if (isTimed ? lastFinal.hasTimed : lastFinal.hasPlain) return false
    lastFinal.hasTimed = true
    lastFinal.hasPlain = true
    return true
  }

  #emitFinal(text: string, words: readonly TimedWord[]): void {
    const committedSegment = this.#segments.shift()
    if (committedSegment !== undefined) this.#reconnectCount = 0
    const segment = committedSegment ?? this.#endUncommittedSegment()
    this.#audio.dropBefore(segment.endSample)
    this.#watchCommits()
    // The vendor commits silence, too. That says nothing about the caller's current voice.
    if (committedSegment === undefined && text === '') return
    const utteranceId = this.#utteranceId
    this.#utteranceNumber += 1
    this.#lastInterim = ''
    this.#emit({ type: 'final', utteranceId, text, endOfTurn: null, words: this.#toUtteranceTimes(words, segment) })
  }

  /** The vendor commits very long segments on its own. */
  #endUncommittedSegment(): Segment {
    const endSample = this.#sentSample
    const segment = { startSample: this.#segmentStartSample, endSample, voiceStartSample: this.#voiceStartSample }
    this.#segmentStartSample = endSample
    this.#commitBaseSample = endSample
    this.#voiceStartSample = this.#isVoiced ? endSample : null
    return segment
  }

  /** Makes times relative to the start of the voice. They count from the connection or the segment, whichever fits better. */
  #toUtteranceTimes(words: readonly TimedWord[], segment: Segment): readonly TimedWord[] {
    const [firstWord] = words
    if (firstWord === undefined) return []
    const connectionStartMs = this.#toMs(this.#socketStartSample)
    const segmentStartMs = this.#toMs(Math.max(segment.startSample, this.#socketStartSample))
    const voiceStartMs = this.#toMs(segment.voiceStartSample ?? segment.startSample)
    const getDistance = (originMs: number): number => Math.abs(originMs + firstWord.startMs - voiceStartMs)
    const originMs = getDistance(segmentStartMs) < getDistance(connectionStartMs) ? segmentStartMs : connectionStartMs
    const toOffset = (timeMs: number): number => Math.max(0, Math.round(originMs + timeMs - voiceStartMs))
    return words.map(({ text, startMs, endMs }) => ({ text, startMs: toOffset(startMs), endMs: toOffset(endMs) }))
  }

  /** Reopens a segment whose commit was rejected. It is committed again with more audio. */
  #restoreCommit(): void {
    const segment = this.#segments.pop()
    if (segment === undefined) return
    this.#throttledCount += 1
    this.#watchCommits()
    this.#voiceStartSample = segment.voiceStartSample ?? this.#voiceStartSample
    this.#isCommitDue = !this.#isVoiced && this.#throttledCount <= MAX_THROTTLED_COMMITS
    this.#segmentStartSample = segment.startSample
  }

  /** Limits the time for the oldest commit's text. */
  #watchCommits(): void {
    this.#cancelCommitTimeout()
    if (this.#segments.length === 0) return
    this.#cancelCommitTimeout = this.#options.clock.after(COMMIT_TIMEOUT_MS, () =>
      this.#failConnection('The provider did not send a final text.'),
    )
  }

  #failConnection(message: string): void {
    this.#socket?.fail({ kind: 'timeout', message, retryable: true })
  }

  #handleFailure(failure: SpeechFailure): void {
    this.#socket = null
    this.#releaseConnection()
    const { clock } = this.#options
    if (clock.now() - this.#socketOpenedAtMs >= STABLE_CONNECTION_MS) this.#reconnectCount = 0
    const delayMs = RECONNECT_DELAYS_MS[this.#reconnectCount]
    // Another connection at once would make a rate limit worse.
    if (delayMs === undefined || !failure.retryable || failure.kind === 'rate-limited') {
      this.#emit({ type: 'failed', failure })
      this.#end()
      return
    }
    this.#reconnectCount += 1
    this.#cancelReconnect = clock.after(delayMs, () => this.#connect())
  }

  #releaseConnection(): void {
    // Its audio must not be transcribed again.
    if (!this.#isClosed) this.#emitHeldText()
    this.#heldText?.cancelTimeout()
    this.#cancelStartTimeout()
    this.#cancelCommitTimeout()
  }

  /** Sends silence if the call delivers no frames, for example on hold. */
  #startKeepalive(): void {
    const endSample = this.#audio.endSample
    this.#cancelKeepalive = this.#options.clock.after(KEEPALIVE_MS, () => {
      if (this.#audio.endSample === endSample) this.push(new Int16Array(this.#toSamples(GROUP_MS)))
      this.#startKeepalive()
    })
  }

  get #utteranceId(): string {
    return `utterance-${this.#utteranceNumber}`
  }

  /** Emits an event asynchronously, so that no method calls the listener synchronously. */
  #emit(event: TranscriberEvent): void {
    queueMicrotask(() => {
      if (!this.#isSilenced) this.#session.onEvent(event)
    })
  }

  #toSamples(durationMs: number): number {
    return (durationMs * this.#session.rateHz) / 1_000
  }

  #toMs(samples: number): number {
    return (samples * 1_000) / this.#session.rateHz
  }
}
