/** Next action for an unanswered turn. */
export type LivenessStep = 'filler' | 'next-attempt' | 'give-up'

const STEPS: readonly { readonly step: LivenessStep; readonly afterMs: number }[] = [
  { step: 'filler', afterMs: 4_000 },
  { step: 'next-attempt', afterMs: 8_000 },
  { step: 'give-up', afterMs: 12_000 },
]

/** Last attempt; the first one is 0. */
export const LAST_ATTEMPT = 2
/** Shortest time before an attempt is replaced. */
const MIN_ATTEMPT_MS = 4_000

/** The next step and its delay; `null` after the last one. */
export function livenessStep(stepsTaken: number): { readonly step: LivenessStep; readonly afterMs: number } | null {
  return STEPS[stepsTaken] ?? null
}

/** Whether the next attempt replaces one that does not answer. */
export function canRetry(attempt: number, runningForMs: number): boolean {
  return attempt < LAST_ATTEMPT && runningForMs >= MIN_ATTEMPT_MS
}
