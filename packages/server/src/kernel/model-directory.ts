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
