import type { Clock } from '@parley/engine/ports'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { unavailable } from './failure-error.ts'
import { toQueryResult } from './node-sqlite-dialect.ts'
import { Changes } from './table-changes.ts'
import type { WriterClient } from './writer-client.ts'

export interface UnitOfWorkOptions {
  readonly writer: WriterClient
  readonly clock: Clock
  /** An open transaction keeps every other writer waiting, so that it may not last longer than this. */
  readonly timeoutMs: number
}

/** One transaction on the writer, from its begin to its end. */
export class UnitOfWork implements DatabaseConnection {
  readonly #options: UnitOfWorkOptions
  readonly #changes = new Changes()
  readonly #expired = Promise.withResolvers<never>()
  #state: 'open' | 'ended' | 'expired' = 'open'
  #begun: Promise<void> | null = null
  #cancelDeadline: () => void = () => undefined

  constructor(options: UnitOfWorkOptions) {
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

  /** Takes its place in the writer's queue at the first call; resolves when its turn has come. */
  begin(): Promise<void> {
    this.#begun ??= this.#waitForTurn()
    return this.#begun
  }

  async commit(): Promise<void> {
    if (!this.#end()) throw this.#misuseError()
    await this.#options.writer.commit()
  }

  async rollback(): Promise<void> {
    if (this.#end()) await this.#options.writer.rollback()
  }

  /** Marks a unit as over that never began or whose end failed. */
  abandon(): void {
    this.#end()
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#state !== 'open') throw this.#misuseError()
    this.#changes.add(query)
    return toQueryResult(await this.#options.writer.statement(query.sql, query.parameters))
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }

  async #waitForTurn(): Promise<void> {
    const { writer, clock, timeoutMs } = this.#options
    await writer.begin()
    this.#cancelDeadline = clock.after(timeoutMs, () => this.#expire())
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
    // A failure here means that the writer is gone, and with it the transaction.
    this.#options.writer.rollback().catch(() => undefined)
  }

  #misuseError(): Error {
    if (this.#state === 'expired') return unavailable('The transaction took too long and was rolled back.')
    return new Error('This transaction has ended: its handle must not be used outside of its unit of work.')
  }
}
