import type { JobHandler } from '../../kernel/work/jobs.ts'

/** How jobs that settle conversations are tried: alike for all kinds of them. */

/** Models that cannot be asked so often are not asked any more: the storage setting must not wait for them. */
const MODEL_ATTEMPTS = 5
/** About a quarter of an hour in all; from then on rules find out what they can, at once. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 1_000] as const
const LATER_RETRY_MS = 300_000
/** Two answers of each of a few models. */
const TIMEOUT_MS = 1_200_000

export const FINALIZE_RETRIES = {
  timeoutMs: TIMEOUT_MS,
  retryDelayMs: (attempt: number) => RETRY_DELAYS_MS[attempt - 1] ?? LATER_RETRY_MS,
} as const satisfies Omit<JobHandler, 'run'>

/** A conversation whose redaction took too long as often is stored without what was said. */
const REDACTION_ATTEMPTS = 3

/** Whether what cannot be redacted in time is left out from this attempt on. */
export function omitsUnredactedAt(attempt: number): boolean {
  return attempt >= REDACTION_ATTEMPTS
}

/** Whether models are still asked at this attempt; rules find out what they can otherwise. */
export function usesModelsAt(attempt: number): boolean {
  return attempt <= MODEL_ATTEMPTS
}
