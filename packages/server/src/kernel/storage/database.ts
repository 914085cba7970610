import type { CompiledQuery, Kysely, Transaction as KyselyTransaction } from 'kysely'
import type { Tables } from '../../tables/tables.ts'

/** Reads the latest committed state outside a transaction. Writing through a reader fails. */
export type Reader = Kysely<Tables>

/** Handle of one transaction, passed to stores that write. */
export type Transaction = KyselyTransaction<Tables>

/** Database features beyond the portable subset. Code checks a capability, never a backend's name. */
export interface Capabilities {
  /** `FOR UPDATE SKIP LOCKED`: several workers can claim jobs at once. */
  readonly skipLocked: boolean
  /** `FOR UPDATE`: transactions run concurrently and can lock rows. */
  readonly rowLocks: boolean
  /** Substring search with `match` on a full-text table that also contains the filter columns. */
  readonly trigramIndex: boolean
  /** `like` searches can use a trigram index. */
  readonly trigramOperators: boolean
  /** Writers insert count changes instead of waiting for a shared row. The changes are summed periodically. */
  readonly hasCountDeltas: boolean
  /** This process is the only writer, so `getChangeCount` covers every change and reads can be cached. */
  readonly seesAllWrites: boolean
}

/** A compiled batch statement. The batch rolls back if the number of changed rows differs from `expectRows`. */
export interface BatchStatement {
  readonly query: CompiledQuery
  readonly expectRows?: number
}

/** Thrown if a batch statement changed an unexpected number of rows. The batch was rolled back. */
export class BatchConflictError extends Error {
  /** Index of the mismatched statement. */
  readonly statement: number

  constructor(statement: number) {
    super(`statement ${statement} of the batch did not change the expected number of rows`)
    this.name = 'BatchConflictError'
    this.statement = statement
  }
}

export interface TransactionOptions {
  /**
   * Defaults to `serializable`, which can run `work` repeatedly, so `work` must change nothing but the database.
   * `read-committed` suits work that is atomic or takes its own locks.
   */
  readonly isolation?: 'serializable' | 'read-committed'
}

export interface BatchOptions {
  /** If false, the write is visible immediately, but a database crash can lose the most recent writes. Defaults to true. */
  readonly durable?: boolean
}

/** The database interface that features depend on. */
export interface Database {
  readonly capabilities: Capabilities
  readonly read: Reader
  /** Compiles batch statements. Executing a query through it throws. */
  readonly queryBuilder: Reader
  /**
   * Commits if `work` resolves and rolls back if it throws. `work` must only await this transaction; other handles throw
   * instead of deadlocking.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /**
   * Runs all statements or none. The result is durable once the promise resolves. Concurrent batches share a commit but fail
   * separately.
   */
  batch(statements: readonly BatchStatement[], options?: BatchOptions): Promise<void>
  /**
   * Returns a counter that increases before each commit of this process that can change one of the tables. If `seesAllWrites`
   * is true, cached reads stay valid while the counter is unchanged.
   */
  getChangeCount(tables: readonly (keyof Tables)[]): number
  /** Waits for running writes, then closes the database. */
  close(): Promise<void>
}
