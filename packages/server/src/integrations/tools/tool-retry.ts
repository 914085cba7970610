import { retryAfterMs } from '../../platform/outbound/outbound-headers.ts'
import type { OutboundOutcome } from '../../platform/outbound/outbound-request.ts'

/** First pause; doubled with each further attempt. */
const FIRST_PAUSE_MS = 500
/** A caller is waiting: neither our pause nor one that the server asks for is longer. */
const LONGEST_PAUSE_MS = 10_000

export interface RetryState {
  /** Attempts already made, at least 1. */
  readonly attempts: number
  readonly maxRetry: number
  readonly nowMs: number
}

/**
 * How long to wait before the next attempt, or `null` when the outcome stands: after success, when attempts are used up,
 * for what would fail the same way again, and when the server asks for a longer pause than a caller should wait.
 */
export function retryPauseMs(outcome: OutboundOutcome, state: RetryState): number | null {
  if (state.attempts > state.maxRetry) return null
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (state.attempts - 1), LONGEST_PAUSE_MS)
  if (!outcome.ok) return outcome.reason === 'network' || outcome.reason === 'timeout' ? backoffMs : null
  if (outcome.status !== 429 && outcome.status < 500) return null
  const askedMs = retryAfterMs(outcome.headers['retry-after'], state.nowMs)
  if (askedMs === null) return backoffMs
  return askedMs <= LONGEST_PAUSE_MS ? askedMs : null
}
