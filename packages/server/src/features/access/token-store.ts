import type { Scope } from '@parley/contract/operation'
import type { Actor, Role } from '../../kernel/actor.ts'
import type { Reader, Transaction } from '../../kernel/database.ts'
import { prepareQuery } from '../../kernel/prepared-query.ts'
import type { ApiTokenRow, UserRow } from '../../kernel/tables.ts'

/** A stored token as access decisions need it. */
export interface StoredToken {
  readonly actor: Actor
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

type TokenRow = Pick<ApiTokenRow, 'token_id' | 'user_id' | 'scopes' | 'workspace_ids' | 'expires_at' | 'last_used_at'> &
  Pick<UserRow, 'role'>

const findTokenRow = prepareQuery<{ readonly tokenHash: string }, TokenRow>((reader, slot) =>
  reader
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.user_id', 'api_tokens.user_id')
    .select(['token_id', 'api_tokens.user_id', 'users.role', 'scopes', 'workspace_ids', 'expires_at', 'last_used_at'])
    .where('token_hash', '=', slot('tokenHash'))
    .where('revoked_at', 'is', null),
)

/** Finds a token that is not revoked by its hash. */
export async function findToken(reader: Reader, tokenHash: string): Promise<StoredToken | null> {
  const [row] = await findTokenRow(reader, { tokenHash })
  if (row === undefined) return null
  const existing = await reader.selectFrom('workspaces').select('workspace_id').execute()
  const named = row.workspace_ids === null ? null : new Set(JSON.parse(row.workspace_ids) as number[])
  const ids = existing.map((workspace) => workspace.workspace_id)
  return {
    actor: {
      tokenId: row.token_id,
      userId: row.user_id,
      role: row.role as Role,
      scopes: new Set(JSON.parse(row.scopes) as Scope[]),
      workspaceIds: new Set(named === null ? ids : ids.filter((id) => named.has(id))),
    },
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }
}

export async function insertUser(transaction: Transaction, user: UserRow): Promise<void> {
  await transaction.insertInto('users').values(user).execute()
}

export async function insertToken(transaction: Transaction, token: ApiTokenRow): Promise<void> {
  await transaction.insertInto('api_tokens').values(token).execute()
}
