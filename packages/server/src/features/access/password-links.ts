import { randomBytes } from 'node:crypto'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Transaction } from '../../kernel/storage/database.ts'
import { hashToken } from './access-service.ts'

const TOKEN_BYTES = 32

type LinkPage = 'reset-password' | 'accept-invitation'

/** Creates secret links to dashboard pages. `baseUrl` has no trailing slash. */
export function createLinkTokens({ baseUrl }: { readonly baseUrl: () => string }) {
  return {
    /** Creates a link and the token hash to store. The token itself appears only in the link. */
    create(page: LinkPage): { readonly url: string; readonly tokenHash: string } {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      // A URL fragment is never sent to proxies or written to server logs.
      return { url: `${baseUrl()}/${page}#token=${token}`, tokenHash: hashToken(token) }
    },
  }
}

interface PasswordLinkDependencies {
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly linkTokens: ReturnType<typeof createLinkTokens>
}

interface NewPasswordLink {
  readonly userId: string
  readonly ttlMs: number
  readonly workspaceIds: readonly number[]
}

/** Creates single-use links for setting a password. */
export function createPasswordLinks({ clock, makeId, linkTokens }: PasswordLinkDependencies) {
  return {
    /** Creates a link and invalidates the user's earlier links. */
    async create(
      transaction: Transaction,
      { userId, ttlMs, workspaceIds }: NewPasswordLink,
    ): Promise<{ readonly url: string; readonly expiresAt: number }> {
      const { url, tokenHash } = linkTokens.create('reset-password')
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
