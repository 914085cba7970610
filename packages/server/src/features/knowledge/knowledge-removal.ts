import type { Transaction } from '../../kernel/storage/database.ts'

/** Lets go of a knowledge base that is deleted, in the transaction that deletes it. */
export interface KnowledgeRemoval {
  knowledgeBaseRemoved(
    transaction: Transaction,
    removed: { readonly workspaceId: number; readonly knowledgeBaseId: string; readonly now: number },
  ): Promise<void>
}
