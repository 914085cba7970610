import type { Kysely } from 'kysely'
import { key, referenceTo, required } from './columns.ts'

/** Creates the installation's identity, its nodes, the owners of turns, and turn events for readers on other nodes. */
export async function addNodes({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createTable('installation').addColumn('name', 'text', key).addColumn('value', 'text', required).execute()
  await schema
    .createTable('nodes')
    .addColumn('node_id', 'text', key)
    .addColumn('started_at', 'bigint', required)
    .addColumn('seen_at', 'bigint', required)
    .execute()
  await schema.alterTable('chats').addColumn('active_turn_id', 'text').execute()
  await schema.alterTable('turns').addColumn('node_id', 'text').execute()
  await schema
    .createTable('waiting_turns')
    .addColumn('turn_id', 'text', key)
    .addColumn('chat_id', 'text', referenceTo('chats.chat_id'))
    .addColumn('place', 'integer', required)
    .addColumn('node_id', 'text', required)
    .addUniqueConstraint('waiting_turns_order', ['chat_id', 'place'])
    .execute()
  await schema
    .createTable('turn_events')
    .addColumn('turn_id', 'text', referenceTo('turns.turn_id'))
    .addColumn('first_event', 'integer', required)
    .addPrimaryKeyConstraint('turn_events_key', ['turn_id', 'first_event'])
    .addColumn('frames', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema.createIndex('turn_events_by_age').on('turn_events').column('created_at').execute()
}
