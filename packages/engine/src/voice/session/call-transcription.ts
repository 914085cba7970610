import { FRAME_MS, type Frame, type LegRateHz } from '../../audio/frame.ts'
import type { Clock } from '../../ports.ts'
import type {
  RecognitionHints,
  SpeechFailure,
  TimedWord,
  Transcriber,
  TranscriberEvent,
  TranscriberSession,
} from '../ports.ts'

/** A transcriber that exceeds its promised delay by this margin has missed an utterance. */
const STALL_MARGIN_MS = 1_500
/** Number of consecutive missed utterances after which a transcriber counts as failed. */
const MAX_STALLS = 3
/** Maximum number of consecutive retries of the last transcriber after retryable failures. */
const MAX_FINAL_RETRIES = 1
/** Minimum duration of voice that counts as speech. Shorter voice may be a cough. */
const MIN_SPEECH_MS = 600

/** Transcribed text with IDs that are unique across transcribers. */
export interface TranscribedText {
  readonly utteranceId: string
  readonly text: string
  readonly stage: 'interim' | 'stable' | 'final'
  readonly endOfTurn: number | null
  /** Words with clock times. Empty if the transcriber does not support them. */
  readonly words: readonly TimedWord[]
}

/** The current agent's hints. */
export interface SpeechHints extends RecognitionHints {
  /** Transcribers of the agent in fallback order. If empty, the current ones continue. */
  readonly transcribers: readonly Transcriber[]
}

interface CallTranscriptionOptions {
  readonly transcribers: readonly Transcriber[]
  readonly clock: Clock
  readonly rateHz: LegRateHz
  /** Called whenever a transcriber session opens. */
  readonly getHints: () => SpeechHints
  readonly onText: (transcript: TranscribedText) => void
  readonly onFailure: (model: string, failure: SpeechFailure) => void
  /** Called when the next transcriber takes over, the last transcriber restarts, or none is left. */
  readonly onChange: (status: 'replaced' | 'gone', transcriber: Transcriber | null) => void
  readonly onUsage: (model: string, seconds: number) => void
}

/** Transcribes the caller. On failure, the next transcriber takes over and processes all audio that has no text yet. */
export class CallTranscription {
  readonly #options: CallTranscriptionOptions
  readonly #frames = new TranscriptionBuffer()
  #transcribers: readonly Transcriber[]
  #session: TranscriberSession | null = null
  #index = -1
  #frameCount = 0
  #stallCount = 0
  #finalRetries = 0
  #isVoice = false
  /** Whether the current or last voice has text. */
  #hasTranscript = false
  #voiceSinceMs = 0
  /** Start of the first voice without text. Batch transcribers report late. */
  #untranscribedSinceMs = 0
  /** The open utterance with its emitted ID. */
  #openUtterance: { id: string; startMs: number } | null = null
  /** The utterance that the previous transcriber left open. */
  #inheritedUtterance: { id: string; startMs: number } | null = null
  /** The current transcriber's utterances by its own IDs. */
  readonly #utterancesBySessionId = new Map<string, { id: string; startMs: number }>()
  #cancelStallTimeout: () => void = () => {}
  /** Number of sessions opened so far. */
  #sessionCount = 0
  /** Whether a final text may still arrive. */
  #isFinalPending = false
  #cancelFinalTimeout: () => void = () => {}
  /** Hints with which the current session was opened. */
  #sessionHints: SpeechHints | null = null
  /** Whether the current session was opened with outdated hints. */
  #hasStaleHints = false
  #isClosed = false

  constructor(options: CallTranscriptionOptions) {
    this.#options = options
    this.#transcribers = options.transcribers
  }

  /** The current transcriber, or `null` if the client recognizes speech or none is left. */
  get transcriber(): Transcriber | null {
    return this.#transcribers[this.#index] ?? null
  }

