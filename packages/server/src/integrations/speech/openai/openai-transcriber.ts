import type {
  SpeechFailure,
  TimedWord,
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberSession,
} from '@parley/engine/voice/ports'
import { PreRoll, VOICE_DETECTION_MS } from '../pre-roll.ts'
import { SampleBuffer } from '../sample-buffer.ts'
import type { SpeechTarget } from '../speech-exchange.ts'
import { requestTranscription, type Transcription, type TranscriptionForm } from './transcription-request.ts'

export interface OpenAiTranscriberOptions extends SpeechTarget {
  /** Vendor name, the first part of the transcriber's name. */
  readonly provider: string
  readonly model: string
  /** p99 of the time until the final transcript. Defaults to OpenAI's value. */
  readonly finalP99Ms?: number
}

const FINAL_P99_MS = 2_010
/** Minimum interval between interim transcriptions. The interval grows with the utterance. */
const INTERIM_SECONDS = 2
const INTERIM_RATIO = 0.25
/** Longer utterances are split, which limits memory and cost. */
const MAX_UTTERANCE_SECONDS = 60
/** A failed request for a final transcript is retried once. */
const MAX_ATTEMPTS = 2
/** Statuses with which servers reject unknown fields. */
const UNKNOWN_FIELD_STATUSES: readonly number[] = [400, 404, 415, 422, 501]

/** Detected capabilities of the vendor. */
interface ServerCapabilities {
  streaming: boolean
  wordTimes: boolean
}

/** One attempt to transcribe a recording. */
interface Attempt {
  readonly number: number
  readonly requestedCapabilities: Readonly<ServerCapabilities>
}

/**
 * Creates a transcriber that uses the `POST /audio/transcriptions` API, which accepts only complete recordings. Runs
 * one request at a time; a longer recording of the same utterance replaces a running request.
 */
export function createOpenAiTranscriber(options: OpenAiTranscriberOptions): Transcriber {
  const { provider, model, finalP99Ms = FINAL_P99_MS } = options
  const isWhisper = model.includes('whisper')
  // Shared by all calls, so that a rejected field is not sent again.
  const capabilities: ServerCapabilities = { streaming: /^gpt-.*transcribe/.test(model), wordTimes: isWhisper }
  return {
    name: `${provider}/${model}`,
    finalP99Ms,
    open: (session) => new OpenAiTranscriberSession(options, capabilities, session),
  }
}

interface Utterance {
  readonly id: string
  readonly buffer: SampleBuffer
  isVoiced: boolean
  /** Length of the recording before speech starts. */
  readonly leadMs: number
  /** Number of samples in the last request. */
  requestedSampleCount: number
}

class OpenAiTranscriberSession implements TranscriberSession {
  readonly #options: OpenAiTranscriberOptions
  readonly #capabilities: ServerCapabilities
  readonly #session: TranscriberOptions
  readonly #preRoll: PreRoll
  #utteranceCount = 0
  #utterance: Utterance | null = null
  /** Cancels the running request, which is for `#requestedUtterance`. */
  #cancel: (() => void) | null = null
  #requestedUtterance: Utterance | null = null
  /** An ended utterance that waits for the transcript of the previous utterance. */
  #queuedUtterance: Utterance | null = null
  #requestCount = 0
  #isClosed = false

  constructor(options: OpenAiTranscriberOptions, capabilities: ServerCapabilities, session: TranscriberOptions) {
    this.#options = options
    this.#capabilities = capabilities
    this.#session = session
    this.#preRoll = new PreRoll(session.rateHz)
  }

