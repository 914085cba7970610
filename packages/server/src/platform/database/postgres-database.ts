import type { Clock } from '@parley/engine/ports'
import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely, type QueryResult } from 'kysely'
import type { AppError } from '../../kernel/errors.ts'
import type {
  BatchOptions,
  BatchStatement,
  Capabilities,
  Transaction,
  TransactionOptions,
} from '../../kernel/storage/database.ts'
import type { Tables } from '../../tables/tables.ts'
import { createUnavailableError } from './failure-error.ts'
import type { NodeDatabase } from './node-database.ts'
import { CommitTracker, OpenUnits } from './open-units.ts'
import { BatchError, type PostgresConnections } from './postgres-connections.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { isContention, isLostRace, toPostgresError } from './postgres-failure.ts'
import { PostgresUnit, toQueryResult } from './postgres-unit.ts'
import { createCompileOnlyConnection, createSingleConnectionDriver } from './single-connection-driver.ts'
import { Changes } from './table-changes.ts'

/** Maximum number of attempts for work that conflicts with concurrent transactions. */
const MAX_ATTEMPTS = 20
/** Maximum number of retries after a constraint error. A second constraint error is not caused by a race. */
const MAX_IMMEDIATE_RETRIES = 1
/** Maximum of the random delay between attempts, which grows with each attempt. */
const MAX_DELAY_MS = 200
/** Time limit for waiting behind other retried units of work of this node. */
const MAX_QUEUE_MS = 10_000

export interface PostgresDatabaseOptions {
  readonly connections: PostgresConnections
  readonly capabilities: Capabilities
  readonly clock: Clock
  /** Returns a number from 0 to below 1. */
  readonly random: () => number
  /** Time limit of one attempt of a unit of work. */
  readonly transactionTimeoutMs: number
}

/** A PostgreSQL database shared by any number of nodes. */
export class PostgresDatabase implements NodeDatabase {
  readonly capabilities: Capabilities
  readonly read: Kysely<Tables>
  readonly queryBuilder: Kysely<Tables>
  readonly #options: PostgresDatabaseOptions
  readonly #write: Kysely<Tables>
  readonly #units = new OpenUnits<PostgresUnit>()
  readonly #commits = new CommitTracker()
  readonly #conflictQueue: ConflictQueue
  readonly #openWork = new Set<Promise<unknown>>()
  #failure: AppError | null = null
  #closing: Promise<void> | null = null

