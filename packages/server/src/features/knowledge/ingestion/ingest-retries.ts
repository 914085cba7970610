/** Between the starts of two readings of one site, which is not asked more often anyway. */
export const PAGE_INTERVAL_MS = 250

/** Attempts at what may pass by itself, the last of which counts. */
export const PAGE_ATTEMPTS = 5
export const DOCUMENT_ATTEMPTS = 3

const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000] as const
const LATER_RETRY_MS = 600_000

/** Wait after an attempt failed: a site that is down is not asked all the time. */
export function retryDelayMs(attempt: number): number {
  return RETRY_DELAYS_MS[attempt - 1] ?? LATER_RETRY_MS
}
