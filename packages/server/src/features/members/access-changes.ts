import type { Transaction } from '../../kernel/storage/database.ts'

/** Who has to know when accounts change. */

/** Told after who reaches what has changed. */
export interface AccessCache {
  forget(): void
}

/** Drops the brand of what is deleted. */
export interface Brands {
  drop(transaction: Transaction, ownerId: string): Promise<void>
}
