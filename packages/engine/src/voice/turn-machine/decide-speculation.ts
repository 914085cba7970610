const MAX_SPECULATIONS = 3
const MAX_SPEECH_MS = 10_000

export interface SpeculationInput {
  readonly attempts: number
  readonly speechMs: number
  /** The transcriber will not rewrite the text. */
  readonly isStable: boolean
  readonly isToolRunning: boolean
}

/** Whether to ask the model before the turn has ended: only for text that is likely to stay. */
export function isSpeculationAllowed({ attempts, speechMs, isStable, isToolRunning }: SpeculationInput): boolean {
  return isStable && !isToolRunning && attempts < MAX_SPECULATIONS && speechMs <= MAX_SPEECH_MS
}
