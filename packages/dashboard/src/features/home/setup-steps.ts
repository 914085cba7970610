/** The setup progress of a workspace. A field is null if it is loading or the user lacks permission. */
export interface SetupProgress {
  readonly hasDemoAgent: boolean
  readonly hasConversation: boolean | null
  /** Whether there is an agent other than the demo agents. */
  readonly hasAgent: boolean | null
  readonly hasProviderKey: boolean | null
  readonly hasUsedApi: boolean | null
}

export type SetupStepName = 'talk' | 'agent' | 'key' | 'api'

export interface SetupStep {
  readonly name: SetupStepName
  readonly isDone: boolean
}

/** Whether a name belongs to a demo agent. A renamed demo agent counts as the workspace's own agent. */
export function isDemoName(name: string): boolean {
  return name.trim().endsWith('(demo)')
}

/** Lists the setup steps of a workspace. With a demo agent, the first step is to talk to it. */
export function listSetupSteps({
  hasDemoAgent,
  hasConversation,
  hasAgent,
  hasProviderKey,
  hasUsedApi,
}: SetupProgress): readonly SetupStep[] {
  const talk = { name: 'talk', isDone: hasConversation } as const
  const agent = { name: 'agent', isDone: hasAgent } as const
  const steps = [
    ...(hasDemoAgent ? [talk, agent] : [agent, talk]),
    { name: 'key', isDone: hasProviderKey },
    { name: 'api', isDone: hasUsedApi },
  ] as const
  return steps.flatMap(({ name, isDone }) => (isDone === null ? [] : [{ name, isDone }]))
}
