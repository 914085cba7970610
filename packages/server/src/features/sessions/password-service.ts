import type { ChangePasswordBody, ResetPasswordBody } from '@parley/contract/session'
import type { Actor } from '../../kernel/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { accountKey, personKey } from './login-throttle.ts'
import type { RequestOrigin } from './session-ports.ts'
import type { SessionServiceDependencies } from './session-service.ts'
import {
  type Account,
  deleteSessionsOf,
  findAccount,
  findLink,
  hasPasswordHash,
  updatePasswordHash,
} from './session-store.ts'
import { signInEntry } from './sign-in-entry.ts'

export type PasswordServiceDependencies = Omit<SessionServiceDependencies, 'makeId' | 'randomBytes'>

export interface PasswordService {
  /** Ends all other logins of the actor. Throws `invalid_request` for a wrong current password. */
  change(actor: Actor, body: ChangePasswordBody): Promise<void>
  /** Uses up a link and ends all logins of its person. Throws `link_invalid` for one that is unknown, used or has ended. */
  reset(body: ResetPasswordBody, client: RequestOrigin): Promise<void>
}

/** How people come by a new password. */
export function createPasswordService(dependencies: PasswordServiceDependencies): PasswordService {
  const { database, clock, access, passwords, throttle, audit } = dependencies

  /** Guesses at the password of a login that lies open are slowed down like others. */
  async function checkCurrent({ user, passwordHash }: Account, currentPassword: string): Promise<void> {
    const attempt = await throttle.begin([personKey(user.userId)])
    let isRight = false
    try {
      isRight = await passwords.verify(currentPassword, passwordHash)
    } catch (error) {
      attempt.withdraw()
      throw error
    }
    if (!isRight) throw invalidField('currentPassword', 'is not the current password')
    throttle.forgive(personKey(user.userId))
  }

  return {
    async change(actor, body) {
      const account = await findAccount(database.read, actor.userId)
      if (account === null) throw new AppError('unauthorized', 'This login has ended.')
      await checkCurrent(account, body.currentPassword)
      const hash = await passwords.hash(body.newPassword)
      await database.transaction(async (transaction) => {
        if (!(await hasPasswordHash(transaction, actor.userId, account.passwordHash))) {
          throw invalidField('currentPassword', 'was changed meanwhile')
        }
        await updatePasswordHash(transaction, actor.userId, hash)
        await deleteSessionsOf(transaction, actor.userId, actor.credentialId)
      })
      access.forget()
    },

    async reset(body, client) {
      const tokenHash = access.hashToken(body.token)
      // Looked up before the costly hash, and again when it is used.
      if ((await findLink(database.read, tokenHash, clock.now())) === null) throw invalidLink()
      const hash = await passwords.hash(body.newPassword)
      const { linkId, userId } = await database.transaction(async (transaction) => {
        const link = await findLink(transaction, tokenHash, clock.now())
        if (link === null) throw invalidLink()
        await updatePasswordHash(transaction, link.userId, hash)
        await deleteSessionsOf(transaction, link.userId, null)
        return link
      })
      access.forget()
      const account = await findAccount(database.read, userId)
      if (account !== null) throttle.forgive(accountKey(account.user.email))
      await audit.record(
        signInEntry(account, client, { operation: 'resetPassword', credentialId: linkId, status: 204 }),
      )
    },
  }
}

function invalidLink(): AppError {
  return new AppError('link_invalid', 'This link was used or has ended. Ask an administrator for a new one.')
}
