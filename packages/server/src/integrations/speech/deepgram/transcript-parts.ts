import type { TimedWord } from '@parley/engine/voice/ports'
import { toObject, toText } from '../../models/unknown-json.ts'
import { toNumber } from './deepgram-wire.ts'

type JsonFields = Readonly<Record<string, unknown>>

/** A word with times in seconds since the start of the call. */
export interface RecognizedWord {
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
}

/** A `Results` message of Nova: the text of one part of the audio. */
export interface NovaResult {
  readonly text: string
  readonly words: readonly RecognizedWord[]
  /** End of the part, in seconds since the start of the call. */
  readonly endSeconds: number
  readonly isFinal: boolean
  readonly isSpeechFinal: boolean
  readonly isFromFinalize: boolean
}

/** Reads a `Results` message. Returns null if it contains no alternative. */
export function readNovaResult(message: JsonFields, offsetSeconds: number): NovaResult | null {
  const alternatives = toObject(message.channel)?.alternatives
  const alternative = Array.isArray(alternatives) ? toObject(alternatives[0]) : null
  if (alternative === null) return null
  return {
    text: toText(alternative.transcript).trim(),
    words: readWords(alternative.words, offsetSeconds),
    endSeconds: offsetSeconds + (toNumber(message.start) ?? 0) + (toNumber(message.duration) ?? 0),
    isFinal: message.is_final === true,
    isSpeechFinal: message.speech_final === true,
    isFromFinalize: message.from_finalize === true,
  }
}

/** A `TurnInfo` message of Flux: the text of the whole turn. */
export interface FluxTurnInfo {
  readonly event: string
  readonly turnIndex: number
  readonly text: string
  readonly words: readonly RecognizedWord[]
  /** End of the transcribed audio, in seconds since the start of the call. */
  readonly endSeconds: number | null
  /** Confidence from 0 to 1 that the speaker has finished. */
  readonly endOfTurn: number
}

export function readTurnInfo(message: JsonFields, offsetSeconds: number): FluxTurnInfo | null {
  const turnIndex = toNumber(message.turn_index)
  if (turnIndex === null) return null
  const windowEnd = toNumber(message.audio_window_end)
  const confidence = Math.min(1, Math.max(0, toNumber(message.end_of_turn_confidence) ?? 1))
  return {
    event: toText(message.event),
    turnIndex,
    text: toText(message.transcript).trim(),
    words: readWords(message.words, offsetSeconds),
    endSeconds: windowEnd === null ? null : offsetSeconds + windowEnd,
    endOfTurn: message.trigger === 'timeout' ? confidence : 1,
  }
}

/** Reads words that have times. Other words are skipped. */
function readWords(value: unknown, offsetSeconds: number): RecognizedWord[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => {
    const word = toObject(item)
    const text = toText(word?.punctuated_word) || toText(word?.word)
    const [start, end] = [toNumber(word?.start), toNumber(word?.end)]
    if (text === '' || start === null || end === null) return []
    return [{ text, startSeconds: offsetSeconds + start, endSeconds: offsetSeconds + Math.max(start, end) }]
  })
}

/** Makes times relative to the start of the first word. */
export function toTimedWords(words: readonly RecognizedWord[]): readonly TimedWord[] {
  const startSeconds = words[0]?.startSeconds ?? 0
  const toMs = (seconds: number): number => Math.max(0, Math.round((seconds - startSeconds) * 1_000))
  return words.map((word) => ({ text: word.text, startMs: toMs(word.startSeconds), endMs: toMs(word.endSeconds) }))
}
