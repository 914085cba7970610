import { FRAME_MS, type Frame, type LegRateHz } from '../../audio/frame.ts'
import type { Clock } from '../../ports.ts'
import type { SpeechFailure, TimedWord, Transcriber, TranscriberEvent, TranscriberSession } from '../ports.ts'
import { TranscriptionBuffer } from './transcription-buffer.ts'

/** A recogniser that says nothing for so much longer than it promised has missed an utterance. */
const STALL_MARGIN_MS = 1_500
/** After so many missed utterances in a row it is taken for dead. */
const MAX_STALLS = 3
/** The last recogniser is asked again after a failure that may pass, so many times in a row at most. */
const MAX_FINAL_RETRIES = 1
/** Shorter voice may well be a cough. */
const MIN_SPEECH_MS = 600

/** What was understood, under ids that are told apart across recognisers. */
export interface TranscribedText {
  readonly utteranceId: string
  readonly text: string
  readonly stage: 'interim' | 'stable' | 'final'
  readonly endOfTurn: number | null
  /** By the clock; empty where the recogniser tells none. */
  readonly words: readonly TimedWord[]
}

/** What a recogniser is told to expect. */
export interface SpeechHints {
  readonly language: string
  readonly keywords: readonly string[]
}

export interface CallTranscriptionOptions {
  readonly transcribers: readonly Transcriber[]
  readonly clock: Clock
  readonly rateHz: LegRateHz
  /** Asked whenever a recogniser begins to listen. */
  readonly getHints: () => SpeechHints
  readonly onText: (heard: TranscribedText) => void
  readonly onFailure: (model: string, failure: SpeechFailure) => void
  /** The next one listens, the last one has begun anew, or none is left. */
  readonly onChange: (status: 'replaced' | 'gone', transcriber: Transcriber | null) => void
  readonly onUsage: (model: string, seconds: number) => void
}

/** Keeps a recogniser listening to the caller; the next one takes over with what was not understood yet. */
export class CallTranscription {
  readonly #options: CallTranscriptionOptions
  readonly #frames = new TranscriptionBuffer()
  #session: TranscriberSession | null = null
  #index = -1
  #frameCount = 0
  #stalls = 0
  #finalRetries = 0
  #isVoice = false
  /** Something was told of the voice that goes on, or went on last. */
  #hasTranscript = false
  #voiceSinceMs = 0
  /** When the first voice began that nothing was told of yet: recognisers of whole recordings tell late. */
  #untranscribedSinceMs = 0
  /** The utterance that is under way, as it was told. */
  #open: { id: string; startMs: number } | null = null
  /** The one that the recogniser before left open. */
  #inherited: { id: string; startMs: number } | null = null
  /** Of this recogniser: its own ids and those under which they were told. */
  readonly #ids = new Map<string, { id: string; startMs: number }>()
  #stopWatch: () => void = () => {}
  /** Sessions that were ever opened. */
  #sessions = 0
  /** Voice was heard whose final text may still come. */
  #isFinalPending = false
  #cancelFinalTimeout: () => void = () => {}
  /** The one at work expects something else than what is spoken now. */
  #hasStaleHints = false
  #isClosed = false

  constructor(options: CallTranscriptionOptions) {
    this.#options = options
  }

  /** `null`: the caller's own end recognises, or nobody does. */
  get transcriber(): Transcriber | null {
    return this.#options.transcribers[this.#index] ?? null
  }

