const TRIES = 3
const LONGEST_SPEECH_MS = 10_000

export interface SpeculationChance {
  readonly tries: number
  readonly speechMs: number
  /** The recogniser will not rewrite what it said. */
  readonly isStable: boolean
  readonly isToolRunning: boolean
}

/** Whether it is worth asking the model before the turn is over: what is heard is likely to stay, and has not changed often. */
export function maySpeculate({ tries, speechMs, isStable, isToolRunning }: SpeculationChance): boolean {
  return isStable && !isToolRunning && tries < TRIES && speechMs <= LONGEST_SPEECH_MS
}
