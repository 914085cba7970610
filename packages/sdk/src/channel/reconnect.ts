const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2_000

/** How long a call waits for its caller to come back. */
export const RECONNECT_WITHIN_MS = 15_000

/**
 * Milliseconds until the next attempt to connect, or `null` when it is too late for one. `attempt` counts from 0; `sinceMs` is the
 * time since the connection was lost.
 */
export function pauseBeforeAttempt(attempt: number, sinceMs: number): number | null {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
  if (sinceMs >= RECONNECT_WITHIN_MS) return null
  return Math.min(pauseMs, RECONNECT_WITHIN_MS - sinceMs)
}
