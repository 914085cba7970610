import type { SpeechFailure, TimedWord } from '@parley/engine/voice/ports'
import { createSseStream } from '../../models/sse-stream.ts'
import { parseJson, toObject, toText } from '../../models/unknown-json.ts'
import { createProtocolFailure } from '../../models/wire-failure.ts'
import { toWav } from '../sample-buffer.ts'
import { postSpeech, type SpeechTarget } from '../speech-exchange.ts'

const FIRST_BYTE_MS = 5_000
const IDLE_MS = 3_000
/** Idle limit once words have arrived, because the turn ends long before `IDLE_MS`. */
const WORDS_IDLE_MS = 1_200
const TOTAL_MS = 8_000
const MAX_BYTES = 1024 * 1024
/** Maximum length of the prompt. Whisper uses only 224 tokens. */
const MAX_PROMPT_CHARACTERS = 600
/** Multipart boundary. It is removed from field values and does not occur in audio. */
const BOUNDARY = 'parley-form-7d1f9c52b84e'

/** Fields of a request. */
export interface TranscriptionForm {
  readonly model: string
  /** Two-letter language code. If null, the vendor detects the language. */
  readonly language: string | null
  readonly keywords: readonly string[]
  /** Whether to stream the transcript. */
  readonly streaming: boolean
  /** Whether to request word times. */
  readonly wordTimes: boolean
}

export interface TranscriptionListener {
  /** Receives the transcript so far. */
  onInterim(text: string): void
  /** Called once, unless the request was canceled. `status` is 0 if there was no response. */
  onEnd(outcome: Transcription | { readonly failure: SpeechFailure; readonly status: number }): void
}

/** Transcribes a recording. Returns a function that cancels the request. */
export function requestTranscription(
  target: SpeechTarget,
  request: { readonly samples: Int16Array; readonly rateHz: number; readonly form: TranscriptionForm },
  listener: TranscriptionListener,
): () => void {
  const reader = new TranscriptionReader(listener)
  const exchange = postSpeech(
    target,
    {
      path: '/audio/transcriptions',
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
      body: encodeForm(request.form, toWav(request.samples, request.rateHz)),
      firstByteMs: FIRST_BYTE_MS,
      idleMs: IDLE_MS,
      totalMs: TOTAL_MS,
      maxBytes: MAX_BYTES,
    },
    {
      onStart: (contentType) => reader.start(contentType),
      onChunk: (bytes) => {
        const failure = reader.read(bytes)
        if (failure !== null) exchange.fail(failure)
        else if (reader.hasText) exchange.setIdleLimit(WORDS_IDLE_MS)
      },
      onEnd: (failure, status) => reader.end(failure, status),
    },
  )
  return () => exchange.cancel()
}

