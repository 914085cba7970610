import type { Transaction } from '../../kernel/storage/database.ts'

/** Lets go of an agent that is deleted, in the transaction that deletes it. */
export interface AgentRemoval {
  agentRemoved(
    transaction: Transaction,
    removed: { readonly workspaceId: number; readonly agentId: string; readonly now: number },
  ): Promise<void>
}
