import type { ActorRole, MemberRole, Scope } from '@parley/contract/access'
import type { Insertable } from 'kysely'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import type { ApiTokenRow, UserRow } from '../../tables/tenancy-tables.ts'

/** The token or session fields that determine permissions, and the owner's role and memberships. */
export interface Credential {
  readonly credentialId: string
  readonly isSession: boolean
  readonly userId: string
  readonly role: ActorRole
  readonly providerId: string | null
  readonly accountSid: string | null
  /** Null means all of the owner's scopes. */
  readonly scopes: readonly Scope[] | null
  /** Null means all of the owner's workspaces. */
  readonly workspaceIds: readonly number[] | null
  readonly expiresAt: number | null
  readonly memberships: readonly { readonly workspaceId: number; readonly role: MemberRole }[]
}

export interface StoredCredential extends Credential {
  /** Time at which a session was last used, accurate to the minute; null for a token. */
  readonly lastUsedAt: number | null
}

type OwnerRow = Pick<UserRow, 'user_id' | 'role' | 'provider_id' | 'account_sid'>
type TokenRow = OwnerRow &
  Pick<ApiTokenRow, 'token_id' | 'scopes' | 'workspace_ids' | 'expires_at'> & {
    readonly token_created_at: number
    readonly role_since: number
  }

const findTokenRow = prepareQuery<{ readonly tokenHash: string }, TokenRow>((reader, param) =>
  reader
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.user_id', 'api_tokens.user_id')
    .select(['token_id', 'scopes', 'workspace_ids', 'expires_at'])
    .select(['api_tokens.created_at as token_created_at', 'users.role_since'])
    .select(['users.user_id', 'users.role', 'users.provider_id', 'users.account_sid'])
    .where('token_hash', '=', param('tokenHash'))
    .where('revoked_at', 'is', null),
)

/** Finds an unrevoked token by its hash. Excludes memberships that the owner accepted after creating the token. */
export async function findToken(reader: Reader, tokenHash: string): Promise<StoredCredential | null> {
  const [row] = await findTokenRow(reader, { tokenHash })
  if (row === undefined) return null
  const owner =
    row.role_since > row.token_created_at ? { ...row, role: 'end_user', provider_id: null, account_sid: null } : row
  return {
    ...(await buildOwner(reader, owner, row.token_created_at)),
    credentialId: row.token_id,
    isSession: false,
    scopes: JSON.parse(row.scopes) as Scope[],
    workspaceIds: row.workspace_ids === null ? null : (JSON.parse(row.workspace_ids) as number[]),
    expiresAt: row.expires_at,
    lastUsedAt: null,
  }
}

/** Finds a dashboard session by its cookie's hash. */
export async function findSession(reader: Reader, tokenHash: string): Promise<StoredCredential | null> {
  const row = await reader
    .selectFrom('sessions')
    .innerJoin('users', 'users.user_id', 'sessions.user_id')
    .select(['session_id', 'expires_at', 'last_used_at'])
    .select(['users.user_id', 'users.role', 'users.provider_id', 'users.account_sid'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    ...(await buildOwner(reader, row)),
    credentialId: row.session_id,
    isSession: true,
    scopes: null,
    workspaceIds: null,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }
}

/** Finds a token or session by id, with the same conditions as a lookup by hash. */
export async function findCredential(reader: Reader, credentialId: string): Promise<StoredCredential | null> {
  const token = await reader
    .selectFrom('api_tokens')
    .select('token_hash')
    .where('token_id', '=', credentialId)
    .executeTakeFirst()
  if (token !== undefined) return await findToken(reader, token.token_hash)
  const session = await reader
    .selectFrom('sessions')
    .select('token_hash')
    .where('session_id', '=', credentialId)
    .executeTakeFirst()
  return session === undefined ? null : await findSession(reader, session.token_hash)
}

type CredentialOwner = Pick<Credential, 'userId' | 'role' | 'providerId' | 'accountSid' | 'memberships'>

/** Returns the user's role and memberships, or null if the id is unknown. */
export async function findOwner(reader: Reader, userId: string): Promise<CredentialOwner | null> {
  const row = await reader
    .selectFrom('users')
    .select(['user_id', 'role', 'provider_id', 'account_sid'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row === undefined ? null : await buildOwner(reader, row)
}

/** Builds the owner with the memberships accepted by `acceptedUntil`, or with all memberships if it is null. */
async function buildOwner(
  reader: Reader,
  row: OwnerRow,
  acceptedUntil: number | null = null,
): Promise<CredentialOwner> {
  let query = reader.selectFrom('members').select(['workspace_id', 'role']).where('user_id', '=', row.user_id)
  if (acceptedUntil !== null) query = query.where('accepted_at', '<=', acceptedUntil)
  const memberships = await query.execute()
  return {
    userId: row.user_id,
    role: row.role as ActorRole,
    providerId: row.provider_id,
    accountSid: row.account_sid,
    memberships: memberships.map((member) => ({
      workspaceId: member.workspace_id,
      role: member.role as MemberRole,
    })),
  }
}

export async function insertUser(transaction: Transaction, user: Insertable<UserRow>): Promise<void> {
  await transaction.insertInto('users').values(user).execute()
}

export async function insertToken(transaction: Transaction, token: ApiTokenRow): Promise<void> {
  await transaction.insertInto('api_tokens').values(token).execute()
}
