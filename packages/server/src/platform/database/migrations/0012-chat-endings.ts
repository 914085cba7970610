import { type Kysely, sql } from 'kysely'

/** What becomes of a chat: when it is looked at next, how it ended, what of it is stored, and what was found out about it. */
export async function chatEndings({ schema }: Kysely<unknown>): Promise<void> {
  for (const [name, type] of COLUMNS) await schema.alterTable('chats').addColumn(name, type).execute()
  await schema
    .alterTable('chats')
    .addColumn('analysis_usage', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  // Its only column and no other in the condition: turns, which change neither, leave it alone.
  await schema
    .createIndex('chats_due')
    .on('chats')
    .columns(['due_at', 'chat_id'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
}

/** Chats from before have none of it: they are neither closed for silence nor analysed by themselves. */
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
