/** What a workspace has; null where it is not known yet, or not for this person to know. */
export interface SetupFacts {
  readonly hasDemoAgent: boolean
  readonly hasTalked: boolean | null
  /** An agent other than the demo agents. */
  readonly hasAgent: boolean | null
  readonly hasKey: boolean | null
  readonly hasUsedApi: boolean | null
}

export type SetupStepName = 'talk' | 'agent' | 'key' | 'api'

export interface SetupStep {
  readonly name: SetupStepName
  readonly isDone: boolean
}

/** Demo agents are recognized by their names: an agent that was renamed belongs to the workspace. */
export function isDemoName(name: string): boolean {
  return name.trim().endsWith('(demo)')
}

/** The steps from a new workspace to conversations in a product. With a demo agent, talking to it is the first step. */
export function setupSteps({
  hasDemoAgent,
  hasTalked,
  hasAgent,
  hasKey,
  hasUsedApi,
}: SetupFacts): readonly SetupStep[] {
  const talk = { name: 'talk', fact: hasTalked } as const
  const agent = { name: 'agent', fact: hasAgent } as const
  const all = [
    ...(hasDemoAgent ? [talk, agent] : [agent, talk]),
    { name: 'key', fact: hasKey },
    { name: 'api', fact: hasUsedApi },
  ] as const
  return all.flatMap(({ name, fact }) => (fact === null ? [] : [{ name, isDone: fact }]))
}
