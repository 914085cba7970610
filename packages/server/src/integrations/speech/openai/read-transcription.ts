import type { TimedWord } from '@parley/engine/voice/ports'
import { asObject, asText } from '../../models/unknown-json.ts'

/** What was understood; `''`: no speech. */
export interface Transcription {
  readonly text: string
  /** From the beginning of the recording; empty where the provider tells none. */
  readonly words: readonly TimedWord[]
}

/** Above this the model itself takes a segment for silence. */
const NO_SPEECH = 0.6
/** Below this it guesses. */
const UNSURE = -1
const MAX_WORDS = 5_000

/** Reads `{text, words?, segments?}`; `null` when it is none of that. */
export function readTranscription(body: unknown): Transcription | null {
  const fields = asObject(body)
  if (fields === null || typeof fields.text !== 'string') return null
  // Models invent polite phrases for noise; the figures beside them tell.
  if (isNoise(fields.segments)) return { text: '', words: [] }
  return { text: fields.text.trim(), words: readWords(fields.words) }
}

function isNoise(segments: unknown): boolean {
  if (!Array.isArray(segments) || segments.length === 0) return false
  return segments.every((segment) => {
    const fields = asObject(segment)
    const { no_speech_prob: noSpeech, avg_logprob: sure } = fields ?? {}
    return typeof noSpeech === 'number' && noSpeech > NO_SPEECH && typeof sure === 'number' && sure < UNSURE
  })
}

function readWords(words: unknown): TimedWord[] {
  if (!Array.isArray(words)) return []
  return words.slice(0, MAX_WORDS).flatMap((word) => {
    const fields = asObject(word)
    const text = asText(fields?.word).trim()
    const { start, end } = fields ?? {}
    if (text === '' || typeof start !== 'number' || typeof end !== 'number' || !(start >= 0) || !(end >= start))
      return []
    return [{ text, startMs: Math.round(start * 1000), endMs: Math.round(end * 1000) }]
  })
}
