const MAX_SPECULATIONS = 3
const MAX_SPEECH_MS = 10_000

export interface SpeculationInput {
  readonly attempts: number
  readonly speechMs: number
  /** The recogniser will not rewrite what it said. */
  readonly isStable: boolean
  readonly isToolRunning: boolean
}

/** Whether it is worth asking the model before the turn is over: what is heard is likely to stay, and has not changed often. */
export function isSpeculationAllowed({ attempts, speechMs, isStable, isToolRunning }: SpeculationInput): boolean {
  return isStable && !isToolRunning && attempts < MAX_SPECULATIONS && speechMs <= MAX_SPEECH_MS
}
