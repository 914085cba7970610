const INITIAL_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 2_000

/** How long a call waits for its caller to come back. */
export const RECONNECT_WITHIN_MS = 15_000

/**
 * Milliseconds until the next attempt to connect, or `null` when it is too late for one. `attempt` counts from 0; `sinceMs` is the
 * time since the connection was lost.
 */
export function backoffBeforeAttempt(attempt: number, sinceMs: number): number | null {
  const backoffMs = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** attempt)
  if (sinceMs >= RECONNECT_WITHIN_MS) return null
  return Math.min(backoffMs, RECONNECT_WITHIN_MS - sinceMs)
}
