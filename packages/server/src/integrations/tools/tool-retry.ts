import { parseRetryAfterMs } from '../../platform/outbound/outbound-headers.ts'
import type { OutboundOutcome } from '../../platform/outbound/outbound-request.ts'

/** First pause, which doubles with each attempt. */
const FIRST_PAUSE_MS = 500
/** Limit of all pauses, because a caller is waiting. */
const MAX_PAUSE_MS = 10_000

export interface RetryState {
  /** Number of attempts so far, at least 1. */
  readonly attempts: number
  readonly maxRetry: number
  readonly nowMs: number
}

/**
 * Returns the pause before the next attempt, or null to stop: after success, a permanent failure or the last attempt, or if the
 * server requests too long a pause.
 */
export function getRetryPauseMs(outcome: OutboundOutcome, state: RetryState): number | null {
  if (state.attempts > state.maxRetry) return null
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (state.attempts - 1), MAX_PAUSE_MS)
  if (!outcome.ok) return outcome.reason === 'network' || outcome.reason === 'timeout' ? backoffMs : null
  if (outcome.status !== 429 && outcome.status < 500) return null
  const requestedMs = parseRetryAfterMs(outcome.headers['retry-after'], state.nowMs)
  if (requestedMs === null) return backoffMs
  return requestedMs <= MAX_PAUSE_MS ? requestedMs : null
}
