import type { IncomingHttpHeaders } from 'node:http'
import type { RawAnswer } from '../full/raw-request.ts'

/** Compares the responses of two servers to the same request, ignoring random values and times. */
export interface AnswerComparison {
  /** Translates a request to the first server for the second server. */
  translate(text: string): string
  /** Pairs two random values, such as generated numbers, which then count as equal. */
  pair(first: string, second: string): void
  /**
   * The first difference; null when there is none. Ids that are new stand for each other from now on. `isSettled`: nothing is
   * under way any more in either.
   */
  difference(first: RawAnswer, second: RawAnswer, isSettled?: boolean): string | null
}

/** Values that only share their form: ids, secrets, UUIDs, slugs, tokens in links and cookies, signatures and times. */
const VARYING =
  /[a-z]+(?:_[a-z]+)*_(?:[0-9a-f]{64}|[0-9a-f]{26})|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=tenant-|provider-)[0-9a-f]{8}(?![\w-])|(?<=#token=|parley_session=)[\w-]{43}|(?<=(?:join|listen)\.call_[0-9a-f]{26}\.|\?expires=)\d{13}(?:\.|&signature=)[\w-]{43}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
/** A time with its signature. */
const SIGNED = /^\d{13}(?:\.|&signature=)[\w-]{43}$/
/** A secret without a prefix. */
const TOKEN = /^[\w-]{43}$/
const TIME = /^\d{4}-\d\d-\d\dT/

/** Both servers get the request at once, but the machine may be busy. */
const CLOCK_TOLERANCE_MS = 30_000
/** Clock times in responses are within this distance. Other times come from requests. */
const MAX_CLOCK_DISTANCE_MS = 20 * 86_400_000

/** Measured, or signed over ids: by their names, or by their places where others of that name are not. */
const MEASURED_FIELDS: ReadonlySet<string> = new Set([
  ...['latencyP50Ms', 'latencyP95Ms', 'latency_ms', 'latencyMs', 'firstTextMs'],
  ...['body.durationMs', 'body.record.value'],
])
/** Written after the response, so the next response may or may not contain it. */
const WRITTEN_AFTER_ANSWER: ReadonlySet<string> = new Set(['lastUsedAt'])
/** Written some time after the response, then unchanged. */
const EVENTUAL_FIELDS: ReadonlySet<string> = new Set(['chatAnalysis'])
/** Fields of knowledge bases and sources that are known once the sources are processed. */
const INGESTION_FIELDS: ReadonlySet<string> = new Set([
  ...['status', 'error', 'contentType', 'title', 'size', 'characters', 'pageCount', 'chunkCount', 'refreshedAt'],
  // The first page of a site may or may not exist yet.
  ...['sources', 'sourceCount'],
])

const HEADERS = ['content-type', 'etag', 'x-has-more', 'x-next-pagination-key-version', 'x-ignored-fields', 'allow']
const SECURITY_HEADERS = ['www-authenticate', 'location', 'idempotent-replayed', 'set-cookie', 'cache-control', 'vary']
/** Their values contain encoded ids. */
const PRESENCE_ONLY_HEADERS = ['link', 'x-next-pagination-key', 'retry-after']

export function createAnswerComparison(): AnswerComparison {
  const seconds = new Map<string, string>()
  const firsts = new Map<string, string>()
  const literals: (readonly [string, string])[] = []
  const withLiterals = (text: string): string => literals.reduce((now, [from, to]) => now.replaceAll(from, to), text)

  function isPair(first: string, second: string): boolean {
    if (TIME.test(first)) return isSameTime(first, second)
    if (!seconds.has(first) && !firsts.has(second)) {
      if (kindOf(first) !== kindOf(second)) return false
      seconds.set(first, second)
      firsts.set(second, first)
      // In requests, they look like other texts.
      if (TOKEN.test(first)) literals.push([first, second])
    }
    return seconds.get(first) === second
  }

  function isSameText(first: string, second: string): boolean {
    const translated = withLiterals(first)
    if (translated === second) return true
    if (translated.replaceAll(VARYING, '~') !== second.replaceAll(VARYING, '~')) return false
    const others = second.match(VARYING) ?? []
    return (translated.match(VARYING) ?? []).every((one, index) => isPair(one, others[index] ?? ''))
  }

  function differenceOf(first: unknown, second: unknown, path: string, isSettled = true): string | null {
    const key = path.slice(path.lastIndexOf('.') + 1)
    if (WRITTEN_AFTER_ANSWER.has(key) || (EVENTUAL_FIELDS.has(key) && !isSettled)) return null
    if ((MEASURED_FIELDS.has(key) || MEASURED_FIELDS.has(path)) && typeof first === typeof second) return null
    if (typeof first === 'string' && typeof second === 'string' && isSameText(first, second)) return null
    if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null) {
      return Object.is(first, second) ? null : `${path}: ${JSON.stringify(first)} / ${JSON.stringify(second)}`
    }
    const [keys, others] = [Object.keys(first), Object.keys(second)].map((names) => names.map(withLiterals))
    if (Array.isArray(first) !== Array.isArray(second) || !isSameText(String(keys), String(others))) {
      return `${path} has ${shorten(first)} / ${shorten(second)}`
    }
    const items = Object.values(second) as unknown[]
    const isIngesting = !isSettled && ('source_id' in first || 'sourceCount' in first)
    for (const [index, [name, item]] of Object.entries(first).entries()) {
      if (isIngesting && INGESTION_FIELDS.has(name)) continue
      const found = differenceOf(item, items[index], `${path}.${name}`, isSettled)
      if (found !== null) return found
    }
    return null
  }

  return {
    translate: (text) => withLiterals(text).replaceAll(VARYING, (one) => seconds.get(one) ?? one),
    pair: (first, second) => {
      if (first.search(VARYING) === 0) isPair(first, second)
      else if (first !== second) literals.push([first, second])
    },
    difference: (first, second, isSettled = false) =>
      differenceOf(first.status, second.status, 'status') ??
      differenceOf(readBody(first), readBody(second), 'body', isSettled) ??
      differenceOf(pickHeaders(first.headers), pickHeaders(second.headers), 'headers'),
  }
}

/** Returns the kind of an id. */
const kindOf = (value: string): string =>
  TOKEN.test(value) || SIGNED.test(value) ? '' : value.replace(/[0-9a-f-]{26,}$|^[0-9a-f]{8}$/, '')

function isSameTime(first: string, second: string): boolean {
  const [one, other] = [Date.parse(first), Date.parse(second)]
  const isCurrentTime = Math.abs(one - Date.now()) < MAX_CLOCK_DISTANCE_MS
  return isCurrentTime ? Math.abs(one - other) < CLOCK_TOLERANCE_MS : one === other
}

/** Streams are compared by events, because their text can be split differently. */
function readBody({ headers, text }: RawAnswer): unknown {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/json') && text !== '') return JSON.parse(text)
  if (!type.startsWith('text/event-stream')) return text
  const frames = text.split('\n\n').map((frame) => frame.replace(/^id: \d+\n/, ''))
  return frames.filter((frame) => !frame.startsWith('event: message.delta') && !frame.startsWith(':'))
}

function pickHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, unknown>> {
  const values = [...HEADERS, ...SECURITY_HEADERS].map((name) => [name, String(headers[name] ?? '')])
  return Object.fromEntries([...values, ...PRESENCE_ONLY_HEADERS.map((name) => [name, headers[name] !== undefined])])
}

const shorten = (value: unknown): string => JSON.stringify(value).slice(0, 300)
