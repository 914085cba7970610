import type { Clock } from '@parley/engine/ports'
import { raceAbort } from '../../platform/outbound/deadline.ts'
import type { SendOutbound } from '../../platform/outbound/outbound-request.ts'
import {
  CANCELLED,
  CRAWLER_NAME,
  createPageFailure,
  type PageFailure,
  refused,
  TOO_BUSY,
  toRequestFailure,
} from './page-failure.ts'
import type { PoliteGate } from './polite-gate.ts'
import { NO_RULES, parseRobots, type RobotsRules } from './robots-rules.ts'

/** Rules of a site, or the reason why they could not be read. */
export type FoundRules = { readonly ok: true; readonly rules: RobotsRules } | PageFailure

/** Rules of sites, cached for an hour. */
export interface RobotsCache {
  rulesOf(origin: string, signal: AbortSignal): Promise<FoundRules>
}

export interface RobotsCacheOptions {
  readonly send: SendOutbound
  readonly clock: Clock
  readonly gate: PoliteGate
  readonly pauseMs: number
  readonly headers: Readonly<Record<string, string>>
}

const KEPT_MS = 60 * 60 * 1000
/** Failures are also cached, so that an unavailable site is not requested for each page. */
const FAILURE_TTL_MS = 60_000
const MAX_SITES = 1000
const TIMEOUT_MS = 15_000
const HEADERS_TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** Content after this limit is ignored (RFC 9309 §2.5). */
const READ_BYTES = 500 * 1024

interface Kept {
  readonly found: Promise<FoundRules>
  untilMs: number
}

/** Creates a cache that fetches a site's robots.txt on first use. Concurrent callers share the request. */
export function createRobotsCache(options: RobotsCacheOptions): RobotsCache {
  const { clock } = options
  const sites = new Map<string, Kept>()

  function keepRules(origin: string): Kept {
    const known = sites.get(origin)
    if (known !== undefined && known.untilMs > clock.now()) return known
    sites.delete(origin)
    const [oldest] = sites.keys()
    if (sites.size >= MAX_SITES && oldest !== undefined) sites.delete(oldest)
    const found = fetchRules(origin, options).then((rules) => {
      kept.untilMs = clock.now() + (rules.ok ? KEPT_MS : FAILURE_TTL_MS)
      return rules
    })
    const kept: Kept = { found, untilMs: Number.POSITIVE_INFINITY }
    sites.set(origin, kept)
    return kept
  }

  return {
    async rulesOf(origin, signal) {
      // Cancellation by one caller does not end the shared request.
      return await raceAbort(keepRules(origin).found, signal).catch(() => CANCELLED)
    },
  }
}

const NOBODY = new AbortController().signal
const ROBOTS_UNREADABLE = 'The robots.txt of the site cannot be read now, so nothing is fetched from it.'

async function fetchRules(origin: string, options: RobotsCacheOptions): Promise<FoundRules> {
  const { send, gate, headers, pauseMs } = options
  const entry = await gate.enter(origin, pauseMs, NOBODY)
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
    if (outcome.ok) return parseRulesAnswer(outcome.status, outcome.body)
    // Too many redirects count as a missing robots.txt (RFC 9309 §2.3.1.2).
    if (outcome.reason === 'too-many-redirects') return { ok: true, rules: NO_RULES }
    if (outcome.reason === 'too-large') return refused('The robots.txt of the site is too large.')
    const failure = toRequestFailure(outcome, 'The robots.txt', MAX_RESPONSE_BYTES)
    return failure.reason === 'refused' ? failure : createPageFailure(`${ROBOTS_UNREADABLE} ${failure.message}`, true)
  } finally {
    entry.leave()
  }
}

function parseRulesAnswer(status: number, body: Buffer): FoundRules {
  if (status >= 500 || status === 429) return createPageFailure(`${ROBOTS_UNREADABLE} (status ${status})`, true)
  if (status < 200 || status >= 300) return { ok: true, rules: NO_RULES }
  return { ok: true, rules: parseRobots(new TextDecoder().decode(body.subarray(0, READ_BYTES)), CRAWLER_NAME) }
}
