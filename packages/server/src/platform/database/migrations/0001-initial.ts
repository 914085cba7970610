import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely'

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder

const required: Column = (column) => column.notNull()
const key: Column = (column) => column.notNull().primaryKey()

/** A child that cannot live without its parent goes with it. */
const childOf =
  (parent: string): Column =>
  (column) =>
    column.notNull().references(parent).onDelete('cascade')

/** All tables of the first release, in the portable subset: text, integer, bigint for milliseconds. */
export async function initial(database: Kysely<unknown>): Promise<void> {
  await createAccounts(database)
  await createResources(database)
  await createChats(database)
  await createWork(database)
}

async function createAccounts({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('tenants')
    .addColumn('account_sid', 'text', key)
    .addColumn('account_path', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema
    .createTable('workspaces')
    .addColumn('workspace_id', 'integer', key)
    .addColumn('account_sid', 'text', childOf('tenants.account_sid'))
    .addColumn('name', 'text', required)
    .addColumn('native_transfer_enabled', 'integer', required)
    .addColumn('concurrency_base', 'integer', required)
    .addColumn('concurrency_purchased', 'integer', required)
    .addColumn('concurrency_purchase_limit', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema.createIndex('workspaces_by_tenant').on('workspaces').column('account_sid').execute()
  await schema
    .createTable('users')
    .addColumn('user_id', 'text', key)
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text', required)
    .addColumn('role', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema
    .createTable('api_tokens')
    .addColumn('token_id', 'text', key)
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', childOf('users.user_id'))
    .addColumn('name', 'text', required)
    .addColumn('scopes', 'text', required)
    .addColumn('workspace_ids', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('api_tokens_of_user')
    .on('api_tokens')
    .columns(['user_id', 'created_at desc', 'token_id desc'])
    .execute()
  await schema
    .createTable('signing_secrets')
    .addColumn('secret_id', 'text', key)
    .addColumn('workspace_id', 'integer', childOf('workspaces.workspace_id'))
    .addColumn('ciphertext', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('expires_at', 'bigint')
    .execute()
  await schema
    .createIndex('signing_secrets_of_workspace')
    .on('signing_secrets')
    .columns(['workspace_id', 'created_at desc', 'secret_id desc'])
    .execute()
}

async function createResources({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('resources')
    .addColumn('resource_id', 'text', key)
    .addColumn('kind', 'text', required)
    .addColumn('workspace_id', 'integer', childOf('workspaces.workspace_id'))
    .addColumn('newest_version', 'integer', required)
    .addColumn('active_version', 'integer')
    .addColumn('edit_count', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('resources_of_workspace')
    .on('resources')
    .columns(['workspace_id', 'kind', 'created_at desc', 'resource_id desc'])
    .execute()
  await schema
    .createTable('resource_versions')
    .addColumn('resource_id', 'text', childOf('resources.resource_id'))
    .addColumn('version', 'integer', required)
    .addPrimaryKeyConstraint('resource_versions_key', ['resource_id', 'version'])
    .addColumn('definition', 'text', required)
    .addColumn('engine_id', 'text')
    .addColumn('engine_version', 'integer')
    .addColumn('engine_pinned', 'integer', required)
    .addColumn('frozen_at', 'bigint')
    .addColumn('published_at', 'bigint')
    .addColumn('version_title', 'text')
    .addColumn('version_description', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema.createIndex('resource_versions_by_engine').on('resource_versions').column('engine_id').execute()
}

async function createChats({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('chats')
    .addColumn('chat_id', 'text', key)
    .addColumn('workspace_id', 'integer', childOf('workspaces.workspace_id'))
    // No reference: a chat outlives its agent.
    .addColumn('agent_id', 'text', required)
    .addColumn('agent_version', 'integer', required)
    .addColumn('agent_name', 'text')
    .addColumn('engine_kind', 'text', required)
    .addColumn('engine_id', 'text')
    .addColumn('engine_version', 'integer')
    .addColumn('type', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('metadata', 'text', required)
    .addColumn('custom_attributes', 'text', required)
    .addColumn('given_variables', 'text', required)
    .addColumn('collected_variables', 'text', required)
    .addColumn('override_variables', 'text', required)
    .addColumn('state', 'text')
    .addColumn('message_count', 'integer', required)
    .addColumn('turn_count', 'integer', required)
    .addColumn('started_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('chats_of_workspace')
    .on('chats')
    .columns(['workspace_id', 'started_at desc', 'chat_id desc'])
    .execute()
  await schema
    .createIndex('chats_of_agent')
    .on('chats')
    .columns(['workspace_id', 'agent_id', 'status', 'started_at desc', 'chat_id desc'])
    .execute()
  await schema
    .createTable('messages')
    .addColumn('message_id', 'text', key)
    .addColumn('chat_id', 'text', childOf('chats.chat_id'))
    .addColumn('position', 'integer', required)
    .addColumn('turn_id', 'text')
    .addColumn('role', 'text', required)
    .addColumn('content', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('tool_calls', 'text', required)
    .addColumn('tool_call_id', 'text')
    .addColumn('incomplete', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addUniqueConstraint('messages_order', ['chat_id', 'position'])
    .execute()
  await schema
    .createTable('turns')
    .addColumn('turn_id', 'text', key)
    .addColumn('chat_id', 'text', childOf('chats.chat_id'))
    .addColumn('position', 'integer', required)
    .addColumn('status', 'text', required)
    .addColumn('user_message_id', 'text', required)
    .addColumn('idempotency_hash', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('usage', 'text', required)
    .addColumn('explanation', 'text', required)
    .addColumn('first_text_ms', 'integer')
    .addColumn('event_count', 'integer', required)
    .addColumn('started_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .addUniqueConstraint('turns_order', ['chat_id', 'position'])
    .execute()
  await schema
    .createIndex('turns_idempotency')
    .on('turns')
    .columns(['chat_id', 'idempotency_hash'])
    .where(sql.ref('idempotency_hash'), 'is not', null)
    .execute()
  // What a restart looks for: a handful of rows, whatever the size of the table.
  await schema
    .createIndex('turns_running')
    .on('turns')
    .column('started_at')
    .where(sql.ref('status'), '=', 'running')
    .execute()
}

async function createWork({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('jobs')
    .addColumn('job_id', 'text', key)
    .addColumn('kind', 'text', required)
    .addColumn('payload', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('run_at', 'bigint', required)
    .addColumn('attempts', 'integer', required)
    .addColumn('max_attempts', 'integer', required)
    .addColumn('leased_by', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('ended_at', 'bigint')
    .execute()
  await schema.createIndex('jobs_due').on('jobs').columns(['status', 'run_at']).execute()
  await schema
    .createTable('leases')
    .addColumn('lease_id', 'text', key)
    .addColumn('workspace_id', 'integer', childOf('workspaces.workspace_id'))
    .addColumn('holder', 'text', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema.createIndex('leases_live').on('leases').columns(['workspace_id', 'expires_at']).execute()
  await schema
    .createTable('idempotency_keys')
    .addColumn('key_hash', 'text', key)
    .addColumn('body_hash', 'text', required)
    .addColumn('status', 'integer')
    .addColumn('answer', 'text')
    .addColumn('lease_until', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('created_at').execute()
}
