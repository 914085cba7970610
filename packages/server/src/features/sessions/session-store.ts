import type { ActorRole } from '@parley/contract/access'
import type { SessionSummary, SessionUser } from '@parley/contract/session'
import type { Selectable } from 'kysely'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { SessionRow, UserRow } from '../../tables/tenancy-tables.ts'

/** A person who may log in, with data for the audit log. */
export interface UserAccount {
  readonly user: SessionUser
  readonly passwordHash: string
  readonly providerId: string | null
  readonly accountSid: string | null
}

/** Finds a person by lowercase email address. */
export async function findUserAccountByEmail(reader: Reader, email: string): Promise<UserAccount | null> {
  const row = await reader.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
  return row === undefined ? null : toUserAccount(row)
}

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

/** Whether the person still has this password hash. */
export async function hasPasswordHash(transaction: Transaction, userId: string, hash: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('users')
    .select('password_hash')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.password_hash === hash
}

/** Sets a person's password and deletes the person's password links. */
export async function updatePasswordHash(transaction: Transaction, userId: string, hash: string): Promise<void> {
  await transaction.updateTable('users').set({ password_hash: hash }).where('user_id', '=', userId).execute()
  await transaction.deleteFrom('password_links').where('user_id', '=', userId).execute()
}

/** Changes a person's name. */
export async function updateUserName(transaction: Transaction, userId: string, name: string): Promise<void> {
  await transaction.updateTable('users').set({ name }).where('user_id', '=', userId).execute()
}

export async function insertSession(transaction: Transaction, row: SessionRow): Promise<void> {
  await transaction.insertInto('sessions').values(row).execute()
}

interface SessionFilter {
  readonly userId: string
  readonly currentId: string
  readonly now: number
  readonly activeAfter: number
}

/** Lists a person's sessions that are valid at `now`, newest first. */
export async function listSessionRows(
  reader: Reader,
  { userId, currentId, now, activeAfter }: SessionFilter,
  page: PageRequest,
): Promise<Page<SessionSummary>> {
  let query = reader.selectFrom('sessions').selectAll().where('user_id', '=', userId).where('expires_at', '>', now)
  query = query.where('last_used_at', '>', activeAfter)
  return await readNewest(query, page, ['created_at', 'session_id'], (row) => toSummary(row, currentId))
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

/** Ends one session of a person. Returns false if the id is unknown. */
export async function deleteSessionRow(transaction: Transaction, userId: string, sessionId: string): Promise<boolean> {
  const result = await transaction
    .deleteFrom('sessions')
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(result.numDeletedRows) === 1
}

/** Records when the password was last confirmed in a session. */
export async function updateConfirmedAt(
  transaction: Transaction,
  sessionId: string,
  confirmedAt: number,
): Promise<void> {
  await transaction
    .updateTable('sessions')
    .set({ confirmed_at: confirmedAt })
    .where('session_id', '=', sessionId)
    .execute()
}

/** Ends all sessions of a person except one. */
export async function deleteOtherSessions(
  transaction: Transaction,
  userId: string,
  exceptSessionId: string | null,
): Promise<void> {
  let query = transaction.deleteFrom('sessions').where('user_id', '=', userId)
  if (exceptSessionId !== null) query = query.where('session_id', '!=', exceptSessionId)
  await query.execute()
}

/**
 * Finds a password link, or returns null if the link is unknown or expired. `workspaceIds` are the workspaces in which the
 * person stays a member.
 */
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

/** The parts of the access feature that sessions need. */
export interface SessionAccess {
  /** Hashes a cookie or link token. Only the hash is stored. */
  hashToken(token: string): string
  /** Clears cached access rights. Call after sessions or passwords change. */
  invalidate(): void
}

/** Manages the accounts of invited people. */
export interface InvitedUsers {
  /**
   * Returns the email address of a pending invitation if the person has no account yet. Returns null for any other link.
   */
  findInvitedEmail(reader: Reader, tokenHash: string): Promise<string | null>
  /** Creates an account for an invited person. Returns null if `findInvitedEmail` returns null. */
  createUser(
    transaction: Transaction,
    tokenHash: string,
    passwordHash: string,
  ): Promise<{ readonly linkId: string; readonly userId: string } | null>
  /** Turns the person's memberships in all other workspaces into invitations without a link. */
  suspendMembershipsOutside(transaction: Transaction, userId: string, workspaceIds: readonly number[]): Promise<void>
}

/** Hashes and verifies passwords. `hash` and `verify` throw `unavailable` if the queue is full. */
export interface PasswordHashes {
  hash(password: string): Promise<string>
  /** Verifies a password. If `storedHash` is null, returns false after the same time as for a wrong password. */
  verify(password: string, storedHash: string | null): Promise<boolean>
  /** Returns why a password is not allowed, worded to follow the field name, or null if the password is allowed. */
  findProblem(password: string, email: string): Promise<string | null>
}

/** Origin of a request for the audit log. */
export interface RequestOrigin {
  readonly ip: string
  readonly requestId: string
}
