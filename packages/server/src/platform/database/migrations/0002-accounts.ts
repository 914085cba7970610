import { type Kysely, sql } from 'kysely'
import { key, optionalReferenceTo, referenceTo, required, unique } from './columns.ts'

/** The default provider, which owns everything that has no reseller. */
const FIRST_RESELLER = { provider_id: `provider_${'0'.repeat(26)}`, slug: 'default', name: 'Default' }

/** Creates providers above tenants, workspace members, logins, branding, provider keys and the audit log. */
export async function addAccounts(database: Kysely<unknown>, now: number): Promise<void> {
  await createResellers(database as Kysely<{ providers: Record<string, unknown> }>, now)
  await createPeople(database)
  await createOwnedTables(database)
}

async function createResellers(database: Kysely<{ providers: Record<string, unknown> }>, now: number): Promise<void> {
  const { schema } = database
  await schema
    .createTable('providers')
    .addColumn('provider_id', 'text', key)
    .addColumn('slug', 'text', unique)
    .addColumn('name', 'text', required)
    .addColumn('markup_percent', 'real', required)
    .addColumn('edit_count', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  const times = { edit_count: 1, created_at: now, updated_at: now }
  await database
    .insertInto('providers')
    .values({ ...FIRST_RESELLER, markup_percent: 0, ...times })
    .execute()
  await schema
    .alterTable('tenants')
    .addColumn('provider_id', 'text', (column) => column.notNull().defaultTo(FIRST_RESELLER.provider_id))
    .execute()
  await schema
    .alterTable('chats')
    .addColumn('markup_percent', 'real', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.createIndex('tenants_by_path').on('tenants').column('account_path').unique().execute()
  await schema.createIndex('tenants_by_provider').on('tenants').columns(['provider_id', 'created_at desc']).execute()
}

async function createPeople(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  // From this version on, addresses are looked up in lower case.
  await sql`update users set email = lower(email)`.execute(database)
  await schema
    .alterTable('users')
    .addColumn('name', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await schema.alterTable('users').addColumn('provider_id', 'text').execute()
  await schema.alterTable('users').addColumn('account_sid', 'text').execute()
  await schema.alterTable('users').addColumn('home_account_sid', 'text').execute()
  await schema
    .createTable('members')
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('user_id', 'text', referenceTo('users.user_id'))
    .addColumn('role', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('members_key', ['workspace_id', 'user_id'])
    .execute()
  await schema.createIndex('members_by_user').on('members').column('user_id').execute()
  await schema
    .createTable('sessions')
    .addColumn('session_id', 'text', key)
    .addColumn('token_hash', 'text', unique)
    .addColumn('user_id', 'text', referenceTo('users.user_id'))
    .addColumn('user_agent', 'text', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('last_used_at', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema.createIndex('sessions_of_user').on('sessions').columns(['user_id', 'created_at desc']).execute()
  await schema
    .createTable('password_links')
    .addColumn('link_id', 'text', key)
    .addColumn('token_hash', 'text', unique)
    .addColumn('user_id', 'text', referenceTo('users.user_id'))
    .addColumn('expires_at', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await schema.createIndex('password_links_of_user').on('password_links').column('user_id').execute()
}

async function createOwnedTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('brandings')
    .addColumn('owner_id', 'text', key)
    .addColumn('domain', 'text', (column) => column.unique())
    .addColumn('settings', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createTable('provider_keys')
    .addColumn('provider_key_id', 'text', key)
    .addColumn('service', 'text', required)
    .addColumn('workspace_id', 'integer', optionalReferenceTo('workspaces.workspace_id'))
    .addColumn('account_sid', 'text', optionalReferenceTo('tenants.account_sid'))
    .addColumn('provider_id', 'text', optionalReferenceTo('providers.provider_id'))
    .addColumn('ciphertext', 'text', required)
    .addColumn('last_four', 'text', required)
    .addColumn('base_url', 'text')
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  for (const owner of ['workspace_id', 'account_sid', 'provider_id']) {
    await schema
      .createIndex(`provider_keys_by_${owner}`)
      .on('provider_keys')
      .columns([owner, 'service'])
      .unique()
      .where(owner as never, 'is not', null)
      .execute()
  }
  await schema
    .createTable('audit_entries')
    .addColumn('audit_id', 'text', key)
    .addColumn('at', 'bigint', required)
    .addColumn('user_id', 'text', required)
    .addColumn('credential_id', 'text', required)
    .addColumn('actor_role', 'text', required)
    .addColumn('operation', 'text', required)
    .addColumn('target', 'text', required)
    // Not references, because entries outlive their targets.
    .addColumn('workspace_id', 'integer')
    .addColumn('account_sid', 'text')
    .addColumn('provider_id', 'text')
    .addColumn('context', 'text')
    .addColumn('status', 'integer', required)
    .addColumn('request_id', 'text', required)
    .addColumn('ip', 'text', required)
    .execute()
  await schema.createIndex('audit_by_time').on('audit_entries').columns(['at desc', 'audit_id desc']).execute()
  await schema
    .createIndex('audit_of_workspace')
    .on('audit_entries')
    .columns(['workspace_id', 'at desc', 'audit_id desc'])
    .execute()
  await schema
    .createIndex('audit_of_tenant')
    .on('audit_entries')
    .columns(['account_sid', 'at desc', 'audit_id desc'])
    .execute()
}
