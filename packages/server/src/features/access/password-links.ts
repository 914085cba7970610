import { randomBytes } from 'node:crypto'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Transaction } from '../../kernel/database.ts'
import { hashToken } from './access-service.ts'

const TOKEN_BYTES = 32

export interface PasswordLinkDependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly makeId: MakeId
  /** Where people reach this server, without a slash at the end. */
  readonly baseUrl: () => string
}

/** Makes links that let whoever opens them choose the password of a user, once. Only their digests are stored. */
export function createPasswordLinks({ clock, makeId, baseUrl }: PasswordLinkDependencies) {
  return {
    /** The link works for `ttlMs`; those made before it for the same user stop working. */
    async create(
      transaction: Transaction,
      userId: string,
      ttlMs: number,
    ): Promise<{ readonly url: string; readonly expiresAt: number }> {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const now = clock.now()
      const expiresAt = now + ttlMs
      await transaction.deleteFrom('password_links').where('user_id', '=', userId).execute()
      await transaction
        .insertInto('password_links')
        .values({
          link_id: makeId('link'),
          token_hash: hashToken(token),
          user_id: userId,
          expires_at: expiresAt,
          created_at: now,
        })
        .execute()
      // Behind the hash, so that it reaches neither servers on the way nor their logs.
      return { url: `${baseUrl()}/reset-password#token=${token}`, expiresAt }
    },
  }
}
