import type { OutboundRequest } from './outbound-request.ts'

export type HeaderMap = Readonly<Record<string, string>>

/** A token as defined in RFC 9110 §5.6.2. */
const VALID_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Latin-1 without control characters except tabs, so that no line break can inject a header. */
const VALID_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Maximum length of all names and values, twice what most servers accept. */
const MAX_HEADER_CHARACTERS = 32_768

/** Headers of the connection or message framing. Values that callers set are dropped. */
const CONNECTION_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that are sent to another origin after a redirect. */
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent'])

/** Returns the headers to send, with lower-case names, or a sentence that describes the invalid header. */
export function prepareHeaders(headers: HeaderMap): { headers: HeaderMap } | { problem: string } {
  const preparedHeaders: Record<string, string> = {}
  let characters = 0
  for (const [name, value] of Object.entries(headers)) {
    if (!VALID_NAME.test(name)) return { problem: 'A header name has characters that HTTP does not allow.' }
    if (!VALID_VALUE.test(value)) {
      return { problem: `The header "${name}" has a line break or another character that HTTP does not allow.` }
    }
    characters += name.length + value.length
    if (!CONNECTION_HEADERS.has(name.toLowerCase())) preparedHeaders[name.toLowerCase()] = value
  }
  return characters > MAX_HEADER_CHARACTERS ? { problem: 'The headers are too long.' } : { headers: preparedHeaders }
}

/** Returns the headers for a redirect to another origin: no credentials, cookies or custom headers. */
function filterHeadersForOtherOrigin(headers: HeaderMap): HeaderMap {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => CROSS_ORIGIN_HEADERS.has(name)))
}

/** Returns the headers for a redirect that drops the body. */
function removeBodyHeaders(headers: HeaderMap): HeaderMap {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
}

/** One request of a redirect chain. */
export interface Hop {
  readonly url: URL
  readonly method: OutboundRequest['method']
  readonly headers: HeaderMap
  readonly body: Buffer | string | undefined
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

/** Whether a response is a redirect. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return REDIRECT_STATUSES.has(status) && location !== undefined && location !== ''
}

/**
 * Builds the request that follows a redirect (Fetch standard, HTTP-redirect fetch), or returns null for an invalid URL. 303
 * changes all methods except GET and HEAD to GET; 301 and 302 change POST to GET.
 */
export function followRedirect(hop: Hop, status: number, location: string): Hop | null {
  if (!URL.canParse(location, hop.url.href)) return null
  const url = new URL(location, hop.url.href)
  const headers = url.origin === hop.url.origin ? hop.headers : filterHeadersForOtherOrigin(hop.headers)
  const becomesGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST')
  if (!becomesGet) return { url, method: hop.method, headers, body: hop.body }
  return { url, method: 'GET', headers: removeBodyHeaders(headers), body: undefined }
}

/**
 * Explains in one sentence why a URL cannot be requested. Returns null if it can be requested. `schemes` contains the
 * scheme without TLS, then the scheme with TLS.
 */
export function findUrlProblem(url: URL, schemes: readonly [string, string] = ['http', 'https']): string | null {
  const [plainScheme, secureScheme] = schemes
  if (url.protocol !== `${plainScheme}:` && url.protocol !== `${secureScheme}:`) {
    return `Only ${plainScheme} and ${secureScheme} addresses can be called.`
  }
  if (url.username !== '' || url.password !== '') return 'The address must not contain a user name or password.'
  return null
}

/**
 * Parses the pause in a `Retry-After` header (RFC 9110 §10.2.3): seconds or a date. Returns null if the header is absent or
 * invalid.
 */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,12}(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  const dateMs = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs)
}
