import type { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Tables } from '../../tables/tables.ts'

/** A database as seen by the process that opened it. */
export interface NodeDatabase extends Database {
  /** Why the database does not work; null while it does. For the readiness probe. */
  readonly failure: AppError | null
  /** Calls `listener` after each commit of this process that inserted into `table`; returns the unsubscription. */
  onInsert(table: keyof Tables, listener: () => void): () => void
  /** Time of the database, shared by all nodes, in milliseconds since the epoch. */
  now(): Promise<number>
}
