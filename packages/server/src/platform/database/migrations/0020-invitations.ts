import { type Kysely, sql } from 'kysely'
import { key, optionalReferenceTo, required } from './columns.ts'

/** Requires members and administrators to accept an invitation first. */
export async function addInvitations(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  await schema
    .createTable('invitations')
    .addColumn('invitation_id', 'text', key)
    .addColumn('token_hash', 'text', (column) => column.unique())
    .addColumn('email', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('user_id', 'text', required)
    .addColumn('workspace_id', 'integer', optionalReferenceTo('workspaces.workspace_id'))
    .addColumn('account_sid', 'text', optionalReferenceTo('tenants.account_sid'))
    .addColumn('provider_id', 'text', optionalReferenceTo('providers.provider_id'))
    .addColumn('role', 'text', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  for (const ownerColumn of ['workspace_id', 'account_sid', 'provider_id']) {
    await schema
      .createIndex(`invitations_by_${ownerColumn}`)
      .on('invitations')
      .columns([ownerColumn, 'email'])
      .unique()
      .where(ownerColumn as never, 'is not', null)
      .execute()
  }
  // Existing tokens keep their access.
  await addTimeColumn(database, 'members', 'accepted_at')
  await addTimeColumn(database, 'users', 'role_since')
  await schema
    .alterTable('password_links')
    .addColumn('workspace_ids', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await convertToInvitations(database)
}

async function addTimeColumn({ schema }: Kysely<unknown>, table: string, column: string): Promise<void> {
  await schema
    .alterTable(table)
    .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
    .execute()
}

/** Converts users without a password into invitations without a link. Deletes old password links, which are not limited to workspaces. */
async function convertToInvitations(database: Kysely<unknown>): Promise<void> {
  const columns = sql`invitation_id, email, name, user_id, workspace_id, account_sid, provider_id, role, expires_at, created_at`
  await sql`
    insert into invitations (${columns})
    select 'link_' || u.user_id || '_' || m.workspace_id, u.email, u.name, u.user_id, m.workspace_id, null, null,
      m.role, 0, m.created_at
    from users u join members m on m.user_id = u.user_id
    where u.password_hash = ''`.execute(database)
  await sql`
    insert into invitations (${columns})
    select 'link_' || user_id, email, name, user_id, null, account_sid, provider_id, role, 0, created_at
    from users
    where password_hash = '' and (role = 'tenant_admin' and account_sid is not null
      or role = 'provider_admin' and provider_id is not null)`.execute(database)
  await sql`delete from users where password_hash = ''`.execute(database)
  await sql`delete from password_links`.execute(database)
}
