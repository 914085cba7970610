import type { ModelFailure } from '@parley/engine/ports'
import { parseRetryAfterMs } from '../../platform/outbound/outbound-headers.ts'
import { parseJson, toObject, toText } from './unknown-json.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Builds the failure for a broken or invalid stream. Another attempt can succeed. */
export function createProtocolFailure(message: string): ModelFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** Builds the failure for a response with a status other than 200. `nowMs` resolves dates. */
export function toStatusFailure(response: {
  readonly status: number
  readonly headers: Headers
  readonly bodyText: string
  readonly secret: string | undefined
  readonly nowMs: number
}): ModelFailure {
  const { status } = response
  const vendorMessage = sanitizeVendorText(extractErrorMessage(response.bodyText), response.secret)
  const message = `The provider responded with status ${status}${vendorMessage === '' ? '.' : `: ${vendorMessage}`}`
  if (status === 401 || status === 403) return { kind: 'unauthorized', message, retryable: false }
  const retryAfterMs = readRetryAfterMs(response.headers, response.nowMs)
  if (status === 429) return { kind: 'rate-limited', message, retryable: true, retryAfterMs }
  if (status === 408 || status === 409 || status >= 500) {
    return { kind: 'unavailable', message, retryable: true, retryAfterMs }
  }
  if (status < 300) return createProtocolFailure(`The provider responded with status ${status} instead of a stream.`)
  return { kind: 'rejected', message, retryable: false }
}

/** Builds the failure for an error object in a stream or body, based on the vendors' error names. */
export function toVendorFailure(error: unknown, secret: string | undefined): ModelFailure {
  const fields = toObject(error)
  const errorNames = `${toText(fields?.type)} ${toErrorCode(fields?.code)}`.toLowerCase()
  const vendorMessage = sanitizeVendorText(toText(fields?.message) || toText(error), secret)
  const message = `The provider ended the stream with an error${vendorMessage === '' ? '.' : `: ${vendorMessage}`}`
  if (/rate_?limit|insufficient_quota|\b429\b/.test(errorNames))
    return { kind: 'rate-limited', message, retryable: true }
  if (/authentication|permission|invalid_api_key|\b40[13]\b/.test(errorNames)) {
    return { kind: 'unauthorized', message, retryable: false }
  }
  if (/timeout/.test(errorNames)) return { kind: 'timeout', message, retryable: true }
  if (/invalid_request|not_found|request_too_large|billing|context_length|\b4(?:00|04|13|22)\b/.test(errorNames)) {
    return { kind: 'rejected', message, retryable: false }
  }
  return { kind: 'unavailable', message, retryable: true }
}

/** Builds the failure for a connection error from its code, because the error message contains addresses. */
export function toConnectionFailure(error: unknown): ModelFailure {
  const fields = toObject(error)
  const code = toText(fields?.code) || toText(fields?.name) || 'no code'
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return { kind: 'timeout', message: `The provider could not be reached in time (${code}).`, retryable: true }
  }
  // The outbound guard blocked the target, so a retry would also fail.
  if (code === 'BlockedTargetError') {
    return { kind: 'rejected', message: 'The address of the provider is not public.', retryable: false }
  }
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code)) {
    return { kind: 'timeout', message: `The provider stopped responding (${code}).`, retryable: true }
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return {
      kind: 'rejected',
      message: 'The request to the provider is not valid; check its address and key.',
      retryable: false,
    }
  }
  if (code.startsWith('HPE_') || code === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return createProtocolFailure(`The provider did not respond with valid HTTP (${code}).`)
  }
  return { kind: 'unavailable', message: `The connection to the provider failed (${code}).`, retryable: true }
}

/** Reads the delay from `retry-after-ms`, or from `Retry-After` as seconds or as a date. */
function readRetryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const milliseconds = getFirstValue(headers['retry-after-ms'])
  if (/^\d{1,12}(?:\.\d+)?$/.test(milliseconds)) return Number(milliseconds)
  return parseRetryAfterMs(getFirstValue(headers['retry-after']), nowMs) ?? undefined
}

function toErrorCode(code: unknown): string {
  return typeof code === 'number' ? String(code) : toText(code)
}

function getFirstValue(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? ''
}

function extractErrorMessage(bodyText: string): string {
  const body = parseJson(bodyText)
  // Some compatible servers return a list with one error, others return text in `error` or `detail`.
  const fields = toObject(Array.isArray(body) ? body[0] : body)
  if (fields === null) return bodyText
  const error = fields.error
  return toText(toObject(error)?.message) || toText(error) || toText(fields.message) || toText(fields.detail)
}

const MAX_MESSAGE_CHARACTERS = 240
// Long enough for any error message, and short enough to run the patterns below on hostile input.
const MAX_INSPECTED_CHARACTERS = 2_000

/** Replacements in order. Keys inside quotes must be replaced before the quotes. */
const REDACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.…-]{4,}/gi, '[key]'],
  [/\bAIza[\w-]{10,}/g, '[key]'],
  [/\bBearer\s+\S+/gi, '[key]'],
  [/\b(?:org|proj|user|acct)[-_][A-Za-z0-9]{6,}/g, '[account]'],
  [/(?<![^\s@"'<>])[^\s@"'<>]+@[^\s@"'<>]+/g, '[e-mail]'],
  [/\+?\d(?:[ ().-]?\d){9,}/g, '[number]'],
  // Quoted text can come from the prompt, so only parameter and model names are kept.
  [/"(?![\w.:/[\]-]{1,64}")[^"]{1,2000}("|$)/g, '"…"'],
  [/(?<![A-Za-z])'(?![\w.:/[\]-]{1,64}')[^']{1,2000}('|$)/g, "'…'"],
  [/`(?![\w.:/[\]-]{1,64}`)[^`]{1,2000}(`|$)/g, '`…`'],
  [/\b(?=[\w-]*\d)[\w-]{32,}/g, '[key]'],
]

/**
 * Returns a short, single-line excerpt of a vendor's message for logs and operators. Removes keys, accounts, addresses, phone
 * numbers and quoted prompt text. The excerpt can be empty.
 */
export function sanitizeVendorText(text: string, secret: string | undefined): string {
  let excerpt = text.slice(0, MAX_INSPECTED_CHARACTERS)
  if (secret !== undefined && secret.length > 0) excerpt = excerpt.replaceAll(secret, '[key]')
  excerpt = excerpt.replace(/[\p{C}\s]+/gu, ' ').trim()
  if (/^<(?:!doctype|html|\?xml)/i.test(excerpt)) return ''
  for (const [pattern, replacement] of REDACTIONS) excerpt = excerpt.replace(pattern, replacement)
  return excerpt.length > MAX_MESSAGE_CHARACTERS ? `${excerpt.slice(0, MAX_MESSAGE_CHARACTERS - 1)}…` : excerpt
}
