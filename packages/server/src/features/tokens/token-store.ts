import type { ActorRole, Scope } from '@parley/contract/access'
import type { ApiToken } from '@parley/contract/token'
import type { Actor } from '../../kernel/access/actor.ts'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { ApiTokenRow } from '../../tables/tenancy-tables.ts'
import { canManage, type Person } from './plan-token.ts'

/** Lists the active tokens of a person. */
export async function listTokenRows(reader: Reader, userId: string, page: PageRequest): Promise<Page<ApiToken>> {
  const query = reader.selectFrom('api_tokens').selectAll().where('user_id', '=', userId)
  return await readNewest(query.where('revoked_at', 'is', null), page, ['created_at', 'token_id'], toApiToken)
}

export function toApiToken(row: ApiTokenRow): ApiToken {
  return {
    tokenId: row.token_id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as Scope[],
    workspaceIds: row.workspace_ids === null ? null : (JSON.parse(row.workspace_ids) as number[]),
    expiresAt: toIso(row.expires_at),
    lastUsedAt: toIso(row.last_used_at),
    createdAt: new Date(row.created_at).toISOString(),
  }
}

function toIso(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString()
}

/** Returns whether a token is limited to some workspaces, or null if the token is revoked or unknown. */
export async function findTokenLimit(reader: Reader, tokenId: string): Promise<{ isLimited: boolean } | null> {
  const row = await reader
    .selectFrom('api_tokens')
    .select('workspace_ids')
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? null : { isLimited: row.workspace_ids !== null }
}

/** Finds a token by id, or returns null if the token is revoked or unknown. */
export async function findTokenRow(reader: Reader, tokenId: string): Promise<ApiTokenRow | null> {
  const row = await reader
    .selectFrom('api_tokens')
    .selectAll()
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Returns when the password was last confirmed in a session, or 0 if the session has ended. */
export async function findConfirmedAt(reader: Reader, sessionId: string): Promise<number> {
  const row = await reader
    .selectFrom('sessions')
    .select('confirmed_at')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row?.confirmed_at ?? 0
}

export async function insertTokenRow(transaction: Transaction, row: ApiTokenRow): Promise<void> {
  await transaction.insertInto('api_tokens').values(row).execute()
}

/** Revokes a token. Returns false if the token is revoked or unknown. */
export async function revokeTokenRow(transaction: Transaction, tokenId: string, now: number): Promise<boolean> {
  const result = await transaction
    .updateTable('api_tokens')
    .set({ revoked_at: now })
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) === 1
}

/** Finds a person with the home tenant and the memberships. */
async function findPerson(reader: Reader, userId: string): Promise<Person | null> {
  const row = await reader
    .selectFrom('users')
    .leftJoin('tenants', 'tenants.account_sid', 'users.account_sid')
    .leftJoin('tenants as homes', 'homes.account_sid', 'users.home_account_sid')
    .select(['users.user_id', 'users.role', 'users.provider_id', 'users.account_sid', 'users.home_account_sid'])
    .select(['tenants.provider_id as tenants_provider_id', 'homes.provider_id as home_provider_id'])
    .where('users.user_id', '=', userId)
    .executeTakeFirst()
  if (row === undefined) return null
  const memberRows = await reader
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'members.workspace_id')
    .select(['members.workspace_id', 'workspaces.account_sid'])
    .where('members.user_id', '=', userId)
    .execute()
  const homeAccountSid = row.home_account_sid
  return {
    userId: row.user_id,
    role: row.role as ActorRole,
    providerId: row.provider_id ?? row.tenants_provider_id,
    accountSid: row.account_sid,
    home: homeAccountSid === null ? null : { accountSid: homeAccountSid, providerId: row.home_provider_id },
    memberships: memberRows.map((member) => ({ workspaceId: member.workspace_id, accountSid: member.account_sid })),
  }
}

/** Whether the actor administers a person. False if the user id is unknown. */
export async function canManageUser(reader: Reader, actor: Actor, userId: string): Promise<boolean> {
  const person = await findPerson(reader, userId)
  return person !== null && canManage(actor, person)
}
