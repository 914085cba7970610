import type { Clock, MakeId } from '@parley/engine/ports'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { createLinkTokens } from './link-tokens.ts'

export interface PasswordLinkDependencies {
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly linkTokens: ReturnType<typeof createLinkTokens>
}

/** Who a link is for, how long it works, and which memberships survive its use. */
interface NewPasswordLink {
  readonly userId: string
  readonly ttlMs: number
  readonly workspaceIds: readonly number[]
}

/** Creates links that let the person who opens them choose the password of a user, once. */
export function createPasswordLinks({ clock, makeId, linkTokens }: PasswordLinkDependencies) {
  return {
    /** Links made before for the same user stop working. */
    async create(
      transaction: Transaction,
      { userId, ttlMs, workspaceIds }: NewPasswordLink,
    ): Promise<{ readonly url: string; readonly expiresAt: number }> {
      const { url, tokenHash } = linkTokens.make('reset-password')
      const now = clock.now()
      const expiresAt = now + ttlMs
      await transaction.deleteFrom('password_links').where('user_id', '=', userId).execute()
      await transaction
        .insertInto('password_links')
        .values({
          link_id: makeId('link'),
          token_hash: tokenHash,
          user_id: userId,
          workspace_ids: JSON.stringify(workspaceIds),
          expires_at: expiresAt,
          created_at: now,
        })
        .execute()
      return { url, expiresAt }
    },
  }
}
