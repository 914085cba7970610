import type { CompiledQuery, Kysely, Transaction as KyselyTransaction } from 'kysely'
import type { Tables } from '../../tables/tables.ts'

/** Reads outside a unit of work: sees the last commit; writing through it fails. */
export type Reader = Kysely<Tables>

/** The handle of one unit of work. Stores that write take it as a parameter. */
export type Transaction = KyselyTransaction<Tables>

/** What a backend does better than the portable subset. Code asks for a capability, never for a backend's name. */
export interface Capabilities {
  /** `FOR UPDATE SKIP LOCKED`: several workers can claim jobs at once. */
  readonly skipLocked: boolean
  /** `FOR UPDATE`: several units of work run at once, so that one may have to lock what it decides on. */
  readonly rowLocks: boolean
  /** Substring search by `match` on a full-text table that knows the filters as well. */
  readonly trigramIndex: boolean
  /** An index of trigrams serves `like`. */
  readonly trigramOperators: boolean
  /** Writers leave changes of counts behind, so that none waits for another: they are to be folded into sums now and then. */
  readonly spreadCounts: boolean
  /** Nobody else writes, so that `changeCount` tells of every change and what was read can be kept until the next. */
  readonly seesAllWrites: boolean
}

/** A compiled statement of a batch; with `expectRows`, another number of changed rows rolls the batch back. */
export interface BatchStatement {
  readonly query: CompiledQuery
  readonly expectRows?: number
}

/** Thrown by `batch` when a statement changed another number of rows than expected. Nothing of the batch was written. */
export class BatchConflictError extends Error {
  /** Index of the statement that did not match. */
  readonly statement: number

  constructor(statement: number) {
    super(`statement ${statement} of the batch did not change the expected rows`)
    this.name = 'BatchConflictError'
    this.statement = statement
  }
}

export interface TransactionOptions {
  /**
   * `serializable` (when absent): as if no other unit of work ran at the same time. Backends that allow several at once start
   * the work again when that cannot be kept, so that it may run more than once: nothing but the database may be changed in it.
   * `read-committed`: each statement sees the last commit, for work that is atomic by itself or takes its own locks.
   */
  readonly isolation?: 'serializable' | 'read-committed'
}

export interface BatchOptions {
  /** False: seen by everybody at once, but may be lost when the database itself crashes within a moment. True when absent. */
  readonly durable?: boolean
}

/** The database port: the one way to read and the two ways to write. */
export interface Database {
  readonly capabilities: Capabilities
  readonly read: Reader
  /** Compiles statements for `batch`; executing through it throws. */
  readonly compile: Reader
  /**
   * A unit of work: commits when `work` resolves, rolls back when it throws. Only database awaits may happen inside.
   * Using the outer handles, `batch` or another `transaction` inside throws, since it would wait for itself for ever.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /**
   * All statements or none, each seeing the last commit and those before it, durable when it resolves. Concurrent batches share one commit, each behind a savepoint of its
   * own, so that a failing one does not touch its neighbours.
   */
  batch(statements: readonly BatchStatement[], options?: BatchOptions): Promise<void>
  /**
   * Grows with every commit of this process that may have changed one of the tables, before its writer learns of the commit.
   * What is read after asking holds while the count stays, where `seesAllWrites`.
   */
  changeCount(tables: readonly (keyof Tables)[]): number
  /** Waits for writes under way, then closes. */
  close(): Promise<void>
}
