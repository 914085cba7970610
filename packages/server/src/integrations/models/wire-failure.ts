import type { ModelFailure } from '@parley/engine/ports'
import { retryAfterMs } from '../../platform/outbound/outbound-headers.ts'
import { asObject, asText, parseJson } from './unknown-json.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Failure of a broken or invalid stream; another attempt may succeed. */
export function protocolFailure(message: string): ModelFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** Maps an answer with another status than 200. `nowMs` resolves dates. */
export function failureOfStatus(answer: {
  readonly status: number
  readonly headers: Headers
  readonly bodyText: string
  readonly secret: string | undefined
  readonly nowMs: number
}): ModelFailure {
  const { status } = answer
  const said = sanitizeVendorText(errorMessageOf(answer.bodyText), answer.secret)
  const message = `The provider answered with status ${status}${said === '' ? '.' : `: ${said}`}`
  if (status === 401 || status === 403) return { kind: 'unauthorized', message, retryable: false }
  const retryAfterMs = retryAfterMsOf(answer.headers, answer.nowMs)
  if (status === 429) return { kind: 'rate-limited', message, retryable: true, retryAfterMs }
  if (status === 408 || status === 409 || status >= 500) {
    return { kind: 'unavailable', message, retryable: true, retryAfterMs }
  }
  if (status < 300) return protocolFailure(`The provider answered with status ${status} instead of a stream.`)
  return { kind: 'rejected', message, retryable: false }
}

/** Maps an error object of a stream or body by the error names of providers. */
export function failureOfVendorError(error: unknown, secret: string | undefined): ModelFailure {
  const fields = asObject(error)
  const names = `${asText(fields?.type)} ${codeOf(fields?.code)}`.toLowerCase()
  const said = sanitizeVendorText(asText(fields?.message) || asText(error), secret)
  const message = `The provider ended the stream with an error${said === '' ? '.' : `: ${said}`}`
  if (/rate_?limit|insufficient_quota|\b429\b/.test(names)) return { kind: 'rate-limited', message, retryable: true }
  if (/authentication|permission|invalid_api_key|\b40[13]\b/.test(names)) {
    return { kind: 'unauthorized', message, retryable: false }
  }
  if (/timeout/.test(names)) return { kind: 'timeout', message, retryable: true }
  if (/invalid_request|not_found|request_too_large|billing|context_length|\b4(?:00|04|13|22)\b/.test(names)) {
    return { kind: 'rejected', message, retryable: false }
  }
  return { kind: 'unavailable', message, retryable: true }
}

/** Maps a connection error by its code, since messages name addresses. */
export function failureOfConnection(error: unknown): ModelFailure {
  const fields = asObject(error)
  const code = asText(fields?.code) || asText(fields?.name) || 'no code'
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return { kind: 'timeout', message: `The provider could not be reached in time (${code}).`, retryable: true }
  }
  // The outbound guard blocked the target, so a retry would fail as well.
  if (code === 'BlockedTargetError') {
    return { kind: 'rejected', message: 'The address of the provider is not public.', retryable: false }
  }
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code)) {
    return { kind: 'timeout', message: `The provider went silent (${code}).`, retryable: true }
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return {
      kind: 'rejected',
      message: 'The request to the provider is not valid; check its address and key.',
      retryable: false,
    }
  }
  if (code.startsWith('HPE_') || code === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return protocolFailure(`The provider did not answer with valid HTTP (${code}).`)
  }
  return { kind: 'unavailable', message: `The connection to the provider failed (${code}).`, retryable: true }
}

/** `retry-after-ms`, or `Retry-After` as seconds or as a date. */
function retryAfterMsOf(headers: Headers, nowMs: number): number | undefined {
  const milliseconds = firstOf(headers['retry-after-ms'])
  if (/^\d{1,12}(?:\.\d+)?$/.test(milliseconds)) return Number(milliseconds)
  return retryAfterMs(firstOf(headers['retry-after']), nowMs) ?? undefined
}

function codeOf(code: unknown): string {
  return typeof code === 'number' ? String(code) : asText(code)
}

function firstOf(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? ''
}

function errorMessageOf(bodyText: string): string {
  const body = parseJson(bodyText)
  // Some compatible servers return a list with one error, others a text in `error` or `detail`.
  const fields = asObject(Array.isArray(body) ? body[0] : body)
  if (fields === null) return bodyText
  const error = fields.error
  return asText(asObject(error)?.message) || asText(error) || asText(fields.message) || asText(fields.detail)
}

const MAX_MESSAGE_CHARACTERS = 240
// Long enough for any error message, short enough to run the patterns below on hostile input.
const MAX_INSPECTED_CHARACTERS = 2_000

/** Ordered replacements: keys inside quotes must be replaced before the quotes. */
const REDACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.…-]{4,}/gi, '[key]'],
  [/\bAIza[\w-]{10,}/g, '[key]'],
  [/\bBearer\s+\S+/gi, '[key]'],
  [/\b(?:org|proj|user|acct)[-_][A-Za-z0-9]{6,}/g, '[account]'],
  [/(?<![^\s@"'<>])[^\s@"'<>]+@[^\s@"'<>]+/g, '[e-mail]'],
  [/\+?\d(?:[ ().-]?\d){9,}/g, '[number]'],
  // Quoted text may come from the prompt; only parameter and model names are kept.
  [/"(?![\w.:/[\]-]{1,64}")[^"]{1,2000}("|$)/g, '"…"'],
  [/(?<![A-Za-z])'(?![\w.:/[\]-]{1,64}')[^']{1,2000}('|$)/g, "'…'"],
  [/`(?![\w.:/[\]-]{1,64}`)[^`]{1,2000}(`|$)/g, '`…`'],
  [/\b(?=[\w-]*\d)[\w-]{32,}/g, '[key]'],
]

/**
 * A short, single-line excerpt of a provider's message for logs and operators, without keys, accounts, addresses, phone
 * numbers or quoted prompt text. May be empty.
 */
export function sanitizeVendorText(text: string, secret: string | undefined): string {
  let clean = text.slice(0, MAX_INSPECTED_CHARACTERS)
  if (secret !== undefined && secret.length > 0) clean = clean.replaceAll(secret, '[key]')
  clean = clean.replace(/[\p{C}\s]+/gu, ' ').trim()
  if (/^<(?:!doctype|html|\?xml)/i.test(clean)) return ''
  for (const [pattern, replacement] of REDACTIONS) clean = clean.replace(pattern, replacement)
  return clean.length > MAX_MESSAGE_CHARACTERS ? `${clean.slice(0, MAX_MESSAGE_CHARACTERS - 1)}…` : clean
}
