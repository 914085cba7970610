import type { Kysely } from 'kysely'
import { referenceTo, required } from './columns.ts'

/** Adds the nodes, events and post-processing of live calls. */
export async function addLiveCalls({ schema }: Kysely<unknown>): Promise<void> {
  for (const name of ['engine_id', 'node_id', 'token_hash', 'storage', 'stored_as', 'recording'] as const) {
    await schema.alterTable('calls').addColumn(name, 'text').execute()
  }
  await schema.alterTable('calls').addColumn('engine_version', 'integer').execute()
  for (const name of ['token_used_at', 'due_at'] as const) {
    await schema.alterTable('calls').addColumn(name, 'bigint').execute()
  }
  for (const name of ['override_variables', 'custom_data', 'latency'] as const) {
    await schema
      .alterTable('calls')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo('{}'))
      .execute()
  }
  await schema.createIndex('calls_of_node').on('calls').columns(['node_id', 'status']).execute()
  await schema.createIndex('calls_due').on('calls').column('due_at').execute()
  await schema
    .createTable('call_events')
    .addColumn('call_id', 'text', referenceTo('calls.call_id'))
    .addColumn('position', 'integer', required)
    .addColumn('at_ms', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('type', 'text', required)
    .addColumn('content', 'text', required)
    .addPrimaryKeyConstraint('call_events_key', ['call_id', 'position'])
    .execute()
}
