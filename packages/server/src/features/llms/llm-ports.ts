import type { Reader, Transaction } from '../../kernel/database.ts'

/** What the LLM feature needs of others. */

/** Which models can be used now. */
export interface ModelDirectory {
  /** `null` when no configured provider serves the name. */
  resolve(name: string): unknown
  /** What can be named now, for messages. */
  configured(): readonly string[]
  readonly defaultModel: string
}

/** Lets agents follow a new version of their engine. */
export interface AgentFollowers {
  /** Makes the next version of every agent that follows; answers the names of those that stay, for a warning. */
  follow(
    transaction: Transaction,
    change: { readonly workspaceId: number; readonly engineId: string; readonly now: number },
  ): Promise<readonly string[]>
}

/** Who would break without an engine. */
export interface EngineUsers {
  usersOf(
    reader: Reader,
    workspaceId: number,
    engineId: string,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>
}
