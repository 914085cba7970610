import type { Kysely } from 'kysely'

/** Adds the state for rewinding chats, and their agent handoffs. */
export async function addDialogueState({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('turns').addColumn('state', 'text').execute()
  await schema
    .alterTable('chats')
    .addColumn('hand_overs', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await schema
    .alterTable('chats')
    .addColumn('rewind_count', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
