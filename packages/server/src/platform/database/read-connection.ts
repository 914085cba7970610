import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { createFailureError } from './failure-error.ts'
import { toQueryResult } from './node-sqlite-dialect.ts'
import { describeSqliteError } from './sqlite-failure.ts'
import { StatementCache } from './statement-cache.ts'

/** A checkpoint at the end of another process's life can block readers for a moment. */
const BUSY_TIMEOUT_MS = 1_000

/** The main thread's connection: sees the last commit, cannot write. `assertAllowed` throws where reading is misuse. */
export class ReadConnection implements DatabaseConnection {
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
    // A statement of its own: a cached one would be reset when the same text runs between two rows.
    const statement = this.#database.prepare(sql)
    for (const row of statement.iterate(...(parameters as SQLInputValue[]))) yield { rows: [row as Row] }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }
}
