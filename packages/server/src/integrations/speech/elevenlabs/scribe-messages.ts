import type { TimedWord, TranscriberOptions } from '@parley/engine/voice/ports'
import { toObject, toText } from '../../models/unknown-json.ts'
import { toLinear16 } from '../linear16.ts'
import { buildSocketUrl } from '../vendor-socket.ts'
import { toLanguageCode } from './elevenlabs-api.ts'

type JsonFields = Readonly<Record<string, unknown>>

const MAX_KEYTERMS = 50
const MAX_KEYTERM_CHARACTERS = 20

/** Builds the URL of a session. Its settings cannot change later. */
export function buildScribeUrl(
  baseUrl: string,
  model: string,
  { rateHz, language, keywords }: Pick<TranscriberOptions, 'rateHz' | 'language' | 'keywords'>,
): URL {
  return buildSocketUrl(baseUrl, '/v1/speech-to-text/realtime', {
    model_id: model,
    audio_format: `pcm_${rateHz}`,
    commit_strategy: 'manual',
    include_timestamps: true,
    language_code: toLanguageCode(language),
    keyterms: toKeyterms(keywords),
  })
}

/** Returns the terms that the API accepts. It rejects a session with others. */
function toKeyterms(keywords: readonly string[]): readonly string[] {
  const terms = keywords.map((keyword) => keyword.trim()).filter((term) => term !== '')
  return [...new Set(terms)].filter((term) => [...term].length <= MAX_KEYTERM_CHARACTERS).slice(0, MAX_KEYTERMS)
}

export function buildAudioMessage(samples: Int16Array, rateHz: number): JsonFields {
  return {
    message_type: 'input_audio_chunk',
    audio_base_64: toLinear16(samples).toString('base64'),
    commit: false,
    sample_rate: rateHz,
  }
}

export function buildCommitMessage(rateHz: number): JsonFields {
  return { message_type: 'input_audio_chunk', audio_base_64: '', commit: true, sample_rate: rateHz }
}

/** A message of the session. `other` needs no reaction. */
export type ScribeMessage =
  | { readonly type: 'started' | 'throttled' | 'no-speech' | 'other' }
  | { readonly type: 'interim'; readonly text: string; readonly isStable: boolean }
  /** `words` is null if the message has no timestamps. Their times are in milliseconds. */
  | { readonly type: 'committed'; readonly text: string; readonly words: readonly TimedWord[] | null }
  | { readonly type: 'error'; readonly codes: readonly unknown[] }

const ERROR_TYPES: ReadonlySet<string> = new Set([
  'error',
  'auth_error',
  'quota_exceeded',
  'transcriber_error',
  'unaccepted_terms',
  'rate_limited',
  'input_error',
  'invalid_request',
  'queue_overflow',
  'resource_exhausted',
  'session_time_limit_exceeded',
  'chunk_size_exceeded',
])

/** Reads a message of the vendor. */
export function readScribeMessage(message: JsonFields): ScribeMessage {
  const type = toText(message.message_type)
  const text = toText(message.text).trim()
  switch (type) {
    case 'session_started':
      return { type: 'started' }
    case 'commit_throttled':
      return { type: 'throttled' }
    case 'insufficient_audio_activity':
      return { type: 'no-speech' }
    case 'partial_transcript':
      return { type: 'interim', text, isStable: false }
    case 'final_transcript':
    case 'final_transcript_with_timestamps':
      return { type: 'interim', text, isStable: true }
    case 'committed_transcript':
      return { type: 'committed', text, words: null }
    case 'committed_transcript_with_timestamps':
      return { type: 'committed', text, words: readWords(message.words) }
    default:
      return ERROR_TYPES.has(type) ? { type: 'error', codes: [type, message.code] } : { type: 'other' }
  }
}

/** More words than any utterance contains. */
const MAX_WORDS = 5_000

function readWords(value: unknown): TimedWord[] {
  const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_WORDS) : []
  return items.flatMap((item) => {
    const fields = toObject(item)
    const text = toText(fields?.text).trim()
    const { start, end, type = 'word' } = fields ?? {}
    if (text === '' || type !== 'word' || !isSeconds(start) || !isSeconds(end)) return []
    return [{ text, startMs: start * 1_000, endMs: Math.max(start, end) * 1_000 }]
  })
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
