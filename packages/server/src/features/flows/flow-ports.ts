import type { Transaction } from '../../kernel/database.ts'

/** What the flows feature needs of others. */

/** Lets agents follow a new version of their flow. */
export interface AgentFollowers {
  /** Makes the next version of every agent that follows; answers the names of those that stay, for a warning. */
  follow(
    transaction: Transaction,
    change: { readonly workspaceId: number; readonly engineId: string; readonly now: number },
  ): Promise<readonly string[]>
}
