import type { CurrentSession, Login, LoginBody, SessionSummary, SessionUser } from '@parley/contract/session'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { AuditEntry, AuditTrail } from '../audit/public.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { PasswordHashes, RequestOrigin, SessionAccess } from './session-store.ts'
import {
  deleteSessionRow,
  findUserAccount,
  findUserAccountByEmail,
  hasPasswordHash,
  insertSession,
  listSessionRows,
  type UserAccount,
  updateUserName,
} from './session-store.ts'

const SESSION_TTL_MS = 14 * 24 * 60 * 60 * 1000
const COOKIE_BYTES = 32
const MAX_USER_AGENT_LENGTH = 200

export interface SessionServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  /** Returns bytes from a cryptographic generator. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly access: SessionAccess
  /** Idle time after which a session ends. */
  readonly sessionIdleMs: number
  readonly passwords: PasswordHashes
  readonly throttle: LoginThrottle
  readonly audit: AuditTrail
}

/** A new session with the login response and the session cookie. */
interface StartedSession {
  readonly login: Login
  readonly cookie: { readonly value: string; readonly maxAgeSeconds: number }
}

export interface SessionService {
  /**
   * Starts a session. Throws `unauthorized` after the same time for an unknown email address and a wrong password. Throws
   * `rate_limited` after too many failures by the client, even if the password is correct.
   */
  login(body: LoginBody, client: RequestOrigin & { readonly userAgent: string }): Promise<StartedSession>
  getCurrent(actor: Actor): Promise<CurrentSession>
  /** Changes the actor's name. Returns the updated user. */
  rename(actor: Actor, name: string): Promise<SessionUser>
  list(actor: Actor, page: PageRequest): Promise<Page<SessionSummary>>
  /** Ends a session of the actor. Throws `not_found` for other sessions. */
  end(actor: Actor, sessionId: string): Promise<void>
}

/** Creates the service for dashboard sessions. */
export function createSessionService(dependencies: SessionServiceDependencies): SessionService {
  const { database, clock, access, throttle, audit } = dependencies

  return {
    async login(body, client) {
      const email = body.email.trim().toLowerCase()
      const attempt = await throttle.startLoginAttempt(email, client.ip)
      try {
        const account = await checkPassword(dependencies, { email, password: body.password }, client)
        const startedSession = await startSession(dependencies, account, client.userAgent)
        attempt.succeed()
        const { sessionId } = startedSession.login
        await audit.record(
          buildSignInEntry(account, client, { operation: 'login', credentialId: sessionId, status: 200 }),
        )
        return startedSession
      } catch (error) {
        // The password was not checked, so the attempt does not count.
        if (error instanceof AppError && error.code === 'unavailable') attempt.withdraw()
        throw error
      }
    },

    getCurrent: (actor) => getCurrentSession(dependencies, actor),

    async rename(actor, name) {
      await database.transaction((transaction) => updateUserName(transaction, actor.userId, name))
      const { user } = await getCurrentSession(dependencies, actor)
      return user
    },

    list(actor, page) {
      const now = clock.now()
      const activeAfter = now - dependencies.sessionIdleMs
      return listSessionRows(
        database.read,
        { userId: actor.userId, currentId: actor.credentialId, now, activeAfter },
        page,
      )
    },

    async end(actor, sessionId) {
      const isEnded = await database.transaction((transaction) =>
        deleteSessionRow(transaction, actor.userId, sessionId),
      )
      if (!isEnded) throw new AppError('not_found', `No session "${sessionId}" exists.`)
      access.invalidate()
    },
  }
}

async function startSession(
  dependencies: SessionServiceDependencies,
  { user, passwordHash }: UserAccount,
  userAgent: string,
): Promise<StartedSession> {
  const { clock, makeId, access, database } = dependencies
  const cookieValue = Buffer.from(dependencies.randomBytes(COOKIE_BYTES)).toString('base64url')
  const now = clock.now()
  const row = {
    session_id: makeId('session'),
    token_hash: access.hashToken(cookieValue),
    user_id: user.userId,
    user_agent: userAgent.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed(),
    expires_at: now + SESSION_TTL_MS,
    last_used_at: now,
    confirmed_at: now,
    created_at: now,
  }
  await database.transaction(async (transaction) => {
    // If the password was changed during the check, the old password must not start a session.
    if (!(await hasPasswordHash(transaction, user.userId, passwordHash))) throw createInvalidLoginError()
    await insertSession(transaction, row)
  })
  const login = { user, sessionId: row.session_id, expiresAt: new Date(row.expires_at).toISOString() }
  return { login, cookie: { value: cookieValue, maxAgeSeconds: SESSION_TTL_MS / 1000 } }
}

async function checkPassword(
  { database, passwords, audit }: Pick<SessionServiceDependencies, 'database' | 'passwords' | 'audit'>,
  { email, password }: LoginBody,
  client: RequestOrigin,
): Promise<UserAccount> {
  const account = await findUserAccountByEmail(database.read, email)
  if ((await passwords.verify(password, account?.passwordHash ?? null)) && account !== null) return account
  await audit.record(buildSignInEntry(account, client, { operation: 'login', credentialId: '', status: 401 }))
  throw createInvalidLoginError()
}

async function getCurrentSession(
  { database }: Pick<SessionServiceDependencies, 'database'>,
  actor: Actor,
): Promise<CurrentSession> {
  const account = await findUserAccount(database.read, actor.userId)
  if (account === null || actor.expiresAt === null)
    throw new AppError('unauthorized', 'This session has ended. Log in again.')
  return {
    user: account.user,
    sessionId: actor.credentialId,
    role: actor.role,
    scopes: [...actor.scopes],
    workspaces: [...actor.workspaces].map(([id, { level }]) => ({ id, level })).toSorted((a, b) => a.id - b.id),
    expiresAt: new Date(actor.expiresAt).toISOString(),
  }
}

function createInvalidLoginError(): AppError {
  return new AppError('unauthorized', 'The email address or the password is wrong.')
}

/** Builds the audit log entry for an unauthenticated action. Omits the entered email address. */
export function buildSignInEntry(
  account: UserAccount | null,
  { ip, requestId }: RequestOrigin,
  outcome: Pick<AuditEntry, 'operation' | 'credentialId' | 'status'>,
): AuditEntry {
  return {
    ...outcome,
    userId: account?.user.userId ?? '',
    actorRole: account?.user.role ?? 'end_user',
    target: {},
    workspaceId: null,
    accountSid: account?.accountSid ?? null,
    providerId: account?.providerId ?? null,
    context: null,
    requestId,
    ip,
  }
}

interface SessionSweepDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly sessionIdleMs: number
}

/** Creates the sweep that deletes expired sessions and password links. */
export function createSessionSweep({ database, clock, sessionIdleMs }: SessionSweepDependencies): () => Promise<void> {
  return async () => {
    const now = clock.now()
    const { queryBuilder } = database
    await database.batch([
      { query: queryBuilder.deleteFrom('sessions').where('expires_at', '<=', now).compile() },
      {
        query: queryBuilder
          .deleteFrom('sessions')
          .where('last_used_at', '<=', now - sessionIdleMs)
          .compile(),
      },
      { query: queryBuilder.deleteFrom('password_links').where('expires_at', '<=', now).compile() },
    ])
  }
}
