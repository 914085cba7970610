import { type Kysely, sql } from 'kysely'
import { key, referenceTo, required } from './columns.ts'

/** Allows several accounts to register a number, but only one to verify it. Existing numbers stay verified. */
export async function addNumberProofs(database: Kysely<unknown>): Promise<void> {
  // SQLite cannot drop the old unique constraint. Agents are also copied, because they reference the table.
  await createNumbers(database)
  await createAgents(database)
  const { schema } = database
  await schema.dropTable('number_agents').execute()
  await schema.dropTable('phone_numbers').execute()
  await schema.alterTable('proven_numbers').renameTo('phone_numbers').execute()
  await schema.alterTable('proven_number_agents').renameTo('number_agents').execute()
  await createIndexes(database)
}

async function createNumbers(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('proven_numbers')
    .addColumn('number_id', 'integer', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('number', 'text', required)
    .addColumn('base_number', 'text', required)
    .addColumn('verified_by', 'text')
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
  const columns = sql.raw(
    'number_id, workspace_id, number, base_number, provider, nickname, default_agent_id, application_sid, ' +
      'phone_number_sid, inbound_webhook_url, is_time_routing_enabled, time_routing, sticky, fallback_number, ' +
      'termination_uri, credentials, import_error, edit_count, created_at, updated_at',
  )
  await sql`
    insert into proven_numbers (${columns}, verified_by) select ${columns}, 'earlier' from phone_numbers
  `.execute(database)
}

async function createAgents(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('proven_number_agents')
    .addColumn('number_id', 'integer', referenceTo('proven_numbers.number_id'))
    .addColumn('direction', 'text', required)
    .addColumn('position', 'integer', required)
    .addColumn('agent_id', 'text', required)
    .addColumn('agent_version', 'integer')
    .addColumn('weight', 'double precision', required)
    .addPrimaryKeyConstraint('number_agents_place', ['number_id', 'direction', 'position'])
    .execute()
  const columns = sql.raw('number_id, direction, position, agent_id, agent_version, weight')
  await sql`insert into proven_number_agents (${columns}) select ${columns} from number_agents`.execute(database)
}

async function createIndexes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('phone_numbers_of_workspace')
    .on('phone_numbers')
    .columns(['workspace_id', 'number_id desc'])
    .execute()
  await schema
    .createIndex('phone_numbers_by_number')
    .unique()
    .on('phone_numbers')
    .columns(['base_number', 'workspace_id'])
    .execute()
  await schema
    .createIndex('phone_numbers_verified')
    .unique()
    .on('phone_numbers')
    .column('base_number')
    .where(sql.ref('verified_by'), 'is not', null)
    .execute()
  await schema.createIndex('number_agents_by_agent').on('number_agents').column('agent_id').execute()
}
