import type { Clock } from '@parley/engine/ports'
import { findUrlProblem, isRedirect, parseRetryAfterMs } from '../../platform/outbound/outbound-headers.ts'
import type { OutboundResponse, SendOutbound } from '../../platform/outbound/outbound-request.ts'
import {
  CANCELLED,
  CRAWLER_NAME,
  createDeniedFailure,
  createPageFailure,
  NO_RESPONSE,
  type PageFailure,
  TOO_BUSY,
  toRequestFailure,
} from './page-failure.ts'
import type { PoliteGate, UnresponsiveSites } from './polite-gate.ts'
import type { RobotsCache } from './robots-cache.ts'

/** A response other than a redirect, with any status. */
export interface PoliteResponse {
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
  /** Subject of messages, such as "The page". */
  readonly targetName: string
  readonly signal: AbortSignal
}

export type PoliteGet = (request: PoliteRequest) => Promise<PoliteResponse | PageFailure>

export interface PoliteClientOptions {
  readonly send: SendOutbound
  readonly clock: Clock
  readonly gate: PoliteGate
  readonly robots: RobotsCache
  readonly unresponsiveSites: UnresponsiveSites
  /** Minimum time between two requests to one origin. */
  readonly pauseMs: number
}

/** Total time limit of a redirect chain, excluding the time in the queue. */
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

/** Creates a function that fetches pages and follows redirects. It respects the robots.txt of each site. */
export function createPoliteGet(options: PoliteClientOptions): PoliteGet {
  return async (request) => {
    let url = removeFragment(URL.parse(request.url))
    let remainingMs = TIMEOUT_MS
    const visitedUrls = new Set<string>()
    for (let redirects = 0; ; redirects += 1) {
      if (url === null) return createPageFailure(`${request.targetName} redirects to an invalid address.`, false)
      const problem = findUrlProblem(url)
      if (problem !== null)
        return createDeniedFailure(redirects === 0 ? problem : `${request.targetName} redirects elsewhere. ${problem}`)
      if (visitedUrls.has(url.href)) return createPageFailure(`${request.targetName} redirects in a loop.`, false)
      if (redirects > MAX_REDIRECTS) return createPageFailure(`${request.targetName} redirects too often.`, false)
      visitedUrls.add(url.href)
      const timing = { startedAtMs: 0 }
      const response = await sendPolitely({ url, remainingMs }, request, { ...options, timing })
      if (!response.ok) return response
      remainingMs -= options.clock.now() - timing.startedAtMs
      const { location } = response.headers
      if (!isRedirect(response.status, location)) return { ...response, url }
      url = removeFragment(URL.parse(location, url.href))
    }
  }
}

interface SendOptions extends PoliteClientOptions {
  /** Set to the time when the request started. */
  readonly timing: { startedAtMs: number }
}

async function sendPolitely(
  hop: Hop,
  request: PoliteRequest,
  options: SendOptions,
): Promise<OutboundResponse | PageFailure> {
  const { url } = hop
  const { clock, gate, robots, unresponsiveSites, timing } = options
  if (request.signal.aborted) return CANCELLED
  const robotsResult = await robots.getRules(url.origin, request.signal)
  if (!robotsResult.ok) return robotsResult
  const { rules } = robotsResult
  if (!rules.isPathAllowed(`${url.pathname}${url.search}`)) {
    return createDeniedFailure(`The robots.txt of the site does not allow ${CRAWLER_NAME} to read this.`)
  }
  const crawlDelayMs = Math.min(rules.crawlDelayMs ?? 0, MAX_CRAWL_DELAY_MS)
  if (unresponsiveSites.isUnresponsive(url.origin)) return NO_RESPONSE
  const entry = await gate.enter(url.origin, Math.max(options.pauseMs, crawlDelayMs), request.signal)
  if (entry.kind !== 'entered') return entry.kind === 'cancelled' ? CANCELLED : TOO_BUSY
  timing.startedAtMs = clock.now()
  try {
    // Other requests may have marked the site as unresponsive since the check.
    if (unresponsiveSites.isUnresponsive(url.origin)) return NO_RESPONSE
    return await sendHop(hop, request, options)
  } finally {
    entry.leave()
  }
}

async function sendHop(
  { url, remainingMs }: Hop,
  { headers, maxBytes, targetName, signal }: PoliteRequest,
  { send, clock, gate, unresponsiveSites }: PoliteClientOptions,
): Promise<OutboundResponse | PageFailure> {
  if (remainingMs <= 0) return NO_RESPONSE
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
  if (outcome.ok) unresponsiveSites.recordOutcome(url.origin, 'answered')
  else if (outcome.reason === 'timeout') unresponsiveSites.recordOutcome(url.origin, 'timed-out')
  if (!outcome.ok) return toRequestFailure(outcome, targetName, maxBytes)
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
