/** Which models can be used now. */
export interface ModelDirectory {
  /** `null` when no configured provider serves the name. */
  resolve(name: string): unknown
  /** What can be named now, for messages. */
  configured(): readonly string[]
  readonly defaultModel: string
}

/** Which models each workspace can use: the operator's, and those that stored keys open. */
export interface ModelDirectories {
  /** As they are now; to be asked before a unit of work. */
  forWorkspace(workspaceId: number): Promise<ModelDirectory>
}

/** Sentences about models that were named and cannot be used now. */
export function modelWarnings(
  models: Pick<ModelDirectory, 'resolve' | 'configured'>,
  names: readonly string[],
): string[] {
  return [...new Set(names)]
    .filter((name) => models.resolve(name) === null)
    .map((name) => {
      const configured = models.configured().join(', ')
      return `No configured provider serves the model "${name}", so conversations with it fail. Configured: ${configured}.`
    })
}
