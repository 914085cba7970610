import type { ChangePasswordBody, ConfirmPasswordBody, ResetPasswordBody } from '@parley/contract/session'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { buildSignInEntry, type SessionServiceDependencies } from './session-service.ts'
import type { InvitedUsers, PasswordHashes, RequestOrigin } from './session-store.ts'
import {
  deleteOtherSessions,
  findLink,
  findUserAccount,
  hasPasswordHash,
  type UserAccount,
  updateConfirmedAt,
  updatePasswordHash,
} from './session-store.ts'

interface PasswordServiceDependencies
  extends Omit<SessionServiceDependencies, 'makeId' | 'randomBytes' | 'sessionIdleMs'> {
  readonly invitedUsers: InvitedUsers
}

export interface PasswordService {
  /**
   * Changes the actor's password and ends all other sessions. Throws `invalid_request` if the current password is wrong.
   */
  change(actor: Actor, body: ChangePasswordBody): Promise<void>
  /** Confirms the actor's password for this session. Throws `invalid_request` if the password is wrong. */
  confirm(actor: Actor, body: ConfirmPasswordBody): Promise<void>
  /**
   * Sets a password with a link. A password link also ends the person's sessions. An invitation link creates the person's
   * account. Throws `link_invalid` if the link is unknown, used or expired, or if the invited person already has an account.
   */
  reset(body: ResetPasswordBody, client: RequestOrigin): Promise<void>
}

/** Creates the service that changes, confirms and resets passwords. */
export function createPasswordService(dependencies: PasswordServiceDependencies): PasswordService {
  const { database, clock } = dependencies

  return {
    change: (actor, body) => changePassword(dependencies, actor, body),

    async confirm(actor, { password }) {
      const account = await findActorAccount(database.read, actor)
      if (!(await isCorrectPassword(dependencies, account, { sessionId: actor.credentialId, password }))) {
        throw invalidField('password', 'is not your password')
      }
      const confirmedAt = clock.now()
      await database.transaction((transaction) => updateConfirmedAt(transaction, actor.credentialId, confirmedAt))
    },

    reset: (body, client) => resetPassword(dependencies, body, client),
  }
}

async function findActorAccount(reader: Reader, actor: Actor): Promise<UserAccount> {
  const account = await findUserAccount(reader, actor.userId)
  if (account === null) throw new AppError('unauthorized', 'This session has ended. Log in again.')
  return account
}

async function changePassword(
  dependencies: PasswordServiceDependencies,
  actor: Actor,
  body: ChangePasswordBody,
): Promise<void> {
  const { passwords, database, access } = dependencies
  const account = await findActorAccount(database.read, actor)
  await checkNewPassword(passwords, body.newPassword, account.user.email)
  const passwordAttempt = { sessionId: actor.credentialId, password: body.currentPassword }
  if (!(await isCorrectPassword(dependencies, account, passwordAttempt))) {
    throw invalidField('currentPassword', 'is not the current password')
  }
  const hash = await passwords.hash(body.newPassword)
  await database.transaction(async (transaction) => {
    if (!(await hasPasswordHash(transaction, actor.userId, account.passwordHash))) {
      throw invalidField('currentPassword', 'was changed by another request')
    }
    await updatePasswordHash(transaction, actor.userId, hash)
    await deleteOtherSessions(transaction, actor.userId, actor.credentialId)
  })
  access.invalidate()
}

async function resetPassword(
  dependencies: PasswordServiceDependencies,
  body: ResetPasswordBody,
  client: RequestOrigin,
): Promise<void> {
  const { access, database, clock, invitedUsers, passwords, throttle, audit } = dependencies
  const tokenHash = access.hashToken(body.token)
  // Checked before the costly hash, and again when the link is used.
  const foundLink = await findLink(database.read, tokenHash, clock.now())
  const linkOwner = foundLink === null ? null : await findUserAccount(database.read, foundLink.userId)
  const email = linkOwner?.user.email ?? (await invitedUsers.findInvitedEmail(database.read, tokenHash))
  if (email === null) throw createInvalidLinkError()
  await checkNewPassword(passwords, body.newPassword, email)
  const hash = await passwords.hash(body.newPassword)
  const { linkId, userId } = await database.transaction(async (transaction) => {
    const link = await findLink(transaction, tokenHash, clock.now())
    if (link === null) {
      const createdUser = await invitedUsers.createUser(transaction, tokenHash, hash)
      if (createdUser === null) throw createInvalidLinkError()
      return createdUser
    }
    await updatePasswordHash(transaction, link.userId, hash)
    await deleteOtherSessions(transaction, link.userId, null)
    await invitedUsers.suspendMembershipsOutside(transaction, link.userId, link.workspaceIds)
    return link
  })
  access.invalidate()
  throttle.clearClientFailures(email, client.ip)
  const account = await findUserAccount(database.read, userId)
  await audit.record(
    buildSignInEntry(account, client, { operation: 'resetPassword', credentialId: linkId, status: 204 }),
  )
}

/** Verifies the current password. Limits the rate of guesses per session. */
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

async function checkNewPassword(
  passwords: Pick<PasswordHashes, 'findProblem'>,
  newPassword: string,
  email: string,
): Promise<void> {
  const problem = await passwords.findProblem(newPassword, email)
  if (problem !== null) throw invalidField('newPassword', problem)
}

function createInvalidLinkError(): AppError {
  return new AppError(
    'link_invalid',
    'This link cannot set a password: it was used, has expired, or its owner already has a password. Log in, or ask an administrator for a new link.',
  )
}
