import { type Kysely, sql } from 'kysely'

/** Adds the columns for the end of a chat: the next check, the reason, the storage setting and the analysis. */
export async function addChatEndings({ schema }: Kysely<unknown>): Promise<void> {
  for (const [name, type] of COLUMNS) await schema.alterTable('chats').addColumn(name, type).execute()
  await schema
    .alterTable('chats')
    .addColumn('analysis_usage', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  // The condition uses no other column, so turns do not update this index.
  await schema
    .createIndex('chats_due')
    .on('chats')
    .columns(['due_at', 'chat_id'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
}

/** Existing chats have null in these columns: they are neither closed for inactivity nor analyzed automatically. */
const COLUMNS = [
  ['close_after_ms', 'integer'],
  ['storage', 'text'],
  ['due_at', 'bigint'],
  ['delete_at', 'bigint'],
  ['end_reason', 'text'],
  ['end_told_at', 'bigint'],
  ['stored_as', 'text'],
  ['analysis', 'text'],
  ['analysed_at', 'bigint'],
] as const
