import type { ChangePasswordBody, ConfirmPasswordBody, ResetPasswordBody } from '@parley/contract/session'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { InvitedPeople, PasswordHashes, RequestOrigin } from './session-ports.ts'
import { type SessionServiceDependencies, signInEntry } from './session-service.ts'
import {
  deleteSessionsOf,
  findLink,
  findUserAccount,
  hasPasswordHash,
  type UserAccount,
  updateConfirmedAt,
  updatePasswordHash,
} from './session-store.ts'

export interface PasswordServiceDependencies
  extends Omit<SessionServiceDependencies, 'makeId' | 'randomBytes' | 'sessionIdleMs'> {
  readonly invited: InvitedPeople
}

export interface PasswordService {
  /** Ends all other logins of the actor. Throws `invalid_request` for a wrong current password. */
  change(actor: Actor, body: ChangePasswordBody): Promise<void>
  /** Notes that the person of this login knows the password. Throws `invalid_request` for a wrong one. */
  confirm(actor: Actor, body: ConfirmPasswordBody): Promise<void>
  /**
   * Uses up a password link and ends all logins of its person, or sets the first password by the link of an invitation. Throws
   * `link_invalid` for a link that is unknown, used or has ended, and for an invitation of somebody with an account.
   */
  reset(body: ResetPasswordBody, client: RequestOrigin): Promise<void>
}

/** How people come by a new password. */
export function createPasswordService(dependencies: PasswordServiceDependencies): PasswordService {
  const { database, clock } = dependencies

  return {
    change: (actor, body) => changePassword(dependencies, actor, body),

    async confirm(actor, { password }) {
      const account = await findOwnUserAccount(database.read, actor)
      if (!(await isCorrectPassword(dependencies, account, { sessionId: actor.credentialId, password }))) {
        throw invalidField('password', 'is not your password')
      }
      const confirmedAt = clock.now()
      await database.transaction((unit) => updateConfirmedAt(unit, actor.credentialId, confirmedAt))
    },

    reset: (body, client) => resetPassword(dependencies, body, client),
  }
}

async function findOwnUserAccount(reader: Reader, actor: Actor): Promise<UserAccount> {
  const account = await findUserAccount(reader, actor.userId)
  if (account === null) throw new AppError('unauthorized', 'This login has ended.')
  return account
}

async function changePassword(
  dependencies: PasswordServiceDependencies,
  actor: Actor,
  body: ChangePasswordBody,
): Promise<void> {
  const { passwords, database, access } = dependencies
  const account = await findOwnUserAccount(database.read, actor)
  await checkChosenPassword(passwords, body.newPassword, account.user.email)
  const given = { sessionId: actor.credentialId, password: body.currentPassword }
  if (!(await isCorrectPassword(dependencies, account, given))) {
    throw invalidField('currentPassword', 'is not the current password')
  }
  const hash = await passwords.hash(body.newPassword)
  await database.transaction(async (transaction) => {
    if (!(await hasPasswordHash(transaction, actor.userId, account.passwordHash))) {
      throw invalidField('currentPassword', 'was changed meanwhile')
    }
    await updatePasswordHash(transaction, actor.userId, hash)
    await deleteSessionsOf(transaction, actor.userId, actor.credentialId)
  })
  access.forget()
}

async function resetPassword(
  dependencies: PasswordServiceDependencies,
  body: ResetPasswordBody,
  client: RequestOrigin,
): Promise<void> {
  const { access, database, clock, invited, passwords, throttle, audit } = dependencies
  const tokenHash = access.hashToken(body.token)
  // Looked up before the costly hash, and again when it is used.
  const known = await findLink(database.read, tokenHash, clock.now())
  const holder = known === null ? null : await findUserAccount(database.read, known.userId)
  const email = holder?.user.email ?? (await invited.findNewEmail(database.read, tokenHash))
  if (email === null) throw invalidLink()
  await checkChosenPassword(passwords, body.newPassword, email)
  const hash = await passwords.hash(body.newPassword)
  const { linkId, userId } = await database.transaction(async (transaction) => {
    const link = await findLink(transaction, tokenHash, clock.now())
    if (link === null) {
      const created = await invited.createUser(transaction, tokenHash, hash)
      if (created === null) throw invalidLink()
      return created
    }
    await updatePasswordHash(transaction, link.userId, hash)
    await deleteSessionsOf(transaction, link.userId, null)
    await invited.suspendOutside(transaction, link.userId, link.workspaceIds)
    return link
  })
  access.forget()
  throttle.clearClientFailures(email, client.ip)
  const account = await findUserAccount(database.read, userId)
  await audit.record(signInEntry(account, client, { operation: 'resetPassword', credentialId: linkId, status: 204 }))
}

/** Slows down guesses in a login that somebody left open, and nobody else's: they count for this login alone. */
async function isCorrectPassword(
  { throttle, passwords }: Pick<PasswordServiceDependencies, 'throttle' | 'passwords'>,
  { passwordHash }: UserAccount,
  { sessionId, password }: { readonly sessionId: string; readonly password: string },
): Promise<boolean> {
  const attempt = await throttle.startSessionAttempt(sessionId)
  let isCorrect = false
  try {
    isCorrect = await passwords.verify(password, passwordHash)
  } catch (error) {
    attempt.withdraw()
    throw error
  }
  if (isCorrect) attempt.succeed()
  return isCorrect
}

async function checkChosenPassword(
  passwords: Pick<PasswordHashes, 'findProblem'>,
  newPassword: string,
  email: string,
): Promise<void> {
  const problem = await passwords.findProblem(newPassword, email)
  if (problem !== null) throw invalidField('newPassword', problem)
}

function invalidLink(): AppError {
  return new AppError(
    'link_invalid',
    'No password can be set by this link: it was used or has ended, or its person has a password. Log in with that, or ask an administrator for a new link.',
  )
}
