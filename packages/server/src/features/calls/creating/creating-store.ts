import type { Reader, Transaction } from '../../../kernel/storage/database.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { ResourceRow } from '../../../tables/resource-tables.ts'

/** Where an agent of either kind belongs; null when there is none of that id. */
export async function findAgent(
  reader: Reader,
  agentId: string,
): Promise<Pick<ResourceRow, 'workspace_id' | 'kind'> | null> {
  const row = await reader
    .selectFrom('resources')
    .select(['workspace_id', 'kind'])
    .where('resource_id', '=', agentId)
    .where('kind', 'in', ['agent', 'chat-agent'])
    .executeTakeFirst()
  return row ?? null
}

export async function insertCall(transaction: Transaction, row: CallRow): Promise<void> {
  await transaction.insertInto('calls').values(row).execute()
}