  push(frame: Int16Array): void {
    if (this.#isClosed) return
    this.#preRoll.push(frame)
    const utterance = this.#utterance
    // A full utterance has ended and waits for its transcript.
    if (utterance === null || this.#isFull(utterance)) return
    utterance.buffer.append(frame)
    if (this.#isFull(utterance)) this.#splitUtterance(utterance)
    else if (utterance.isVoiced && this.#cancel === null && this.#isInterimDue(utterance)) this.#sendRequest(utterance)
  }

  voiceStarted(): void {
    if (this.#isClosed) return
    if (this.#utterance === null || this.#isFull(this.#utterance)) this.#utterance = this.#startUtterance()
    this.#utterance.isVoiced = true
  }

  voiceEnded(): void {
    const utterance = this.#utterance
    if (this.#isClosed || utterance === null || !utterance.isVoiced) return
    utterance.isVoiced = false
    this.#sendRequest(utterance)
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRequest()
    this.#utterance = null
    this.#queuedUtterance = null
  }

  #startUtterance(): Utterance {
    this.#utteranceCount += 1
    const buffer = new SampleBuffer(this.#session.rateHz * 4)
    buffer.append(this.#preRoll.getSamples())
    const leadMs = Math.max(0, (buffer.length * 1_000) / this.#session.rateHz - VOICE_DETECTION_MS)
    return { id: `utterance-${this.#utteranceCount}`, buffer, leadMs, isVoiced: false, requestedSampleCount: 0 }
  }

  #isFull({ buffer }: Utterance): boolean {
    return buffer.length >= MAX_UTTERANCE_SECONDS * this.#session.rateHz
  }

  #isInterimDue({ buffer, requestedSampleCount }: Utterance): boolean {
    const { rateHz } = this.#session
    return buffer.length - requestedSampleCount >= Math.max(INTERIM_SECONDS * rateHz, buffer.length * INTERIM_RATIO)
  }

  /** Ends an utterance that is too long and starts the next. The two do not overlap. */
  #splitUtterance(utterance: Utterance): void {
    this.#preRoll.keepLast(0)
    // The caller stopped speaking and the transcript was requested, so only silence followed.
    if (!utterance.isVoiced) return
    utterance.isVoiced = false
    this.#sendRequest(utterance)
    const nextUtterance = this.#startUtterance()
    nextUtterance.isVoiced = true
    this.#utterance = nextUtterance
  }

  #sendRequest(
    utterance: Utterance,
    attempt: Attempt = { number: 1, requestedCapabilities: { ...this.#capabilities } },
  ): void {
    if (this.#cancel !== null && this.#requestedUtterance !== utterance) {
      this.#queuedUtterance = utterance
      return
    }
    this.#cancelRequest()
    this.#requestedUtterance = utterance
    const { rateHz, language, keywords } = this.#session
    const samples = utterance.buffer.getSamples()
    utterance.requestedSampleCount = samples.length
    const form: TranscriptionForm = {
      ...attempt.requestedCapabilities,
      model: this.#options.model,
      language: toBaseLanguage(language),
      keywords,
    }
    this.#requestCount += 1
    const requestNumber = this.#requestCount
    const isCurrent = (): boolean => requestNumber === this.#requestCount && !this.#isClosed
    this.#cancel = requestTranscription(
      this.#options,
      { samples, rateHz, form },
      {
        onInterim: (text) => {
          if (isCurrent()) this.#emit({ type: 'interim', utteranceId: utterance.id, text, stable: false })
        },
        onEnd: (outcome) => {
          if (!isCurrent()) return
          this.#cancel = null
          if (!('failure' in outcome)) {
            this.#updateCapabilities(attempt.requestedCapabilities)
            this.#handleTranscription(utterance, outcome)
          } else if (mayHaveRejectedFields(attempt.requestedCapabilities, outcome.status)) {
            this.#sendRequest(utterance, { ...attempt, requestedCapabilities: { streaming: false, wordTimes: false } })
          } else this.#handleFailure(utterance, outcome.failure, attempt)
          this.#sendQueued()
        },
      },
    )
  }

  #sendQueued(): void {
    const utterance = this.#queuedUtterance
    if (utterance === null || this.#cancel !== null || this.#isClosed) return
    this.#queuedUtterance = null
    this.#sendRequest(utterance)
  }

  #handleTranscription(utterance: Utterance, { text, words }: Transcription): void {
    const { id } = utterance
    // The caller is still speaking, so the text is interim.
    if (utterance.isVoiced) {
      if (text !== '') this.#emit({ type: 'interim', utteranceId: id, text, stable: false })
      return
    }
    if (this.#utterance === utterance) this.#utterance = null
    this.#emit({
      type: 'final',
      utteranceId: id,
      text,
      endOfTurn: null,
      words: shiftToSpeechStart(words, utterance.leadMs),
    })
  }

  #handleFailure(utterance: Utterance, failure: SpeechFailure, attempt: Attempt): void {
    // A final transcript follows the interim transcript, so only permanent failures matter.
    if (utterance.isVoiced && failure.retryable) return
    const canRetry = failure.kind === 'unavailable' || failure.kind === 'protocol'
    if (canRetry && attempt.number < MAX_ATTEMPTS) {
      this.#sendRequest(utterance, { ...attempt, number: attempt.number + 1 })
      return
    }
    this.#emit({ type: 'failed', failure })
    this.close()
  }

  /** Stops sending fields that the successful request omitted. */
  #updateCapabilities({ streaming, wordTimes }: Readonly<ServerCapabilities>): void {
    this.#capabilities.streaming &&= streaming
    this.#capabilities.wordTimes &&= wordTimes
  }

  #cancelRequest(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#requestCount += 1
  }

  /** Emits an event asynchronously, so that no method calls the listener synchronously. */
  #emit(event: TranscriberEvent): void {
    const { onEvent } = this.#session
    const isLast = event.type === 'failed'
    queueMicrotask(() => {
      if (!this.#isClosed || isLast) onEvent(event)
    })
  }
}

/** Whether the server may have rejected an optional field. */
function mayHaveRejectedFields(requestedCapabilities: Readonly<ServerCapabilities>, status: number): boolean {
  return UNKNOWN_FIELD_STATUSES.includes(status) && (requestedCapabilities.streaming || requestedCapabilities.wordTimes)
}

/** Returns the API's two-letter language code, or null for unsupported tags such as `multi`. */
function toBaseLanguage(tag: string): string | null {
  const [baseLanguage = ''] = tag.toLowerCase().split('-')
  return /^[a-z]{2}$/.test(baseLanguage) ? baseLanguage : null
}

/** Makes times relative to the start of speech instead of the start of the recording. */
function shiftToSpeechStart(words: readonly TimedWord[], leadMs: number): readonly TimedWord[] {
  const toOffset = (timeMs: number): number => Math.max(0, Math.round(timeMs - leadMs))
  return words.map(({ text, startMs, endMs }) => ({ text, startMs: toOffset(startMs), endMs: toOffset(endMs) }))
}