  constructor(options: PostgresDatabaseOptions) {
    this.#options = options
    this.capabilities = options.capabilities
    this.#conflictQueue = new ConflictQueue(options.clock)
    const transactionHint = 'Open transactions with `database.transaction`.'
    this.read = createKysely(createSingleConnectionDriver(this.#createReader(), transactionHint))
    this.queryBuilder = createKysely(createSingleConnectionDriver(createCompileOnlyConnection(), transactionHint))
    this.#write = createKysely(this.#units.createDriver())
  }

  get failure(): AppError | null {
    return this.#failure
  }

  async transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { isolation = 'serializable' }: TransactionOptions = {},
  ): Promise<Result> {
    this.#assertUsable('`transaction`')
    return await this.#trackWork(async () => {
      let leaveQueue: (() => void) | null = null
      let raceCount = 0
      try {
        for (let attempt = 1; ; attempt += 1) {
          const unit = this.#createUnit(isolation)
          try {
            return await this.#runAttempt(unit, work)
          } catch (error) {
            const isRace = isLostRace(unit.failure) && isolation === 'serializable'
            if (isRace) raceCount += 1
            const canRetry = isContention(unit.failure) || (isRace && raceCount <= MAX_IMMEDIATE_RETRIES)
            if (!canRetry || attempt >= MAX_ATTEMPTS) throw error
            leaveQueue ??= await this.#conflictQueue.enter(unit.changes, MAX_QUEUE_MS)
            if (leaveQueue === null) throw error
          }
          // The first conflict has ended by now. Later conflicts come from other nodes or new work.
          if (attempt > 1) await this.#delayRetry(attempt - 1)
        }
      } finally {
        leaveQueue?.()
      }
    })
  }

  async batch(statements: readonly BatchStatement[], { durable = true }: BatchOptions = {}): Promise<void> {
    this.#assertUsable('`batch`')
    if (statements.length === 0) return
    const changes = new Changes()
    for (const { query } of statements) changes.add(query)
    await this.#trackWork(async () => {
      try {
        await this.#writeBatch(statements, durable)
      } finally {
        // Counted even after a failure, because a broken connection may have committed.
        this.#commits.count(changes)
      }
    })
    this.#commits.announce(changes)
  }

  getChangeCount(tables: readonly (keyof Tables)[]): number {
    return this.#commits.getChangeCount(tables)
  }

  onInsert(table: keyof Tables, listener: () => void): () => void {
    return this.#commits.onInsert(table, listener)
  }

  async now(): Promise<number> {
    const { rows } = await this.#runAndRecordFailure(() =>
      this.#options.connections.run('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now', []),
    )
    return Number(rows[0]?.now)
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#openWork).then(() => this.#options.connections.close())
    return this.#closing
  }

  async #runAttempt<Result>(unit: PostgresUnit, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    try {
      const execution = this.#units.run(unit, () => this.#write.transaction().execute(work))
      // Counted even after a failure, because a broken connection may have committed.
      const countedExecution = execution.finally(() => this.#commits.count(unit.changes))
      const result = await Promise.race([countedExecution, unit.expired])
      this.#failure = null
      this.#commits.announce(unit.changes)
      return result
    } catch (error) {
      throw this.#recordFailure(error)
    } finally {
      unit.abandon()
    }
  }

  async #writeBatch(statements: readonly BatchStatement[], durable: boolean): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#options.connections.batch(statements, durable)
        this.#failure = null
        return
      } catch (error) {
        const { cause, statement } = error instanceof BatchError ? error : { cause: error, statement: null }
        if (!isContention(cause) || attempt >= MAX_ATTEMPTS)
          throw this.#recordFailure(toPostgresError(cause, statement))
      }
      await this.#delayRetry(attempt)
    }
  }

  /** Runs work and records whether the database is available. */
  async #runAndRecordFailure<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work()
      this.#failure = null
      return result
    } catch (error) {
      throw this.#recordFailure(toPostgresError(error))
    }
  }

  #recordFailure(error: unknown): unknown {
    if (isUnavailable(error)) this.#failure = error
    return error
  }

  #delayRetry(attempt: number): Promise<void> {
    const { clock, random } = this.#options
    const delayMs = random() * Math.min(MAX_DELAY_MS, 2 ** attempt)
    return new Promise((resolve) => clock.after(delayMs, resolve))
  }

  async #trackWork<Result>(work: () => Promise<Result>): Promise<Result> {
    const workPromise = work()
    this.#openWork.add(workPromise)
    try {
      return await workPromise
    } finally {
      this.#openWork.delete(workPromise)
    }
  }

  #createUnit(isolation: NonNullable<TransactionOptions['isolation']>): PostgresUnit {
    const { connections, clock, transactionTimeoutMs } = this.#options
    return new PostgresUnit({ connections, clock, isolation, timeoutMs: transactionTimeoutMs })
  }

  #createReader(): DatabaseConnection {
    const run = async <Row>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      this.#units.assertOutside('`read`')
      if (WRITE_KINDS.has(query.kind)) throw new Error('`read` cannot write: use `transaction` or `batch`.')
      return toQueryResult(await this.#runAndRecordFailure(() => this.#options.connections.run(sql, parameters)))
    }
    return {
      executeQuery: run,
      async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
        yield await run<Row>(query)
      },
    }
  }

  #assertUsable(methodName: string): void {
    this.#units.assertOutside(methodName)
    if (this.#closing !== null) throw createUnavailableError('The database is closing.')
  }
}

const WRITE_KINDS: ReadonlySet<string> = new Set([
  'InsertQueryNode',
  'UpdateQueryNode',
  'DeleteQueryNode',
  'MergeQueryNode',
])

function isUnavailable(error: unknown): error is AppError {
  return error instanceof Error && 'code' in error && error.code === 'unavailable'
}

function createKysely(driver: Driver): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createPostgresDialect(driver) })
}

/**
 * Lets this node retry conflicting units of work only one at a time for each set of tables, because concurrent retries would
 * conflict again.
 */
export class ConflictQueue {
  readonly #clock: Clock
  readonly #lastTurns = new Map<string, Promise<void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Waits for its turn. Returns the function that ends the turn, or null if waiting took too long. */
  async enter(
    { changedTables, hasUnknownChanges }: Pick<Changes, 'changedTables' | 'hasUnknownChanges'>,
    maxWaitMs: number,
  ): Promise<(() => void) | null> {
    const key = hasUnknownChanges ? '*' : [...changedTables].toSorted().join(' ')
    const previousTurn = this.#lastTurns.get(key) ?? Promise.resolve()
    const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>()
    const queuedTurns = previousTurn.then(() => turn)
    this.#lastTurns.set(key, queuedTurns)
    void queuedTurns.then(() => {
      if (this.#lastTurns.get(key) === queuedTurns) this.#lastTurns.delete(key)
    })
    const timeout = Promise.withResolvers<boolean>()
    const cancel = this.#clock.after(maxWaitMs, () => timeout.resolve(true))
    const hasTimedOut = await Promise.race([previousTurn.then(() => false), timeout.promise])
    cancel()
    if (!hasTimedOut) return endTurn
    endTurn()
    return null
  }
}
