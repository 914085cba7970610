import type { Clock } from '@parley/engine/ports'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { TransactionOptions } from '../../kernel/storage/database.ts'
import { unavailable } from './failure-error.ts'
import type { Answer, HeldConnection, PostgresConnections } from './postgres-connections.ts'
import { errorOfPostgres } from './postgres-failure.ts'
import { Changes } from './table-changes.ts'

const BEGIN = {
  serializable: 'begin isolation level serializable',
  'read-committed': 'begin isolation level read committed',
} as const

export interface PostgresUnitOptions {
  readonly connections: PostgresConnections
  readonly clock: Clock
  readonly isolation: NonNullable<TransactionOptions['isolation']>
  readonly timeoutMs: number
}

/** One attempt of a unit of work: a transaction on a connection of its own, from its begin to its end. */
export class PostgresUnit implements DatabaseConnection {
  readonly #options: PostgresUnitOptions
  readonly #changes = new Changes()
  readonly #expired = Promise.withResolvers<never>()
  #state: 'open' | 'ended' | 'expired' = 'open'
  #held: HeldConnection | null = null
  #cancelDeadline: () => void = () => undefined
  /** What a statement failed with: the server refuses every later one, whatever becomes of this error. */
  #failure: unknown = null

  constructor(options: PostgresUnitOptions) {
    this.#options = options
    this.#expired.promise.catch(() => undefined)
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** What the statements of this unit wrote. */
  get changes(): Changes {
    return this.#changes
  }

  /** Rejects when the unit took too long; never settles otherwise. */
  get expired(): Promise<never> {
    return this.#expired.promise
  }

  /** The server's error that ended the transaction, whatever the work made of it. */
  get failure(): unknown {
    return this.#failure
  }

  async begin(): Promise<void> {
    const { connections, clock, isolation, timeoutMs } = this.#options
    try {
      this.#held = await connections.hold()
      this.#cancelDeadline = clock.after(timeoutMs, () => this.#expire())
      await connections.runOn(this.#held, BEGIN[isolation])
    } catch (error) {
      throw this.#fail(error)
    }
  }

  async commit(): Promise<void> {
    if (!this.#end()) throw this.#misuseError()
    await this.#finish('commit')
  }

  async rollback(): Promise<void> {
    if (this.#end()) await this.#finish('rollback')
  }

  /** Marks a unit as over that never began or whose end failed. */
  abandon(): void {
    if (this.#end()) this.#release(true)
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#state !== 'open' || this.#held === null) throw this.#misuseError()
    this.#changes.add(query)
    try {
      return toQueryResult(await this.#options.connections.runOn(this.#held, query.sql, query.parameters))
    } catch (error) {
      throw this.#fail(error)
    }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }

  async #finish(statement: 'commit' | 'rollback'): Promise<void> {
    if (this.#held === null) return
    let broken = true
    try {
      const { failure } = this
      await this.#options.connections.runOn(this.#held, statement)
      broken = false
      // The server answers the commit of a failed transaction with a rollback, and no error.
      if (statement === 'commit' && failure !== null) throw errorOfPostgres(failure)
    } catch (error) {
      throw this.#fail(error)
    } finally {
      this.#release(broken)
    }
  }

  #release(broken: boolean): void {
    this.#held?.release(broken)
    this.#held = null
  }

  #fail(error: unknown): Error {
    this.#failure ??= error
    return this.#state === 'expired' ? this.#misuseError() : errorOfPostgres(error)
  }

  /** False when it was over already. */
  #end(): boolean {
    this.#cancelDeadline()
    if (this.#state !== 'open') return false
    this.#state = 'ended'
    return true
  }

  #expire(): void {
    if (this.#state !== 'open') return
    this.#state = 'expired'
    this.#expired.reject(this.#misuseError())
    // The server rolls back what a lost connection left.
    this.#release(true)
  }

  #misuseError(): Error {
    if (this.#state === 'expired') return unavailable('The transaction took too long and was rolled back.')
    return new Error('This transaction has ended: its handle must not be used outside of its unit of work.')
  }
}

/** Turns a statement's result into what Kysely expects. Kysely trusts the row type of the query that it compiled. */
export function toQueryResult<Row>({ rows, changes }: Answer): QueryResult<Row> {
  const typedRows = rows as Row[]
  return changes === null ? { rows: typedRows } : { rows: typedRows, numAffectedRows: BigInt(changes) }
}
