import type { ActorRole } from '@parley/contract/access'
import type { SessionSummary, SessionUser } from '@parley/contract/session'
import type { Selectable } from 'kysely'
import { isAfterPosition, type Page, type PageRequest, toPage } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { SessionRow, UserRow } from '../../tables/tenancy-tables.ts'

/** Somebody who may log in, with what the audit log says of it. */
export interface UserAccount {
  readonly user: SessionUser
  readonly passwordHash: string
  readonly providerId: string | null
  readonly accountSid: string | null
}

/** Finds whoever logs in with an e-mail address, given in lower case. */
export async function findUserAccountByEmail(reader: Reader, email: string): Promise<UserAccount | null> {
  const row = await reader.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
  return row === undefined ? null : toUserAccount(row)
}

/** Finds somebody by id. */
export async function findUserAccount(reader: Reader, userId: string): Promise<UserAccount | null> {
  const row = await reader.selectFrom('users').selectAll().where('user_id', '=', userId).executeTakeFirst()
  return row === undefined ? null : toUserAccount(row)
}

function toUserAccount(row: Selectable<UserRow>): UserAccount {
  return {
    user: { userId: row.user_id, email: row.email, name: row.name, role: row.role as ActorRole },
    passwordHash: row.password_hash,
    providerId: row.provider_id,
    accountSid: row.account_sid,
  }
}

/** Whether the password is still the one that was checked. */
export async function hasPasswordHash(transaction: Transaction, userId: string, hash: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('users')
    .select('password_hash')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.password_hash === hash
}

/** Sets a password; links that could set it again are gone with that. */
export async function updatePasswordHash(transaction: Transaction, userId: string, hash: string): Promise<void> {
  await transaction.updateTable('users').set({ password_hash: hash }).where('user_id', '=', userId).execute()
  await transaction.deleteFrom('password_links').where('user_id', '=', userId).execute()
}

/** Stores a new login. */
export async function insertSession(transaction: Transaction, row: SessionRow): Promise<void> {
  await transaction.insertInto('sessions').values(row).execute()
}

export interface SessionFilter {
  readonly userId: string
  readonly currentId: string
  readonly now: number
  readonly activeAfter: number
}

/** The logins of a person that have not ended at `now`, newest first. */
export async function listSessionRows(
  reader: Reader,
  { userId, currentId, now, activeAfter }: SessionFilter,
  { limit, after }: PageRequest,
): Promise<Page<SessionSummary>> {
  let query = reader.selectFrom('sessions').selectAll().where('user_id', '=', userId).where('expires_at', '>', now)
  query = query.where('last_used_at', '>', activeAfter).where(isAfterPosition(after, 'created_at', 'session_id'))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('session_id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(
    rows,
    limit,
    (row) => toSummary(row, currentId),
    (row) => ({ at: row.created_at, id: row.session_id }),
  )
}

function toSummary(row: SessionRow, currentId: string): SessionSummary {
  return {
    sessionId: row.session_id,
    userAgent: row.user_agent,
    isCurrent: row.session_id === currentId,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: new Date(row.last_used_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
  }
}

/** Ends one login of a person; false when it has none of this id. */
export async function deleteSessionRow(transaction: Transaction, userId: string, sessionId: string): Promise<boolean> {
  const deleted = await transaction
    .deleteFrom('sessions')
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(deleted.numDeletedRows) === 1
}

/** Notes when the person of a login last entered the password. */
export async function updateConfirmedAt(transaction: Transaction, sessionId: string, now: number): Promise<void> {
  await transaction.updateTable('sessions').set({ confirmed_at: now }).where('session_id', '=', sessionId).execute()
}

/** Ends all logins of a person but the one to keep. */
export async function deleteSessionsOf(transaction: Transaction, userId: string, keptId: string | null): Promise<void> {
  let query = transaction.deleteFrom('sessions').where('user_id', '=', userId)
  if (keptId !== null) query = query.where('session_id', '!=', keptId)
  await query.execute()
}

/** Whose password a link sets, and the workspaces whose membership survives that; null for one that is unknown or has ended. */
export async function findLink(
  reader: Reader,
  tokenHash: string,
  now: number,
): Promise<{ readonly linkId: string; readonly userId: string; readonly workspaceIds: readonly number[] } | null> {
  const row = await reader
    .selectFrom('password_links')
    .select(['link_id', 'user_id', 'workspace_ids'])
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (row === undefined) return null
  return { linkId: row.link_id, userId: row.user_id, workspaceIds: JSON.parse(row.workspace_ids) as number[] }
}
