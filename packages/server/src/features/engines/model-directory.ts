/** Which models are usable now. */
export interface ModelDirectory {
  /** `null` when no configured vendor serves the name. */
  resolve(name: string): unknown
  /** Usable names, for messages. */
  configured(): readonly string[]
  readonly defaultModel: string
}

/** The models of each workspace: the operator's and those of stored keys. */
export interface ModelDirectories {
  /** The current models; call it before a transaction. */
  forWorkspace(workspaceId: number): Promise<ModelDirectory>
}

/** Warnings about named models that cannot be used now. */
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
