/** What a new workspace has of what it needs; `null`: not known yet, or not for this person to know. */
export interface SetupFacts {
  readonly hasKey: boolean | null
  readonly hasAgent: boolean | null
  readonly hasTalked: boolean | null
  readonly hasNumber: boolean | null
}

export type SetupStepName = 'key' | 'agent' | 'talk' | 'number'

export interface SetupStep {
  readonly name: SetupStepName
  readonly isDone: boolean
}

/** The way from nothing to an agent that answers a number. */
export function setupSteps({ hasKey, hasAgent, hasTalked, hasNumber }: SetupFacts): readonly SetupStep[] {
  const all = [
    { name: 'key', fact: hasKey },
    { name: 'agent', fact: hasAgent },
    { name: 'talk', fact: hasTalked },
    { name: 'number', fact: hasNumber },
  ] as const
  return all.flatMap(({ name, fact }) => (fact === null ? [] : [{ name, isDone: fact }]))
}

/** The step that comes next; null when there is nothing left to do. */
export function nextStep(steps: readonly SetupStep[]): SetupStepName | null {
  return steps.find(({ isDone }) => !isDone)?.name ?? null
}