  open(): void {
    if (!this.#isClosed && this.#options.transcribers.length > 0) this.#switchToNext()
  }

  /** Something else is expected from now on: the recogniser begins anew as soon as nothing of what it hears is lost by it. */
  refreshHints(): void {
    this.#hasStaleHints = this.#session !== null
    this.#renew()
  }

  push(frame: Frame): void {
    this.#frameCount += 1
    if (this.#session === null) return
    this.#frames.push(frame)
    this.#session.push(frame)
  }

  voiceStarted(sinceMs: number): void {
    this.#isVoice = true
    if (!this.#isFinalPending || this.#hasTranscript) this.#untranscribedSinceMs = sinceMs
    this.#isFinalPending = true
    this.#cancelFinalTimeout()
    this.#hasTranscript = false
    this.#voiceSinceMs = sinceMs
    this.#frames.voiceStarted()
    this.#stopWatch()
    this.#session?.voiceStarted()
  }

  voiceEnded(lastVoiceAtMs: number): void {
    this.#isVoice = false
    this.#session?.voiceEnded()
    const { transcriber } = this
    if (transcriber !== null) this.#awaitFinal(transcriber)
    if (transcriber === null || this.#hasTranscript || lastVoiceAtMs - this.#voiceSinceMs < MIN_SPEECH_MS) return
    this.#stopWatch()
    this.#stopWatch = this.#options.clock.after(transcriber.finalP99Ms + STALL_MARGIN_MS, () => this.#noteStall())
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#closeSession()
    this.#frames.clear()
  }

  #awaitFinal({ finalP99Ms }: Transcriber): void {
    this.#cancelFinalTimeout()
    this.#cancelFinalTimeout = this.#options.clock.after(finalP99Ms + STALL_MARGIN_MS, () => this.#settle())
  }

  /** Nothing that was heard waits for its text. */
  #settle(): void {
    this.#cancelFinalTimeout()
    this.#isFinalPending = false
    this.#renew()
  }

  #renew(): void {
    const { transcriber } = this
    if (!this.#hasStaleHints || this.#isFinalPending || transcriber === null) return
    this.#closeSession()
    this.#inherited = null
    this.#openSession(transcriber)
  }

  #switchToNext(): void {
    this.#closeSession()
    this.#index += 1
    const transcriber = this.transcriber
    if (transcriber === null) {
      this.#index = this.#options.transcribers.length
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
    const { language, keywords } = getHints()
    this.#hasStaleHints = false
    this.#sessions += 1
    const number = this.#sessions
    const onEvent = (event: TranscriberEvent): void => {
      if (this.#session !== null && this.#sessions === number) this.#handleEvent(event)
    }
    this.#session = transcriber.open({ rateHz, language, keywords, onEvent })
    return this.#session
  }

  /** The turn under way is heard from its beginning. */
  #replay(session: TranscriberSession): void {
    if (this.#frames.isVoiced) session.voiceStarted()
    for (const frame of this.#frames.all()) session.push(frame)
    if (this.#frames.isVoiced && !this.#isVoice) session.voiceEnded()
  }

  #closeSession(): void {
    this.#stopWatch()
    this.#cancelFinalTimeout()
    this.#session?.close()
    this.#session = null
    this.#ids.clear()
    this.#inherited = this.#open
    this.#open = null
    this.#stalls = 0
    const seconds = (this.#frameCount * FRAME_MS) / 1_000
    this.#frameCount = 0
    if (this.transcriber !== null && seconds > 0) this.#options.onUsage(this.transcriber.name, seconds)
  }

  #handleEvent(event: TranscriberEvent): void {
    if (event.type === 'failed') {
      this.#fail(event.failure)
      return
    }
    this.#stopWatch()
    this.#hasTranscript = true
    this.#stalls = 0
    this.#finalRetries = 0
    const { id, startMs } = this.#utterance(event.utteranceId)
    if (event.type === 'interim') {
      const stage = event.stable ? 'stable' : 'interim'
      this.#options.onText({ utteranceId: id, text: event.text, stage, endOfTurn: null, words: [] })
      return
    }
    this.#ids.delete(event.utteranceId)
    if (this.#open?.id === id) this.#open = null
    const words = event.words.map((word) => ({
      text: word.text,
      startMs: word.startMs + startMs,
      endMs: word.endMs + startMs,
    }))
    const last = words.at(-1)
    // What goes on is another utterance.
    this.#untranscribedSinceMs = this.#voiceSinceMs
    if (!this.#isVoice) this.#frames.markTranscribed()
    else if (last !== undefined) this.#frames.markTranscribedUntil(this.#options.clock.now() - last.endMs)
    this.#options.onText({ utteranceId: id, text: event.text, stage: 'final', endOfTurn: event.endOfTurn, words })
    if (!this.#isVoice && this.#open === null) this.#settle()
  }

  /** The first utterance of a recogniser that took over is the one that the other left open: its text stands in that one's place. */
  #utterance(ownId: string): { id: string; startMs: number } {
    const known = this.#ids.get(ownId)
    if (known !== undefined) return known
    const utterance = this.#inherited ?? { id: `${this.#sessions}:${ownId}`, startMs: this.#untranscribedSinceMs }
    this.#inherited = null
    this.#open = utterance
    this.#ids.set(ownId, utterance)
    return utterance
  }

  #noteStall(): void {
    this.#stalls += 1
    const isLast = this.#index + 1 >= this.#options.transcribers.length
    if (this.#stalls < MAX_STALLS || isLast) return
    this.#fail({ kind: 'timeout', message: 'The recogniser told nothing of what was said.', retryable: true })
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
    const isLast = this.#index + 1 >= this.#options.transcribers.length
    return isLast && retryable && this.#finalRetries < MAX_FINAL_RETRIES
  }
}