  open(): void {
    if (!this.#isClosed && this.#transcribers.length > 0) this.#switchToNext()
  }

  /**
   * Applies new hints: at once if the transcriber supports it, otherwise by a restart once no audio would be lost. The agent's
   * own transcriber takes over.
   */
  refreshHints(): void {
    this.#hasStaleHints = this.#session !== null && !this.#hasCurrentHints() && !this.#changeHints()
    this.#reopenIfStale()
  }

  /** Changes the hints of the open session. Returns false if another session is needed. */
  #changeHints(): boolean {
    const hints = this.#options.getHints()
    if (this.#session?.changeHints === undefined || this.#isOtherList(hints.transcribers)) return false
    this.#session.changeHints(hints)
    this.#sessionHints = hints
    return true
  }

  push(frame: Frame): void {
    this.#frameCount += 1
    if (this.#session === null) return
    this.#frames.push(frame)
    this.#session.push(frame)
  }

  voiceStarted(startedAtMs: number): void {
    this.#isVoice = true
    if (!this.#isFinalPending || this.#hasTranscript) this.#untranscribedSinceMs = startedAtMs
    this.#isFinalPending = true
    this.#cancelFinalTimeout()
    this.#hasTranscript = false
    this.#voiceSinceMs = startedAtMs
    this.#frames.voiceStarted()
    this.#cancelStallTimeout()
    this.#session?.voiceStarted()
  }

  voiceEnded(lastVoiceAtMs: number): void {
    this.#isVoice = false
    this.#session?.voiceEnded()
    const { transcriber } = this
    if (transcriber !== null) this.#awaitFinal(transcriber)
    if (transcriber === null || this.#hasTranscript || lastVoiceAtMs - this.#voiceSinceMs < MIN_SPEECH_MS) return
    this.#cancelStallTimeout()
    this.#cancelStallTimeout = this.#options.clock.after(transcriber.finalP99Ms + STALL_MARGIN_MS, () =>
      this.#handleStall(),
    )
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#closeSession()
    this.#frames.clear()
  }

  #awaitFinal({ finalP99Ms }: Transcriber): void {
    this.#cancelFinalTimeout()
    this.#cancelFinalTimeout = this.#options.clock.after(finalP99Ms + STALL_MARGIN_MS, () =>
      this.#stopWaitingForFinal(),
    )
  }

  /** Stops waiting for a final text and applies pending hints. */
  #stopWaitingForFinal(): void {
    this.#cancelFinalTimeout()
    this.#isFinalPending = false
    this.#reopenIfStale()
  }

  #reopenIfStale(): void {
    const { transcriber } = this
    if (!this.#hasStaleHints || this.#isFinalPending || transcriber === null) return
    this.#closeSession()
    this.#inheritedUtterance = null
    const { transcribers } = this.#options.getHints()
    if (!this.#isOtherList(transcribers)) {
      this.#openSession(transcriber)
      return
    }
    this.#transcribers = transcribers
    this.#index = -1
    this.#finalRetries = 0
    this.#switchToNext()
    if (this.transcriber !== transcriber) this.#options.onChange('replaced', this.transcriber)
  }

  #hasCurrentHints(): boolean {
    const { language, keywords, endpointingMs = null, transcribers } = this.#options.getHints()
    return (
      language === this.#sessionHints?.language &&
      endpointingMs === (this.#sessionHints.endpointingMs ?? null) &&
      isSameList(keywords, this.#sessionHints.keywords) &&
      !this.#isOtherList(transcribers)
    )
  }

  #isOtherList(transcribers: readonly Transcriber[]): boolean {
    return transcribers.length > 0 && !isSameList(transcribers, this.#transcribers)
  }

  #switchToNext(): void {
    this.#closeSession()
    this.#index += 1
    const transcriber = this.transcriber
    if (transcriber === null) {
      this.#index = this.#transcribers.length
      this.#options.onChange('gone', null)
      return
    }
    if (this.#index === 0) this.#openSession(transcriber)
    else this.#takeOver(transcriber)
  }

  #takeOver(transcriber: Transcriber): void {
    this.#replay(this.#openSession(transcriber))
    this.#options.onChange('replaced', transcriber)
  }

  #openSession(transcriber: Transcriber): TranscriberSession {
    const { rateHz, getHints } = this.#options
    const hints = getHints()
    const { language, keywords, endpointingMs = null } = hints
    this.#sessionHints = hints
    this.#hasStaleHints = false
    this.#sessionCount += 1
    const sessionNumber = this.#sessionCount
    const onEvent = (event: TranscriberEvent): void => {
      if (this.#session !== null && this.#sessionCount === sessionNumber) this.#handleEvent(event)
    }
    this.#session = transcriber.open({ rateHz, language, keywords, endpointingMs, onEvent })
    return this.#session
  }

