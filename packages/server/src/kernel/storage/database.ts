import type { CompiledQuery, Kysely, Transaction as KyselyTransaction } from 'kysely'
import type { Tables } from '../../tables/tables.ts'

/** Reads the last commit outside a transaction; writing through it fails. */
export type Reader = Kysely<Tables>

/** The handle of one transaction, passed to stores that write. */
export type Transaction = KyselyTransaction<Tables>

/** What a backend supports beyond the portable subset. Code checks a capability, never a backend's name. */
export interface Capabilities {
  /** `FOR UPDATE SKIP LOCKED`: several workers can claim jobs at once. */
  readonly skipLocked: boolean
  /** `FOR UPDATE`: transactions run concurrently and may need to lock rows. */
  readonly rowLocks: boolean
  /** Substring search by `match` on a full-text table that also has the filters. */
  readonly trigramIndex: boolean
  /** A trigram index supports `like`. */
  readonly trigramOperators: boolean
  /** Writers insert count changes instead of waiting for a shared row; they are summed periodically. */
  readonly spreadCounts: boolean
  /** No other process writes, so `changeCount` covers every change and reads can be cached. */
  readonly seesAllWrites: boolean
}

/** A compiled batch statement; `expectRows` rolls the batch back on another number of changed rows. */
export interface BatchStatement {
  readonly query: CompiledQuery
  readonly expectRows?: number
}

/** A batch statement changed another number of rows than expected. The batch was rolled back. */
export class BatchConflictError extends Error {
  /** Index of the mismatched statement. */
  readonly statement: number

  constructor(statement: number) {
    super(`statement ${statement} of the batch did not change the expected rows`)
    this.name = 'BatchConflictError'
    this.statement = statement
  }
}

export interface TransactionOptions {
  /**
   * Default `serializable`; may run `work` again, so it must change nothing but the database. `read-committed` suits
   * work that is atomic or takes its own locks.
   */
  readonly isolation?: 'serializable' | 'read-committed'
}

export interface BatchOptions {
  /** False: visible at once, but a crash of the database may lose the last moments. Default true. */
  readonly durable?: boolean
}

/** The database port. */
export interface Database {
  readonly capabilities: Capabilities
  readonly read: Reader
  /** Compiles batch statements; executing through it throws. */
  readonly compile: Reader
  /**
   * Commits when `work` resolves, rolls back when it throws. `work` must only await this transaction; other handles
   * throw instead of deadlocking.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /** Runs all statements or none; durable when it resolves. Concurrent batches share a commit but fail separately. */
  batch(statements: readonly BatchStatement[], options?: BatchOptions): Promise<void>
  /**
   * Increases before each commit of this process that may change one of the tables. Cached reads stay valid while it
   * is unchanged, if `seesAllWrites`.
   */
  changeCount(tables: readonly (keyof Tables)[]): number
  /** Waits for running writes, then closes. */
  close(): Promise<void>
}
