import type { Transaction } from '../../kernel/database.ts'

/** Makes links that let whoever opens them choose the password of a user. */
export interface PasswordLinks {
  /** `expiresAt` in milliseconds. Links made before for the same user stop working. */
  create(
    transaction: Transaction,
    userId: string,
    ttlMs: number,
  ): Promise<{ readonly url: string; readonly expiresAt: number }>
}