  /** Replays the current turn from its start. */
  #replay(session: TranscriberSession): void {
    if (this.#frames.isVoiced) session.voiceStarted()
    for (const frame of this.#frames.getFrames()) session.push(frame)
    if (this.#frames.isVoiced && !this.#isVoice) session.voiceEnded()
  }

  #closeSession(): void {
    this.#cancelStallTimeout()
    this.#cancelFinalTimeout()
    this.#session?.close()
    this.#session = null
    this.#utterancesBySessionId.clear()
    this.#inheritedUtterance = this.#openUtterance
    this.#openUtterance = null
    this.#stallCount = 0
    const seconds = (this.#frameCount * FRAME_MS) / 1_000
    this.#frameCount = 0
    if (this.transcriber !== null && seconds > 0) this.#options.onUsage(this.transcriber.name, seconds)
  }

  #handleEvent(event: TranscriberEvent): void {
    if (event.type === 'failed') {
      this.#fail(event.failure)
      return
    }
    this.#cancelStallTimeout()
    this.#hasTranscript = true
    this.#stallCount = 0
    this.#finalRetries = 0
    const { id, startMs } = this.#resolveUtterance(event.utteranceId)
    if (event.type === 'interim') {
      const stage = event.stable ? 'stable' : 'interim'
      this.#options.onText({ utteranceId: id, text: event.text, stage, endOfTurn: null, words: [] })
      return
    }
    this.#utterancesBySessionId.delete(event.utteranceId)
    if (this.#openUtterance?.id === id) this.#openUtterance = null
    const words = event.words.map((word) => ({
      text: word.text,
      startMs: word.startMs + startMs,
      endMs: word.endMs + startMs,
    }))
    const lastWord = words.at(-1)
    // Later text belongs to another utterance.
    this.#untranscribedSinceMs = this.#voiceSinceMs
    if (!this.#isVoice) this.#frames.markTranscribed()
    else if (lastWord !== undefined) this.#frames.markTranscribedUntil(this.#options.clock.now() - lastWord.endMs)
    this.#options.onText({ utteranceId: id, text: event.text, stage: 'final', endOfTurn: event.endOfTurn, words })
    if (!this.#isVoice && this.#openUtterance === null) this.#stopWaitingForFinal()
  }

  /** Returns an utterance's emitted ID. A new transcriber's first utterance replaces the one that its predecessor left open. */
  #resolveUtterance(sessionUtteranceId: string): { id: string; startMs: number } {
    const existing = this.#utterancesBySessionId.get(sessionUtteranceId)
    if (existing !== undefined) return existing
    const utterance = this.#inheritedUtterance ?? {
      id: `${this.#sessionCount}:${sessionUtteranceId}`,
      startMs: this.#untranscribedSinceMs,
    }
    this.#inheritedUtterance = null
    this.#openUtterance = utterance
    this.#utterancesBySessionId.set(sessionUtteranceId, utterance)
    return utterance
  }

  #handleStall(): void {
    this.#stallCount += 1
    const isLast = this.#index + 1 >= this.#transcribers.length
    if (this.#stallCount < MAX_STALLS || isLast) return
    this.#fail({ kind: 'timeout', message: 'The transcriber reported no text.', retryable: true })
  }

  #fail(failure: SpeechFailure): void {
    const { transcriber } = this
    this.#options.onFailure(transcriber?.name ?? '', failure)
    if (transcriber === null || !this.#isFinalRetry(failure)) {
      this.#switchToNext()
      return
    }
    this.#finalRetries += 1
    this.#closeSession()
    this.#takeOver(transcriber)
  }

  #isFinalRetry({ retryable }: SpeechFailure): boolean {
    const isLast = this.#index + 1 >= this.#transcribers.length
    return isLast && retryable && this.#finalRetries < MAX_FINAL_RETRIES
  }
}

function isSameList<Item>(left: readonly Item[], right: readonly Item[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index])
}

/** Amount of audio before the detected voice that a transcriber needs. */
const PRE_ROLL_FRAMES = 500 / FRAME_MS
const MAX_FRAMES = 10_000 / FRAME_MS

/** The caller's latest frames without final text, kept for replay to the next transcriber. */
class TranscriptionBuffer {
  #frames: Frame[] = []
  #isVoiced = false

  push(frame: Frame): void {
    this.#frames.push(frame)
    const maxFrames = this.#isVoiced ? MAX_FRAMES : PRE_ROLL_FRAMES
    // Cut in batches, because moving the remaining frames for each new frame would cost more.
    if (this.#frames.length > maxFrames + PRE_ROLL_FRAMES) this.#frames = this.#frames.slice(-maxFrames)
  }

  /** Keeps all subsequent frames until they are transcribed. */
  voiceStarted(): void {
    this.#isVoiced = true
  }

  /** Drops transcribed frames. */
  markTranscribed(): void {
    this.#isVoiced = false
    this.#frames = this.#frames.slice(-PRE_ROLL_FRAMES)
  }

  /** Drops frames older than `remainingMs` while the voice continues. */
  markTranscribedUntil(remainingMs: number): void {
    this.#frames = this.#frames.slice(-Math.max(1, Math.ceil(remainingMs / FRAME_MS)))
  }

  get isVoiced(): boolean {
    return this.#isVoiced
  }

  getFrames(): readonly Frame[] {
    return this.#frames
  }

  clear(): void {
    this.#frames = []
  }
}
