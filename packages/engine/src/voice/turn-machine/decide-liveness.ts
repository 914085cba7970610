/** What a turn that nobody has answered yet comes to. */
export type LivenessStep = 'filler' | 'next-attempt' | 'give-up'

const STEPS: readonly { readonly step: LivenessStep; readonly afterMs: number }[] = [
  { step: 'filler', afterMs: 4_000 },
  { step: 'next-attempt', afterMs: 8_000 },
  { step: 'give-up', afterMs: 12_000 },
]

/** The first answer and two more tries. */
export const LAST_ATTEMPT = 2
/** An attempt that has just begun is not taken away again. */
const MIN_ATTEMPT_MS = 4_000

/** After how much waiting comes the next step; `null`: none is left. */
export function livenessStep(stepsTaken: number): { readonly step: LivenessStep; readonly afterMs: number } | null {
  return STEPS[stepsTaken] ?? null
}

/** Whether another attempt takes over from one that does not answer. */
export function canRetry(attempt: number, runningForMs: number): boolean {
  return attempt < LAST_ATTEMPT && runningForMs >= MIN_ATTEMPT_MS
}
