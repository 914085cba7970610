import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Clock } from '@parley/engine/ports'
import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely, type QueryResult } from 'kysely'
import type { AppError } from '../../kernel/errors.ts'
import type { BatchStatement, Transaction } from '../../kernel/storage/database.ts'
import type { Tables } from '../../tables/tables.ts'
import { SQLITE_CAPABILITIES } from './capabilities.ts'
import { createFailureError, createUnavailableError, describeSqliteError } from './failure-error.ts'
import { MIGRATIONS, type Migration, migrate } from './migrator.ts'
import type { NodeDatabase } from './node-database.ts'
import { createNodeSqliteDialect, toQueryResult } from './node-sqlite-dialect.ts'
import { CommitTracker, OpenUnits } from './open-units.ts'
import { createCompileOnlyConnection, createSingleConnectionDriver } from './single-connection-driver.ts'
import { StatementCache } from './statement-cache.ts'
import { Changes } from './table-changes.ts'
import { UnitOfWork } from './unit-of-work.ts'
import { WriterClient, type WriterThreads } from './writer-client.ts'
import type { StatementMessage } from './writer-protocol.ts'

const TRANSACTION_TIMEOUT_MS = 15_000

export interface OpenDatabaseOptions {
  /** Path of the database file, which is created if absent. The folder must exist. */
  readonly file: string
  readonly clock: Clock
  /** Time limit after which a unit of work, which holds the writer, is rolled back. */
  readonly transactionTimeoutMs?: number
  /** Migrations to apply; defaults to all. */
  readonly migrations?: readonly Migration[]
  /** Source of the writer thread; defaults to a new thread. */
  readonly writerThreads?: WriterThreads
}

/** The embedded SQLite database. */
export interface SqliteDatabase extends NodeDatabase {
  /** Ends the writer as a crash would, for durability tests. */
  crash(): Promise<void>
}

/** Opens the file, starts the writer thread and migrates. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<SqliteDatabase> {
  const { file, clock, transactionTimeoutMs = TRANSACTION_TIMEOUT_MS, migrations = MIGRATIONS } = options
  const writer = await WriterClient.start(file, options.writerThreads)
  try {
    const database = new EmbeddedDatabase({ file, writer, clock, timeoutMs: transactionTimeoutMs })
    await migrate(database, clock, migrations)
    return database
  } catch (error) {
    await writer.close()
    throw error
  }
}

interface EmbeddedDatabaseOptions {
  readonly file: string
  readonly writer: WriterClient
  readonly clock: Clock
  readonly timeoutMs: number
}

class EmbeddedDatabase implements SqliteDatabase {
  readonly capabilities = SQLITE_CAPABILITIES
  readonly read: Kysely<Tables>
  readonly queryBuilder: Kysely<Tables>
  readonly #options: EmbeddedDatabaseOptions
  readonly #readConnection: ReadConnection
  readonly #write: Kysely<Tables>
  readonly #units = new OpenUnits<UnitOfWork>()
  readonly #commits = new CommitTracker()
  #openUnits = 0
  #closing: Promise<void> | null = null
  #idlePromise: PromiseWithResolvers<void> | null = null

  constructor(options: EmbeddedDatabaseOptions) {
    this.#options = options
    this.#readConnection = new ReadConnection(options.file, () => this.#units.assertOutside('`read`'))
    const transactionHint = 'Open transactions with `database.transaction`.'
    this.read = createKysely(createSingleConnectionDriver(this.#readConnection, transactionHint))
    this.queryBuilder = createKysely(createSingleConnectionDriver(createCompileOnlyConnection(), transactionHint))
    this.#write = createKysely(this.#units.createDriver())
  }

  get failure(): AppError | null {
    return this.#options.writer.failure
  }

  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    this.#assertUsable('`transaction`')
    const unit = new UnitOfWork(this.#options)
    this.#openUnits += 1
    try {
      // Begins before Kysely's own awaits, so that a later batch does not overtake the transaction.
      unit.begin().catch(() => undefined)
      const execution = this.#units.run(unit, () => this.#write.transaction().execute(work))
      // Counted even after a failure, because a crashed writer may have committed.
      const countedExecution = execution.finally(() => this.#commits.count(unit.changes))
      const result = await Promise.race([countedExecution, unit.expired])
      this.#commits.announce(unit.changes)
      return result
    } finally {
      unit.abandon()
      this.#openUnits -= 1
      if (this.#openUnits === 0) this.#idlePromise?.resolve()
    }
  }

  async batch(statements: readonly BatchStatement[]): Promise<void> {
    this.#assertUsable('`batch`')
    if (statements.length === 0) return
    const messages = statements.map(
      ({ query, expectRows }): StatementMessage => [query.sql, query.parameters, expectRows ?? -1],
    )
    const changes = new Changes()
    for (const { query } of statements) changes.add(query)
    try {
      await this.#options.writer.batch(messages)
    } finally {
      // Counted even after a failure, because a crashed writer may have committed.
      this.#commits.count(changes)
    }
    this.#commits.announce(changes)
  }

  getChangeCount(tables: readonly (keyof Tables)[]): number {
    return this.#commits.getChangeCount(tables)
  }

  onInsert(table: keyof Tables, listener: () => void): () => void {
    return this.#commits.onInsert(table, listener)
  }

  async now(): Promise<number> {
    return this.#options.clock.now()
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  crash(): Promise<void> {
    this.#readConnection.close()
    return this.#options.writer.terminate()
  }

  async #finish(): Promise<void> {
    // Running units end before the reader closes. The writer handles batches already sent before it closes.
    if (this.#openUnits > 0) {
      this.#idlePromise = Promise.withResolvers()
      await this.#idlePromise.promise
    }
    this.#readConnection.close()
    await this.#options.writer.close()
  }

  #assertUsable(methodName: string): void {
    this.#units.assertOutside(methodName)
    if (this.#closing !== null) throw createUnavailableError('The database is closing.')
  }
}

function createKysely(driver: Driver): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createNodeSqliteDialect(driver) })
}

/** The final checkpoint of another process can block readers for a moment. */
const BUSY_TIMEOUT_MS = 1_000

/** The main thread's read-only connection, which sees the last commit. `assertAllowed` throws if reading is not allowed. */
class ReadConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #statements: StatementCache
  readonly #assertAllowed: () => void

  constructor(file: string, assertAllowed: () => void) {
    this.#database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    this.#database.exec('pragma query_only = on; pragma cache_size = -16000; pragma temp_store = memory')
    this.#statements = new StatementCache(this.#database)
    this.#assertAllowed = assertAllowed
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    this.#assertAllowed()
    try {
      return toQueryResult(this.#statements.run(sql, parameters))
    } catch (error) {
      throw createFailureError(describeSqliteError(error))
    }
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    this.#assertAllowed()
    // Not cached, because a cached statement would be reset if the same text ran between two rows.
    const statement = this.#database.prepare(sql)
    for (const row of statement.iterate(...(parameters as SQLInputValue[]))) yield { rows: [row as Row] }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }
}
