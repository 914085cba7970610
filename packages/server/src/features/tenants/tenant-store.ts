import type { ActorRole } from '@parley/contract/access'
import type { Tenant } from '@parley/contract/tenant'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { TenantRow } from '../../tables/tenancy-tables.ts'

/** A user's stored role and the reseller or tenant to which it applies. */
export interface StoredRole {
  readonly role: ActorRole
  /** Reseller of a provider_admin. */
  readonly providerId: string | null
  /** Tenant of a tenant_admin. */
  readonly accountSid: string | null
}

/** The tenants that an actor administers. A field that is null does not limit the scope. */
export interface AdminScope {
  readonly providerId: string | null
  readonly accountSid: string | null
}

function toTenant(row: TenantRow): Tenant {
  return {
    tenantId: row.account_sid,
    accountSid: row.account_sid,
    accountPath: row.account_path,
    name: row.name,
    providerId: row.provider_id,
    createdAt: new Date(row.created_at).toISOString(),
  }
}

/** Finds a user's stored role, or returns null if the user does not exist. */
export async function findStoredRole(reader: Reader, userId: string): Promise<StoredRole | null> {
  const row = await reader
    .selectFrom('users')
    .select(['role', 'provider_id', 'account_sid'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { role: row.role as ActorRole, providerId: row.provider_id, accountSid: row.account_sid }
}

/** Lists the tenants within the scope, newest first. */
export async function findTenants(reader: Reader, scope: AdminScope, page: PageRequest): Promise<Page<Tenant>> {
  let query = reader.selectFrom('tenants').selectAll()
  if (scope.providerId !== null) query = query.where('provider_id', '=', scope.providerId)
  if (scope.accountSid !== null) query = query.where('account_sid', '=', scope.accountSid)
  return await readNewest(query, page, ['created_at', 'account_sid'], toTenant)
}

export async function findTenant(reader: Reader, accountSid: string): Promise<Tenant | null> {
  const row = await reader.selectFrom('tenants').selectAll().where('account_sid', '=', accountSid).executeTakeFirst()
  return row === undefined ? null : toTenant(row)
}

/** Returns a reseller's slug, or null if the reseller does not exist. */
export async function findResellerSlug(reader: Reader, providerId: string): Promise<string | null> {
  const row = await reader
    .selectFrom('providers')
    .select('slug')
    .where('provider_id', '=', providerId)
    .executeTakeFirst()
  return row?.slug ?? null
}

/** Inserts a tenant and returns it, or null if its path is taken. */
export async function insertTenant(transaction: Transaction, row: TenantRow): Promise<Tenant | null> {
  const insertedRow = await transaction
    .insertInto('tenants')
    .values(row)
    .onConflict((conflict) => conflict.column('account_path').doNothing())
    .returningAll()
    .executeTakeFirst()
  return insertedRow === undefined ? null : toTenant(insertedRow)
}

export async function renameTenant(transaction: Transaction, accountSid: string, name: string): Promise<void> {
  await transaction.updateTable('tenants').set({ name }).where('account_sid', '=', accountSid).execute()
}

export async function hasWorkspaces(reader: Reader, accountSid: string): Promise<boolean> {
  const row = await reader
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('account_sid', '=', accountSid)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteTenantRow(transaction: Transaction, accountSid: string): Promise<void> {
  await transaction.deleteFrom('tenants').where('account_sid', '=', accountSid).execute()
}
