import type { SpeechFailure, SpeechRequest, TimedWord } from '@parley/engine/voice/ports'
import { toObject, toText } from '../../models/unknown-json.ts'
import { createProtocolFailure } from '../../models/wire-failure.ts'

type JsonFields = Readonly<Record<string, unknown>>

const MIN_SPEED = 0.6
const MAX_SPEED = 1.5
/** Cartesia's names for emotions with another name in Parley. */
const EMOTION_NAMES: Readonly<Record<string, string>> = { fearful: 'scared' }

/** Builds the only message of a context: the entire text, which is generated without waiting for more. */
export function buildContextRequest(contextId: string, defaultModel: string, request: SpeechRequest): JsonFields {
  const { text, voice, model, language, rateHz } = request
  const baseLanguage = /^[a-z]{2,3}(?=-|$)/.exec(language.toLowerCase())?.[0]
  return {
    context_id: contextId,
    model_id: model ?? defaultModel,
    transcript: text,
    voice: { id: voice },
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: rateHz },
    ...(baseLanguage === undefined ? {} : { language: baseLanguage }),
    continue: false,
    // The default is 3 seconds.
    max_buffer_delay_ms: 0,
    add_timestamps: true,
    ...buildGenerationConfig(request),
  }
}

function buildGenerationConfig({ speed, emotion }: SpeechRequest): JsonFields {
  if (speed === 1 && emotion === null) return {}
  return {
    generation_config: {
      ...(speed === 1 ? {} : { speed: Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed)) }),
      ...(emotion === null ? {} : { emotion: EMOTION_NAMES[emotion] ?? emotion }),
    },
  }
}

/** Builds the message that stops a context. Audio that is being generated can still arrive. */
export function buildCancelRequest(contextId: string): JsonFields {
  return { context_id: contextId, cancel: true }
}

/** Decodes the audio of a chunk. Returns null if it is not valid base64. */
export function decodeAudio(data: unknown): Buffer | null {
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return null
  return Buffer.from(data, 'base64')
}

/** Reads word times, which count from the start of the context. Omits malformed words. */
export function readWords(message: JsonFields): readonly TimedWord[] {
  const timestamps = toObject(message.word_timestamps)
  const words = toList(timestamps?.words)
  const starts = toList(timestamps?.start)
  const ends = toList(timestamps?.end)
  return words.flatMap((word, index) => {
    const text = toText(word).trim()
    const startMs = toMilliseconds(starts[index])
    const endMs = toMilliseconds(ends[index])
    return text === '' || startMs === null || endMs === null || endMs < startMs ? [] : [{ text, startMs, endMs }]
  })
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function toMilliseconds(seconds: unknown): number | null {
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

/** Converts an `error` message into a failure. Omits title and message, because they can quote the text. */
export function toContextFailure(message: JsonFields): SpeechFailure {
  const status = typeof message.status_code === 'number' ? message.status_code : null
  const code = /^[a-z][a-z_.]{1,63}$/.exec(toText(message.error_code))?.[0]
  const details = [status === null ? '' : ` with status ${status}`, code === undefined ? '' : ` (${code})`].join('')
  const description = `The provider ended the speech with an error${details}.`
  if (status === 401 || status === 403) return { kind: 'unauthorized', message: description, retryable: false }
  if (status === 429) return { kind: 'rate-limited', message: description, retryable: true }
  if (status === 408) return { kind: 'timeout', message: description, retryable: true }
  if (status !== null && status >= 400 && status < 500 && status !== 409) {
    return { kind: 'rejected', message: description, retryable: false }
  }
  if (status !== null && status < 400) return createProtocolFailure(description)
  return { kind: 'unavailable', message: description, retryable: true }
}
