import type { CompiledQuery, QueryResult } from 'kysely'
import type { TransactionOptions } from '../../kernel/storage/database.ts'
import type { Answer, HeldConnection, PostgresConnections } from './postgres-connections.ts'
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
  #held: HeldConnection | null = null
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
      this.#held = await connections.hold()
      this.startDeadline()
      await connections.runOn(this.#held, BEGIN[isolation])
    } catch (error) {
      throw this.#fail(error)
    }
  }

  protected async run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#held === null) throw this.misuseError()
    try {
      return toQueryResult(await this.#options.connections.runOn(this.#held, sql, parameters))
    } catch (error) {
      throw this.#fail(error)
    }
  }

  protected async finish(statement: 'commit' | 'rollback'): Promise<void> {
    if (this.#held === null) return
    let broken = true
    try {
      const { failure } = this
      await this.#options.connections.runOn(this.#held, statement)
      broken = false
      // The server responds to the commit of a failed transaction with a rollback and without an error.
      if (statement === 'commit' && failure !== null) throw toPostgresError(failure)
    } catch (error) {
      throw this.#fail(error)
    } finally {
      this.#release(broken)
    }
  }

  protected discard(): void {
    this.#release(true)
  }

  protected cancel(): void {
    // The server rolls back the transaction of a lost connection.
    this.#release(true)
  }

  #release(broken: boolean): void {
    this.#held?.release(broken)
    this.#held = null
  }

  /** Records the first error, after which the server rejects every later statement. */
  #fail(error: unknown): Error {
    this.#failure ??= error
    return this.isExpired ? this.misuseError() : toPostgresError(error)
  }
}

/** Converts a statement result into Kysely's format. Kysely trusts the row type of the query that it compiled. */
export function toQueryResult<Row>({ rows, changes }: Answer): QueryResult<Row> {
  const typedRows = rows as Row[]
  return changes === null ? { rows: typedRows } : { rows: typedRows, numAffectedRows: BigInt(changes) }
}
