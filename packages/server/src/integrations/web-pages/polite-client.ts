import type { Clock } from '@parley/engine/ports'
import { isRedirect, retryAfterMs, urlProblem } from '../../platform/outbound/outbound-headers.ts'
import type { OutboundResponse, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import {
  CANCELLED,
  CRAWLER_NAME,
  failed,
  failureOf,
  NO_ANSWER,
  type PageFailure,
  refused,
  TOO_BUSY,
} from './page-failure.ts'
import type { PoliteGate, UnresponsiveSites } from './polite-gate.ts'
import type { RobotsCache } from './robots-cache.ts'

/** An answer that is no redirect, whatever its status. */
export interface PoliteAnswer {
  readonly ok: true
  readonly status: number
  readonly headers: OutboundResponse['headers']
  readonly body: Buffer
  /** Where it came from, without fragment. */
  readonly url: URL
}

export interface PoliteRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  /** How sentences call it, as in "The page". */
  readonly what: string
  readonly signal: AbortSignal
}

export type PoliteGet = (request: PoliteRequest) => Promise<PoliteAnswer | PageFailure>

export interface PoliteClientOptions {
  readonly send: SendOutbound
  readonly clock: Clock
  readonly gate: PoliteGate
  readonly robots: RobotsCache
  readonly silent: UnresponsiveSites
  /** Between two starts at one origin at least. */
  readonly pauseMs: number
}

/** For all hops together, without the time that others were let go first. */
const TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
const MAX_CRAWL_DELAY_MS = 10_000
const MAX_PAUSE_MS = 60 * 60 * 1000

/** One request on the way to the answer. */
interface Hop {
  readonly url: URL
  readonly remainingMs: number
}

/** Asks as robots.txt allows it, and at each redirect what the site that it leads to allows. */
export function createPoliteGet(options: PoliteClientOptions): PoliteGet {
  return async (request) => {
    let url = withoutFragment(URL.parse(request.url))
    let remainingMs = TIMEOUT_MS
    const seen = new Set<string>()
    for (let redirects = 0; ; redirects += 1) {
      if (url === null) return failed(`${request.what} redirects to an address that is not valid.`, false)
      const problem = urlProblem(url)
      if (problem !== null)
        return refused(redirects === 0 ? problem : `${request.what} redirects elsewhere. ${problem}`)
      if (seen.has(url.href)) return failed(`${request.what} redirects in a circle.`, false)
      if (redirects > MAX_REDIRECTS) return failed(`${request.what} redirects too often.`, false)
      seen.add(url.href)
      const startedMs = { at: 0 }
      const answer = await sendPolitely({ url, remainingMs }, request, { ...options, startedMs })
      if (!answer.ok) return answer
      remainingMs -= options.clock.now() - startedMs.at
      const { location } = answer.headers
      if (!isRedirect(answer.status, location)) return { ...answer, url }
      url = withoutFragment(URL.parse(location, url.href))
    }
  }
}

interface Asking extends PoliteClientOptions {
  /** When its turn came. */
  readonly startedMs: { at: number }
}

async function sendPolitely(
  hop: Hop,
  request: PoliteRequest,
  options: Asking,
): Promise<OutboundResponse | PageFailure> {
  const { url } = hop
  const { clock, gate, robots, silent, startedMs } = options
  if (request.signal.aborted) return CANCELLED
  const found = await robots.rulesOf(url.origin, request.signal)
  if (!found.ok) return found
  const { rules } = found
  if (!rules.allows(`${url.pathname}${url.search}`)) {
    return refused(`The robots.txt of the site does not allow ${CRAWLER_NAME} to read this.`)
  }
  const crawlDelayMs = Math.min(rules.crawlDelayMs ?? 0, MAX_CRAWL_DELAY_MS)
  if (silent.isSilent(url.origin)) return NO_ANSWER
  const entry = await gate.enter(url.origin, Math.max(options.pauseMs, crawlDelayMs), request.signal)
  if (entry.kind !== 'entered') return entry.kind === 'cancelled' ? CANCELLED : TOO_BUSY
  startedMs.at = clock.now()
  try {
    // Those before it may have found out while it waited.
    if (silent.isSilent(url.origin)) return NO_ANSWER
    return await ask(hop, request, options)
  } finally {
    entry.leave()
  }
}

async function ask(
  { url, remainingMs }: Hop,
  { headers, maxBytes, what, signal }: PoliteRequest,
  { send, clock, gate, silent }: PoliteClientOptions,
): Promise<OutboundResponse | PageFailure> {
  if (remainingMs <= 0) return NO_ANSWER
  const outcome = await send({
    url: url.href,
    method: 'GET',
    headers,
    signal,
    timeoutMs: remainingMs,
    headersTimeoutMs: Math.min(HEADERS_TIMEOUT_MS, remainingMs),
    maxResponseBytes: maxBytes,
    maxRedirects: 0,
  })
  if (outcome.ok) silent.note(url.origin, 'answered')
  else if (outcome.reason === 'timeout') silent.note(url.origin, 'timed-out')
  if (!outcome.ok) return failureOf(outcome, what, maxBytes)
  if (outcome.status === 429 || outcome.status === 503) {
    const waitMs = retryAfterMs(outcome.headers['retry-after'], clock.now())
    if (waitMs !== null) gate.pauseUntil(url.origin, clock.now() + Math.min(waitMs, MAX_PAUSE_MS))
  }
  return outcome
}

function withoutFragment(url: URL | null): URL | null {
  if (url !== null) url.hash = ''
  return url
}
