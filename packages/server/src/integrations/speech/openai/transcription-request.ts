import type { SpeechFailure, TimedWord } from '@parley/engine/voice/ports'
import { createSseStream } from '../../models/sse-stream.ts'
import { parseJson, toObject, toText } from '../../models/unknown-json.ts'
import { createProtocolFailure } from '../../models/wire-failure.ts'
import { toWav } from '../sample-buffer.ts'
import { postSpeech, type SpeechTarget } from '../speech-exchange.ts'

const FIRST_BYTE_MS = 5_000
const IDLE_MS = 3_000
/** Idle limit once words have arrived. The turn would end without the rest long before `IDLE_MS`. */
const WORDS_IDLE_MS = 1_200
const TOTAL_MS = 8_000
const MAX_BYTES = 1024 * 1024
/** Maximum length of the hint. Whisper reads 224 tokens. */
const MAX_PROMPT_CHARACTERS = 600
/** Removed from texts before sending, and does not occur in audio. */
const BOUNDARY = 'parley-form-7d1f9c52b84e'

/** Fields of a request. */
export interface TranscriptionForm {
  readonly model: string
  /** Two-letter language. If null, the vendor detects the language. */
  readonly language: string | null
  readonly keywords: readonly string[]
  /** Whether to request a stream of the text. */
  readonly streams: boolean
  /** Whether to request word times. */
  readonly words: boolean
}

export interface TranscriptionListener {
  /** Receives the text so far. */
  interim(text: string): void
  /** Called once, unless the request was canceled before. `status` is 0 if there was no response. */
  ended(outcome: Transcription | { readonly failure: SpeechFailure; readonly status: number }): void
}

/** Transcribes a recording. Returns the cancel function. */
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
      started: (contentType) => reader.start(contentType),
      chunk: (bytes) => {
        const problem = reader.read(bytes)
        if (problem !== null) exchange.fail(problem)
        else if (reader.hasText) exchange.limitIdle(WORDS_IDLE_MS)
      },
      ended: (failure, status) => reader.end(failure, status),
    },
  )
  return () => exchange.cancel()
}

function encodeForm(form: TranscriptionForm, wav: Buffer): Buffer {
  const { model, language, keywords, streams, words } = form
  const prompt = keywords.join(', ').slice(0, MAX_PROMPT_CHARACTERS)
  const fields: (readonly [string, string])[] = [
    ['model', model],
    ...(language === null ? [] : [['language', language] as const]),
    ...(prompt === '' ? [] : [['prompt', prompt] as const]),
    ['response_format', words ? 'verbose_json' : 'json'],
    ...(words
      ? [['timestamp_granularities[]', 'word'] as const, ['timestamp_granularities[]', 'segment'] as const]
      : []),
    ...(streams ? [['stream', 'true'] as const] : []),
  ]
  const texts = fields.map(([name, value]) => {
    const clean = value.replaceAll(BOUNDARY, '')
    return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${clean}\r\n`
  })
  const file =
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="speech.wav"\r\n` +
    'content-type: audio/wav\r\n\r\n'
  return Buffer.concat([Buffer.from(texts.join('') + file), wav, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
}

/** Reads a response: JSON, or events of a stream. */
class TranscriptionReader {
  readonly #listener: TranscriptionListener
  readonly #body: Buffer[] = []
  #streams = false
  #text = ''
  #done: Transcription | null = null
  #problem: SpeechFailure | null = null
  readonly #sse = createSseStream(({ data }) => this.#event(data))

  constructor(listener: TranscriptionListener) {
    this.#listener = listener
  }

  /** Whether part of the text has arrived. */
  get hasText(): boolean {
    return this.#text.trim() !== ''
  }

  start(contentType: string): SpeechFailure | null {
    this.#streams = contentType.startsWith('text/event-stream')
    const isReadable = this.#streams || contentType === '' || contentType.includes('json')
    return isReadable ? null : createProtocolFailure('The provider did not answer with a transcript.')
  }

  read(bytes: Buffer): SpeechFailure | null {
    if (!this.#streams) {
      this.#body.push(bytes)
      return null
    }
    if (!this.#sse.push(bytes)) return createProtocolFailure('The provider sent an event that is too long.')
    return this.#problem
  }

  end(failure: SpeechFailure | null, status: number): void {
    // A complete text counts, regardless of what happens afterwards.
    if (this.#done !== null) this.#listener.ended(this.#done)
    else if (failure !== null) this.#listener.ended({ failure, status })
    else if (this.#streams) this.#fail('The stream of the transcript ended early.', status)
    else {
      const transcription = readTranscription(parseJson(Buffer.concat(this.#body).toString('utf8')))
      if (transcription === null) this.#fail('The provider answered with JSON without a transcript.', status)
      else this.#listener.ended(transcription)
    }
  }

  #fail(message: string, status: number): void {
    this.#listener.ended({ failure: createProtocolFailure(message), status })
  }

  #event(data: string): void {
    if (this.#done !== null || this.#problem !== null || data === '[DONE]') return
    const event = toObject(parseJson(data))
    const type = toText(event?.type)
    if (type === 'transcript.text.delta') {
      this.#text += toText(event?.delta)
      if (this.#text.trim() !== '') this.#listener.interim(this.#text.trim())
    } else if (type === 'transcript.text.done') {
      this.#done = readTranscription(event)
    } else if (event === null) {
      this.#problem = createProtocolFailure('The provider sent an invalid event.')
    } else if (type === 'error' || event.error !== undefined) {
      const message = 'The provider ended the transcript with an error.'
      this.#problem = { kind: 'unavailable', message, retryable: true }
    }
  }
}

/** A transcribed text, which is '' if there was no speech. */
export interface Transcription {
  readonly text: string
  /** Times from the start of the recording. Empty if the vendor returns none. */
  readonly words: readonly TimedWord[]
}

/** Probability above which the model considers a segment silence. */
const NO_SPEECH = 0.6
/** Log probability below which the model is unsure. */
const UNSURE = -1
const MAX_WORDS = 5_000

/** Reads `{text, words?, segments?}`. Returns null for anything else. */
function readTranscription(body: unknown): Transcription | null {
  const fields = toObject(body)
  if (fields === null || typeof fields.text !== 'string') return null
  // Models hallucinate polite phrases for noise, which the probabilities reveal.
  if (isNoise(fields.segments)) return { text: '', words: [] }
  return { text: fields.text.trim(), words: readWords(fields.words) }
}

function isNoise(segments: unknown): boolean {
  if (!Array.isArray(segments) || segments.length === 0) return false
  return segments.every((segment) => {
    const fields = toObject(segment)
    const { no_speech_prob: noSpeech, avg_logprob: sure } = fields ?? {}
    return typeof noSpeech === 'number' && noSpeech > NO_SPEECH && typeof sure === 'number' && sure < UNSURE
  })
}

function readWords(words: unknown): TimedWord[] {
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
