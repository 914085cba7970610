import type {
  SpeechFailure,
  TimedWord,
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberSession,
} from '@parley/engine/voice/ports'
import { VOICE_DETECTION_MS } from '../pre-roll.ts'
import { UnconfirmedAudio } from '../unconfirmed-audio.ts'
import { type SpeechSocketTarget, VendorSocket } from '../vendor-socket.ts'
import { CommittedTexts } from './committed-texts.ts'
import { buildAuthHeaders, toErrorFailure } from './elevenlabs-api.ts'
import { buildAudioMessage, buildCommitMessage, buildScribeUrl, readScribeMessage } from './scribe-messages.ts'
import { type Segment, toVoiceTimes } from './segment.ts'

export interface ElevenLabsTranscriberOptions extends SpeechSocketTarget {
  readonly model?: string
}

const DEFAULT_MODEL = 'scribe_v2_realtime'
const FINAL_P99_MS = 410
/** Frames are sent in groups, because each message has an overhead. A commit sends an incomplete group at once. */
const GROUP_MS = 80
/** The vendor rejects commits with less new audio. */
const MIN_COMMIT_MS = 300
const COMMIT_TIMEOUT_MS = 1_500
/** Time for the text of audio that was sent again, all at once. */
const RESENT_COMMIT_TIMEOUT_MS = 2_500
/** Includes connecting. */
const START_TIMEOUT_MS = 8_000
/** As `START_TIMEOUT_MS`, while the caller waits. */
const RESTART_TIMEOUT_MS = 1_500
/** The vendor closes sessions without audio. */
const KEEPALIVE_MS = 5_000
/** Audio that is sent again on another connection: all of it while text is due, otherwise only the latest. */
const MAX_RESENT_SECONDS = 15
const QUIET_RESENT_SECONDS = 1
const RESENT_CHUNK_MS = 500
/** Delays of the attempts to reconnect after a failure. */
const RECONNECT_DELAYS_MS: readonly number[] = [50, 500]
/** A connection that lasts this long allows new attempts to reconnect. */
const STABLE_CONNECTION_MS = 30_000
/** Number of times that a rejected commit is repeated. */
const MAX_COMMIT_REPETITIONS = 3

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

class ScribeSession implements TranscriberSession {
  readonly #options: ElevenLabsTranscriberOptions & { readonly model: string }
  readonly #session: TranscriberOptions
  readonly #audio: UnconfirmedAudio
  readonly #texts: CommittedTexts
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
    this.#texts = new CommittedTexts(options.clock, (text, words) => this.#emitFinal(text, words))
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
    const startTimeoutMs = this.#reconnectCount === 0 ? START_TIMEOUT_MS : RESTART_TIMEOUT_MS
    this.#cancelStartTimeout = clock.after(startTimeoutMs, () => this.#failConnection('The provider did not start.'))
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
        this.#texts.receive(message.text, message.words)
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
    this.#texts.expectNewText()
    if (text === '' || (text === this.#lastInterim && !isStable)) return
    this.#lastInterim = text
    this.#emit({ type: 'interim', utteranceId: this.#utteranceId, text, stable: isStable })
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
    const { rateHz } = this.#session
    const voiceWords = toVoiceTimes(words, segment, { rateHz, connectionStartSample: this.#socketStartSample })
    this.#emit({ type: 'final', utteranceId, text, endOfTurn: null, words: voiceWords })
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

  /** Reopens a segment whose commit was rejected. It is committed again with more audio. */
  #restoreCommit(): void {
    const segment = this.#segments.pop()
    if (segment === undefined) return
    this.#throttledCount += 1
    this.#watchCommits()
    this.#voiceStartSample = segment.voiceStartSample ?? this.#voiceStartSample
    this.#isCommitDue = !this.#isVoiced && this.#throttledCount <= MAX_COMMIT_REPETITIONS
    this.#segmentStartSample = segment.startSample
  }

  /** Limits the time for the oldest commit's text. */
  #watchCommits(): void {
    this.#cancelCommitTimeout()
    if (this.#segments.length === 0) return
    const timeoutMs = this.#reconnectCount === 0 ? COMMIT_TIMEOUT_MS : RESENT_COMMIT_TIMEOUT_MS
    this.#cancelCommitTimeout = this.#options.clock.after(timeoutMs, () =>
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
    // Another attempt would take just as long, and the caller waits.
    const isSilent = failure.kind === 'timeout' && this.#reconnectCount > 0
    // Another connection at once would make a rate limit worse.
    if (delayMs === undefined || !failure.retryable || isSilent || failure.kind === 'rate-limited') {
      this.#emit({ type: 'failed', failure })
      this.#end()
      return
    }
    this.#reconnectCount += 1
    this.#cancelReconnect = clock.after(delayMs, () => this.#connect())
  }

  #releaseConnection(): void {
    // The audio of a committed text must not be transcribed again.
    this.#texts.endConnection()
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
}
