import type { Clock } from '@parley/engine/ports'
import { raceAbort } from '../../platform/outbound/deadline.ts'
import type { SendOutbound } from '../../platform/outbound/outbound-request.ts'
import {
  CANCELLED,
  CRAWLER_NAME,
  createDeniedFailure,
  createPageFailure,
  type PageFailure,
  TOO_BUSY,
  toRequestFailure,
} from './page-failure.ts'
import type { PoliteGate } from './polite-gate.ts'
import { NO_RULES, parseRobots, type RobotsRules } from './robots-rules.ts'

/** The rules of a site, or the reason why they could not be read. */
export type RobotsResult = { readonly ok: true; readonly rules: RobotsRules } | PageFailure

/** Caches the robots.txt rules of sites for an hour. */
export interface RobotsCache {
  getRules(origin: string, signal: AbortSignal): Promise<RobotsResult>
}

export interface RobotsCacheOptions {
  readonly send: SendOutbound
  readonly clock: Clock
  readonly gate: PoliteGate
  readonly pauseMs: number
  readonly headers: Readonly<Record<string, string>>
}

const TTL_MS = 60 * 60 * 1000
/** Failures are also cached, so that an unavailable site is not requested for each page. */
const FAILURE_TTL_MS = 60_000
const MAX_SITES = 1000
const TIMEOUT_MS = 15_000
const HEADERS_TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** Content after this limit is ignored (RFC 9309 §2.5). */
const MAX_PARSED_BYTES = 500 * 1024

interface CacheEntry {
  readonly result: Promise<RobotsResult>
  expiresAtMs: number
}

/** Creates a cache that fetches a site's robots.txt on first use. Concurrent callers share the request. */
export function createRobotsCache(options: RobotsCacheOptions): RobotsCache {
  const { clock } = options
  const sites = new Map<string, CacheEntry>()

  function getEntry(origin: string): CacheEntry {
    const existing = sites.get(origin)
    if (existing !== undefined && existing.expiresAtMs > clock.now()) return existing
    sites.delete(origin)
    const [oldest] = sites.keys()
    if (sites.size >= MAX_SITES && oldest !== undefined) sites.delete(oldest)
    const result = fetchRules(origin, options).then((rules) => {
      entry.expiresAtMs = clock.now() + (rules.ok ? TTL_MS : FAILURE_TTL_MS)
      return rules
    })
    const entry: CacheEntry = { result, expiresAtMs: Number.POSITIVE_INFINITY }
    sites.set(origin, entry)
    return entry
  }

  return {
    async getRules(origin, signal) {
      // One caller's cancellation does not end the shared request.
      return await raceAbort(getEntry(origin).result, signal).catch(() => CANCELLED)
    },
  }
}

const NEVER_ABORTED_SIGNAL = new AbortController().signal
const ROBOTS_FAILURE_MESSAGE =
  'The robots.txt of the site cannot be read at the moment, so no page of the site is fetched.'

async function fetchRules(origin: string, options: RobotsCacheOptions): Promise<RobotsResult> {
  const { send, gate, headers, pauseMs } = options
  const entry = await gate.enter(origin, pauseMs, NEVER_ABORTED_SIGNAL)
  if (entry.kind !== 'entered') return TOO_BUSY
  try {
    const outcome = await send({
      url: `${origin}/robots.txt`,
      method: 'GET',
      headers,
      timeoutMs: TIMEOUT_MS,
      headersTimeoutMs: HEADERS_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      maxRedirects: MAX_REDIRECTS,
    })
    if (outcome.ok) return parseRobotsResponse(outcome.status, outcome.body)
    // Too many redirects count as a missing robots.txt (RFC 9309 §2.3.1.2).
    if (outcome.reason === 'too-many-redirects') return { ok: true, rules: NO_RULES }
    if (outcome.reason === 'too-large') return createDeniedFailure('The robots.txt of the site is too large.')
    const failure = toRequestFailure(outcome, 'The robots.txt', MAX_RESPONSE_BYTES)
    return failure.reason === 'refused'
      ? failure
      : createPageFailure(`${ROBOTS_FAILURE_MESSAGE} ${failure.message}`, true)
  } finally {
    entry.leave()
  }
}

function parseRobotsResponse(status: number, body: Buffer): RobotsResult {
  if (status >= 500 || status === 429) return createPageFailure(`${ROBOTS_FAILURE_MESSAGE} (status ${status})`, true)
  if (status < 200 || status >= 300) return { ok: true, rules: NO_RULES }
  return { ok: true, rules: parseRobots(new TextDecoder().decode(body.subarray(0, MAX_PARSED_BYTES)), CRAWLER_NAME) }
}
