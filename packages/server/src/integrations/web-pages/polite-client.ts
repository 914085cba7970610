import type { Clock } from '@parley/engine/ports'
import { findUrlProblem, isRedirect, parseRetryAfterMs } from '../../platform/outbound/outbound-headers.ts'
import type { OutboundResponse, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import {
  CANCELLED,
  CRAWLER_NAME,
  createPageFailure,
  NO_ANSWER,
  type PageFailure,
  refused,
  TOO_BUSY,
  toRequestFailure,
} from './page-failure.ts'
import type { PoliteGate, UnresponsiveSites } from './polite-gate.ts'
import type { RobotsCache } from './robots-cache.ts'

/** A response other than a redirect, with any status. */
export interface PoliteAnswer {
  readonly ok: true
  readonly status: number
  readonly headers: OutboundResponse['headers']
  readonly body: Buffer
  /** Address of the response, without a fragment. */
  readonly url: URL
}

export interface PoliteRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  /** Name in messages, as in "The page". */
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
  /** Minimum time between two requests to one origin. */
  readonly pauseMs: number
}

/** Time limit of all hops, not counting the wait for other requests. */
const TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
const MAX_CRAWL_DELAY_MS = 10_000
const MAX_PAUSE_MS = 60 * 60 * 1000

/** One request of a redirect chain. */
interface Hop {
  readonly url: URL
  readonly remainingMs: number
}

/** Creates a function that fetches pages as robots.txt allows, including the robots.txt of each redirect's site. */
export function createPoliteGet(options: PoliteClientOptions): PoliteGet {
  return async (request) => {
    let url = removeFragment(URL.parse(request.url))
    let remainingMs = TIMEOUT_MS
    const seen = new Set<string>()
    for (let redirects = 0; ; redirects += 1) {
      if (url === null) return createPageFailure(`${request.what} redirects to an invalid address.`, false)
      const problem = findUrlProblem(url)
      if (problem !== null)
        return refused(redirects === 0 ? problem : `${request.what} redirects elsewhere. ${problem}`)
      if (seen.has(url.href)) return createPageFailure(`${request.what} redirects in a loop.`, false)
      if (redirects > MAX_REDIRECTS) return createPageFailure(`${request.what} redirects too often.`, false)
      seen.add(url.href)
      const startedMs = { at: 0 }
      const answer = await sendPolitely({ url, remainingMs }, request, { ...options, startedMs })
      if (!answer.ok) return answer
      remainingMs -= options.clock.now() - startedMs.at
      const { location } = answer.headers
      if (!isRedirect(answer.status, location)) return { ...answer, url }
      url = removeFragment(URL.parse(location, url.href))
    }
  }
}

interface SendOptions extends PoliteClientOptions {
  /** Time when the request started. */
  readonly startedMs: { at: number }
}

async function sendPolitely(
  hop: Hop,
  request: PoliteRequest,
  options: SendOptions,
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
    // Other requests may have marked the site as silent since the check.
    if (silent.isSilent(url.origin)) return NO_ANSWER
    return await sendHop(hop, request, options)
  } finally {
    entry.leave()
  }
}

async function sendHop(
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
  if (!outcome.ok) return toRequestFailure(outcome, what, maxBytes)
  if (outcome.status === 429 || outcome.status === 503) {
    const waitMs = parseRetryAfterMs(outcome.headers['retry-after'], clock.now())
    if (waitMs !== null) gate.pauseUntil(url.origin, clock.now() + Math.min(waitMs, MAX_PAUSE_MS))
  }
  return outcome
}

function removeFragment(url: URL | null): URL | null {
  if (url !== null) url.hash = ''
  return url
}
