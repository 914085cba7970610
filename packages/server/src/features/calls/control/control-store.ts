import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { CallRow } from '../../../tables/call-tables.ts'

/** What can be changed of a call at any time. */
export type ChangedColumns = Partial<Pick<CallRow, 'metadata' | 'custom_attributes' | 'override_variables'>>

export function changeCall(
  { compile }: Pick<Database, 'compile'>,
  callId: string,
  columns: ChangedColumns & Pick<CallRow, 'updated_at'>,
): BatchStatement {
  return { query: compile.updateTable('calls').set(columns).where('call_id', '=', callId).compile() }
}
