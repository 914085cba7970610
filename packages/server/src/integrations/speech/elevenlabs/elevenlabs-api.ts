import type { SpeechFailure } from '@parley/engine/voice/ports'
import { toText } from '../../models/unknown-json.ts'

type JsonFields = Readonly<Record<string, unknown>>

export function buildAuthHeaders(apiKey: string): Readonly<Record<string, string>> {
  return { 'xi-api-key': apiKey }
}

/** Returns the ISO 639 code of a language tag, or undefined for tags such as `multi`. */
export function toLanguageCode(tag: string): string | undefined {
  const [baseLanguage = ''] = tag.toLowerCase().split(/[-_]/)
  return /^[a-z]{2,3}$/.test(baseLanguage) ? baseLanguage : undefined
}

type FailureClass = Pick<SpeechFailure, 'kind' | 'retryable'>

const REJECTED: FailureClass = { kind: 'rejected', retryable: false }
const UNAVAILABLE: FailureClass = { kind: 'unavailable', retryable: true }

/** Failures by error code, in order. Other errors are temporary. */
const FAILURE_CLASSES: readonly (readonly [RegExp, FailureClass])[] = [
  // The client opened too many contexts on one socket, so another socket can succeed.
  [/max_active_conversations|queue_overflow|session_time_limit/, UNAVAILABLE],
  [/quota|credits|payment|unaccepted_terms/, REJECTED],
  [/concurrent|rate_limit|system_busy|resource_exhausted|\b429\b/, { kind: 'rate-limited', retryable: true }],
  [/auth|api_key|permission|\b40[13]\b/, { kind: 'unauthorized', retryable: false }],
  [/not_found|invalid|unsupported|not_supported|input_error|chunk_size|\b4(?:00|04|13|22)\b/, REJECTED],
]

const MAX_CODE_CHARACTERS = 64

/** Builds the failure for an error message. Only error codes are used, because error texts can quote spoken text. */
export function toErrorFailure(codes: readonly unknown[]): SpeechFailure {
  const knownCodes = codes.map(toErrorCode).filter((code) => code !== '')
  const description = knownCodes.length === 0 ? '' : ` (${[...new Set(knownCodes)].join(', ')})`
  const joinedCodes = knownCodes.join(' ')
  const [, failureClass = UNAVAILABLE] = FAILURE_CLASSES.find(([pattern]) => pattern.test(joinedCodes)) ?? []
  return { ...failureClass, message: `The provider reported an error${description}.` }
}

function toErrorCode(value: unknown): string {
  const code = typeof value === 'number' ? String(value) : toText(value).slice(0, MAX_CODE_CHARACTERS + 1)
  return code.length <= MAX_CODE_CHARACTERS && /^[a-z0-9][a-z0-9_]*$/.test(code) ? code : ''
}

/** Returns the first field that is present, because builds of the API differ in their naming. */
export function findField(fields: JsonFields, names: readonly string[]): unknown {
  for (const name of names) {
    if (fields[name] !== undefined && fields[name] !== null) return fields[name]
  }
  return undefined
}
