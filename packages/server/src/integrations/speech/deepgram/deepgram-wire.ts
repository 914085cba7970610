import type { SpeechFailure } from '@parley/engine/voice/ports'
import { toText } from '../../models/unknown-json.ts'

/** Header of every response, by which the vendor finds a request. */
export const REQUEST_ID_HEADER = 'dg-request-id'
/** Header of a refused request, with the vendor's reason. */
export const REASON_HEADER = 'dg-error'

/** The vendor accepts 500 tokens of key terms, and a URL has a limited length. */
const MAX_KEY_TERMS = 100
const MAX_KEY_TERM_CHARACTERS = 2_000

export function buildHeaders(apiKey: string): Readonly<Record<string, string>> {
  return { Authorization: `Token ${apiKey}` }
}

/** Returns the key terms that fit into a request. */
export function selectKeyTerms(keywords: readonly string[]): readonly string[] {
  const terms: string[] = []
  let characterCount = 0
  for (const keyword of keywords) {
    const term = keyword.trim()
    characterCount += term.length
    if (terms.length === MAX_KEY_TERMS || characterCount > MAX_KEY_TERM_CHARACTERS) break
    if (term !== '') terms.push(term)
  }
  return terms
}

/** Close codes for data that the vendor rejects. A repetition would fail too. */
const REJECTED_CLOSE_CODES: readonly (number | null)[] = [1003, 1007, 1008, 1009]

/** Returns the failure for a connection to a transcriber that ended, based on the close code. */
export function toListenFailure(failure: SpeechFailure, closeCode: number | null): SpeechFailure {
  if (!REJECTED_CLOSE_CODES.includes(closeCode)) return failure
  return { kind: 'rejected', message: `The provider did not accept the audio (${closeCode}).`, retryable: false }
}

/** Returns the failure for a connection to a synthesizer that ended, based on the close code. */
export function toSpeakFailure(failure: SpeechFailure, closeCode: number | null): SpeechFailure {
  // All messages are valid commands, so the code means too many characters within a short time.
  if (closeCode === 1008) {
    return { kind: 'rate-limited', message: 'The provider received too many characters (1008).', retryable: true }
  }
  if (!REJECTED_CLOSE_CODES.includes(closeCode)) return failure
  return { kind: 'rejected', message: `The provider did not accept the text (${closeCode}).`, retryable: false }
}

/** Builds the failure for an `Error` message. Only its code is used, because a description can quote text. */
export function toErrorFailure(message: Readonly<Record<string, unknown>>): SpeechFailure {
  const code = toText(message.code) || toText(message.err_code) || toText(message.variant)
  const suffix = /^[A-Za-z0-9_-]{1,40}$/.test(code) ? ` (${code})` : ''
  return { kind: 'unavailable', message: `The provider reported an error${suffix}.`, retryable: true }
}

/** Returns the value if it is a finite number, or null. */
export function toNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
