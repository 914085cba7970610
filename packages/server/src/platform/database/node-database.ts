import type { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Tables } from '../../tables/tables.ts'

/** A database as seen by the process that opened it. */
export interface NodeDatabase extends Database {
  /** Reason why the database does not work, or null if it works. Used by the readiness probe. */
  readonly failure: AppError | null
  /** Calls `listener` after each commit of this process that inserted into `table`. Returns the unsubscribe function. */
  onInsert(table: keyof Tables, listener: () => void): () => void
  /** Returns the database time shared by all nodes, in milliseconds since the epoch. */
  now(): Promise<number>
}
