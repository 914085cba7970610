import type { CompiledQuery, QueryResult } from 'kysely'
import type { TransactionOptions } from '../../kernel/storage/database.ts'
import type { AcquiredConnection, ExecutionResult, PostgresConnections } from './postgres-connections.ts'
import { toPostgresError } from './postgres-failure.ts'
import { TransactionUnit, type TransactionUnitOptions } from './transaction-unit.ts'

const BEGIN = {
  serializable: 'begin isolation level serializable',
  'read-committed': 'begin isolation level read committed',
} as const

export interface PostgresUnitOptions extends TransactionUnitOptions {
  readonly connections: PostgresConnections
  readonly isolation: NonNullable<TransactionOptions['isolation']>
}

/** A transaction on a separate connection to a PostgreSQL server. */
export class PostgresUnit extends TransactionUnit {
  readonly #options: PostgresUnitOptions
  #connection: AcquiredConnection | null = null
  #failure: unknown = null

  constructor(options: PostgresUnitOptions) {
    super(options)
    this.#options = options
  }

  /** The server error that ended the transaction, even if the work ignored it. */
  get failure(): unknown {
    return this.#failure
  }

  async begin(): Promise<void> {
    const { connections, isolation } = this.#options
    try {
      this.#connection = await connections.acquire()
      this.startDeadline()
      await connections.runOn(this.#connection, BEGIN[isolation])
    } catch (error) {
      throw this.#recordFailure(error)
    }
  }

  protected async run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#connection === null) throw this.createMisuseError()
    try {
      return toQueryResult(await this.#options.connections.runOn(this.#connection, sql, parameters))
    } catch (error) {
      throw this.#recordFailure(error)
    }
  }

  protected async finish(statement: 'commit' | 'rollback'): Promise<void> {
    if (this.#connection === null) return
    let isBroken = true
    try {
      const { failure } = this
      await this.#options.connections.runOn(this.#connection, statement)
      isBroken = false
      // The server responds to the commit of a failed transaction with a rollback and without an error.
      if (statement === 'commit' && failure !== null) throw toPostgresError(failure)
    } catch (error) {
      throw this.#recordFailure(error)
    } finally {
      this.#release(isBroken)
    }
  }

  protected discard(): void {
    this.#release(true)
  }

  protected cancel(): void {
    // The server rolls back the transaction of a lost connection.
    this.#release(true)
  }

  #release(isBroken: boolean): void {
    this.#connection?.release(isBroken)
    this.#connection = null
  }

  /** Records the first error, after which the server rejects every later statement. */
  #recordFailure(error: unknown): Error {
    this.#failure ??= error
    return this.isExpired ? this.createMisuseError() : toPostgresError(error)
  }
}

/** Converts a statement result into Kysely's format. Kysely trusts the row type of the query that it compiled. */
export function toQueryResult<Row>({ rows, changes }: ExecutionResult): QueryResult<Row> {
  const typedRows = rows as Row[]
  return changes === null ? { rows: typedRows } : { rows: typedRows, numAffectedRows: BigInt(changes) }
}