function encodeForm(form: TranscriptionForm, wav: Buffer): Buffer {
  const { model, language, keywords, streaming, wordTimes } = form
  const prompt = keywords.join(', ').slice(0, MAX_PROMPT_CHARACTERS)
  const fields: (readonly [string, string])[] = [
    ['model', model],
    ...(language === null ? [] : [['language', language] as const]),
    ...(prompt === '' ? [] : [['prompt', prompt] as const]),
    ['response_format', wordTimes ? 'verbose_json' : 'json'],
    ...(wordTimes
      ? [['timestamp_granularities[]', 'word'] as const, ['timestamp_granularities[]', 'segment'] as const]
      : []),
    ...(streaming ? [['stream', 'true'] as const] : []),
  ]
  const parts = fields.map(([name, value]) => {
    const safeValue = value.replaceAll(BOUNDARY, '')
    return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${safeValue}\r\n`
  })
  const file =
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="speech.wav"\r\n` +
    'content-type: audio/wav\r\n\r\n'
  return Buffer.concat([Buffer.from(parts.join('') + file), wav, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

/** Parses a JSON response or an event stream. */
class TranscriptionReader {
  readonly #listener: TranscriptionListener
  readonly #body: Buffer[] = []
  #isStream = false
  #text = ''
  #transcription: Transcription | null = null
  #failure: SpeechFailure | null = null
  readonly #sse = createSseStream(({ data }) => this.#handleEvent(data))

  constructor(listener: TranscriptionListener) {
    this.#listener = listener
  }

  /** Whether part of the text has arrived. */
  get hasText(): boolean {
    return this.#text.trim() !== ''
  }

  start(contentType: string): SpeechFailure | null {
    this.#isStream = contentType.startsWith('text/event-stream')
    const isReadable = this.#isStream || contentType === '' || contentType.includes('json')
    return isReadable ? null : createProtocolFailure('The provider did not return a transcript.')
  }

  read(bytes: Buffer): SpeechFailure | null {
    if (!this.#isStream) {
      this.#body.push(bytes)
      return null
    }
    if (!this.#sse.push(bytes)) return createProtocolFailure('The provider sent an event that is too long.')
    return this.#failure
  }

  end(failure: SpeechFailure | null, status: number): void {
    // Failures after a complete transcript do not matter.
    if (this.#transcription !== null) this.#listener.onEnd(this.#transcription)
    else if (failure !== null) this.#listener.onEnd({ failure, status })
    else if (this.#isStream) this.#fail('The transcript stream ended early.', status)
    else {
      const transcription = parseTranscription(parseJson(Buffer.concat(this.#body).toString('utf8')))
      if (transcription === null) this.#fail('The provider returned JSON without a transcript.', status)
      else this.#listener.onEnd(transcription)
    }
  }

  #fail(message: string, status: number): void {
    this.#listener.onEnd({ failure: createProtocolFailure(message), status })
  }

  #handleEvent(data: string): void {
    if (this.#transcription !== null || this.#failure !== null || data === '[DONE]') return
    const event = toObject(parseJson(data))
    const type = toText(event?.type)
    if (type === 'transcript.text.delta') {
      this.#text += toText(event?.delta)
      if (this.#text.trim() !== '') this.#listener.onInterim(this.#text.trim())
    } else if (type === 'transcript.text.done') {
      this.#transcription = parseTranscription(event)
    } else if (event === null) {
      this.#failure = createProtocolFailure('The provider sent an invalid event.')
    } else if (type === 'error' || event.error !== undefined) {
      const message = 'The provider ended the transcript with an error.'
      this.#failure = { kind: 'unavailable', message, retryable: true }
    }
  }
}

/** A transcribed recording. */
export interface Transcription {
  /** Transcript, or '' if there was no speech. */
  readonly text: string
  /** Words with times from the start of the recording. Empty if the vendor does not return word times. */
  readonly words: readonly TimedWord[]
}

/** Probability above which the model considers a segment silence. */
const MIN_NO_SPEECH_PROBABILITY = 0.6
/** Log probability below which the model is unsure. */
const MIN_LOG_PROBABILITY = -1
const MAX_WORDS = 5_000

/** Parses `{text, words?, segments?}`. Returns null for anything else. */
function parseTranscription(body: unknown): Transcription | null {
  const fields = toObject(body)
  if (fields === null || typeof fields.text !== 'string') return null
  // For noise, models invent polite phrases with a low probability.
  if (isNoise(fields.segments)) return { text: '', words: [] }
  return { text: fields.text.trim(), words: parseWords(fields.words) }
}

function isNoise(segments: unknown): boolean {
  if (!Array.isArray(segments) || segments.length === 0) return false
  return segments.every((segment) => {
    const fields = toObject(segment)
    const { no_speech_prob: noSpeechProbability, avg_logprob: logProbability } = fields ?? {}
    return (
      typeof noSpeechProbability === 'number' &&
      noSpeechProbability > MIN_NO_SPEECH_PROBABILITY &&
      typeof logProbability === 'number' &&
      logProbability < MIN_LOG_PROBABILITY
    )
  })
}

function parseWords(words: unknown): TimedWord[] {
  if (!Array.isArray(words)) return []
  return words.slice(0, MAX_WORDS).flatMap((word) => {
    const fields = toObject(word)
    const text = toText(fields?.word).trim()
    const { start, end } = fields ?? {}
    if (text === '' || typeof start !== 'number' || typeof end !== 'number' || !(start >= 0) || !(end >= start))
      return []
    return [{ text, startMs: Math.round(start * 1000), endMs: Math.round(end * 1000) }]
  })
}
