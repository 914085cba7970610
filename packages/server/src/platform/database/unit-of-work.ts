import type { CompiledQuery, QueryResult } from 'kysely'
import { toQueryResult } from './node-sqlite-dialect.ts'
import { TransactionUnit, type TransactionUnitOptions } from './transaction-unit.ts'
import type { WriterClient } from './writer-client.ts'

/** A transaction on the only writer of a SQLite file. */
export class UnitOfWork extends TransactionUnit {
  readonly #writer: WriterClient
  #beginPromise: Promise<void> | null = null

  constructor({ writer, ...options }: TransactionUnitOptions & { readonly writer: WriterClient }) {
    super(options)
    this.#writer = writer
  }

  /** Joins the writer's queue on the first call. Resolves when the transaction has begun. */
  begin(): Promise<void> {
    this.#beginPromise ??= this.#writer.begin().then(() => this.startDeadline())
    return this.#beginPromise
  }

  protected async run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return toQueryResult(await this.#writer.statement(sql, parameters))
  }

  protected async finish(statement: 'commit' | 'rollback'): Promise<void> {
    await this.#writer[statement]()
  }

  protected discard(): void {}

  protected cancel(): void {
    // A failure means that the writer has stopped, which also ends the transaction.
    this.#writer.rollback().catch(() => undefined)
  }
}
