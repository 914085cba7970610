import type { Actor } from '../../kernel/access/actor.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'

/** Makes secrets for links; only the digest is for storing. */
export interface LinkTokens {
  make(page: 'accept-invitation'): { readonly url: string; readonly tokenHash: string }
}

/** Makes links that let whoever opens them choose the password of a user. */
export interface PasswordLinks {
  /**
   * `expiresAt` in milliseconds. Links made before for the same user stop working. Memberships outside of `workspaceIds` end
   * when the link is used.
   */
  create(
    transaction: Transaction,
    link: { readonly userId: string; readonly ttlMs: number; readonly workspaceIds: readonly number[] },
  ): Promise<{ readonly url: string; readonly expiresAt: number }>
}

/** Whether an actor administers a person. */
export type CanManagePerson = (reader: Reader, actor: Actor, userId: string) => Promise<boolean>

/** Slows down guesses. */
export interface GuessThrottle {
  /** Throws `rate_limited`. The attempt counts as failed until it is withdrawn. */
  startSessionAttempt(sessionId: string): Promise<{ withdraw(): void }>
}
