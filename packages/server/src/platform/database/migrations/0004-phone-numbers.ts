import type { Kysely } from 'kysely'
import { key, referenceTo, required, unique } from './columns.ts'

/** Creates phone numbers and the agents bound to them. */
export async function addPhoneNumbers(database: Kysely<unknown>): Promise<void> {
  await createNumberTables(database)
  await createAgents(database)
  await createCounter(database as Kysely<{ number_counter: Record<string, unknown> }>)
}

async function createNumberTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('phone_numbers')
    .addColumn('number_id', 'integer', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('number', 'text', required)
    .addColumn('base_number', 'text', unique)
    .addColumn('provider', 'text', required)
    .addColumn('nickname', 'text')
    .addColumn('default_agent_id', 'text')
    .addColumn('application_sid', 'text', required)
    .addColumn('phone_number_sid', 'text', required)
    .addColumn('inbound_webhook_url', 'text')
    .addColumn('is_time_routing_enabled', 'integer', required)
    .addColumn('time_routing', 'text')
    .addColumn('sticky', 'integer', required)
    .addColumn('fallback_number', 'text')
    .addColumn('termination_uri', 'text')
    .addColumn('credentials', 'text')
    .addColumn('import_error', 'text')
    .addColumn('edit_count', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('phone_numbers_of_workspace')
    .on('phone_numbers')
    .columns(['workspace_id', 'number_id desc'])
    .execute()
}

async function createAgents({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('number_agents')
    .addColumn('number_id', 'integer', referenceTo('phone_numbers.number_id'))
    .addColumn('direction', 'text', required)
    .addColumn('position', 'integer', required)
    // Not a reference, because deleting an agent of any kind releases its numbers.
    .addColumn('agent_id', 'text', required)
    .addColumn('agent_version', 'integer')
    .addColumn('weight', 'double precision', required)
    .addPrimaryKeyConstraint('number_agents_key', ['number_id', 'direction', 'position'])
    .execute()
  await schema.createIndex('number_agents_by_agent').on('number_agents').column('agent_id').execute()
}

/** Creates a separate counter, so that the id of a deleted number is not reused. */
async function createCounter(database: Kysely<{ number_counter: Record<string, unknown> }>): Promise<void> {
  await database.schema
    .createTable('number_counter')
    .addColumn('counter_id', 'integer', key)
    .addColumn('last_number_id', 'integer', required)
    .execute()
  await database.insertInto('number_counter').values({ counter_id: 1, last_number_id: 0 }).execute()
}
