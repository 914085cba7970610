import type { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Tables } from '../../tables/tables.ts'

/** A database with what only the process that opened it needs to know. */
export interface NodeDatabase extends Database {
  /** Why it does not work now; null while it does. For the readiness probe. */
  readonly failure: AppError | null
  /** Calls `listener` after each commit of this process that inserted into `table`; returns the unsubscription. */
  onInsert(table: keyof Tables, listener: () => void): () => void
  /** The database's own clock, which all nodes share: milliseconds since the epoch. */
  now(): Promise<number>
}
