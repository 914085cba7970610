import type { Clock } from '@parley/engine/ports'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { createUnavailableError } from './failure-error.ts'
import { Changes } from './table-changes.ts'

export interface TransactionUnitOptions {
  readonly clock: Clock
  /** An open transaction can block other writers, so it must not last longer than this. */
  readonly timeoutMs: number
}

/** One attempt of a unit of work: a transaction from its begin to its commit, rollback or timeout. */
export abstract class TransactionUnit implements DatabaseConnection {
  readonly #options: TransactionUnitOptions
  readonly #expired = Promise.withResolvers<never>()
  /** Changes written by the statements of this unit. */
  readonly changes = new Changes()
  #state: 'open' | 'ended' | 'expired' = 'open'
  #cancelDeadline: () => void = () => undefined

  constructor(options: TransactionUnitOptions) {
    this.#options = options
    this.#expired.promise.catch(() => undefined)
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Rejects when the unit takes too long, and otherwise never settles. */
  get expired(): Promise<never> {
    return this.#expired.promise
  }

  abstract begin(): Promise<void>

  async commit(): Promise<void> {
    if (!this.#end()) throw this.createMisuseError()
    await this.finish('commit')
  }

  async rollback(): Promise<void> {
    if (this.#end()) await this.finish('rollback')
  }

  /** Ends a unit that never began, or whose commit or rollback failed. */
  abandon(): void {
    if (this.#end()) this.discard()
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#state !== 'open') throw this.createMisuseError()
    this.changes.add(query)
    return await this.run(query)
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }

  protected abstract run<Row>(query: CompiledQuery): Promise<QueryResult<Row>>
  protected abstract finish(statement: 'commit' | 'rollback'): Promise<void>
  /** Discards the connection of a unit that has neither committed nor rolled back. */
  protected abstract discard(): void
  /** Rolls back a unit that took too long. */
  protected abstract cancel(): void

  protected get isExpired(): boolean {
    return this.#state === 'expired'
  }

  protected startDeadline(): void {
    const { clock, timeoutMs } = this.#options
    this.#cancelDeadline = clock.after(timeoutMs, () => {
      if (this.#state !== 'open') return
      this.#state = 'expired'
      this.#expired.reject(this.createMisuseError())
      this.cancel()
    })
  }

  protected createMisuseError(): Error {
    if (this.isExpired) return createUnavailableError('The transaction took too long and was rolled back.')
    return new Error('This transaction has ended: its handle must not be used outside of its unit of work.')
  }

  /** Ends the unit. Returns false if the unit had already ended. */
  #end(): boolean {
    this.#cancelDeadline()
    if (this.#state !== 'open') return false
    this.#state = 'ended'
    return true
  }
}
