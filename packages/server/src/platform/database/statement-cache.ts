import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** Limits the number of statements, because they can contain lists of any length. All stores together use fewer texts. */
const CAPACITY = 500

/** `[rows, changed rows, last inserted row id]`. The rows are empty if the statement returns none. */
export type StatementResult = readonly [rows: unknown[], changes: number, insertId: number | bigint | null]

interface PreparedStatement {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** Runs SQL on one connection and prepares each text once. A full cache drops its oldest text. */
export class StatementCache {
  readonly #database: DatabaseSync
  readonly #preparedStatements = new Map<string, PreparedStatement>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  run(sql: string, parameters: readonly unknown[]): StatementResult {
    const { statement, returnsRows } = this.#prepare(sql)
    // The binding rejects values that SQLite does not support.
    const values = parameters as SQLInputValue[]
    if (returnsRows) {
      const rows = statement.all(...values)
      return [rows, rows.length, null]
    }
    const { changes, lastInsertRowid } = statement.run(...values)
    return [[], Number(changes), lastInsertRowid]
  }

  #prepare(sql: string): PreparedStatement {
    const existing = this.#preparedStatements.get(sql)
    if (existing !== undefined) return existing
    const statement = this.#database.prepare(sql)
    const preparedStatement = { statement, returnsRows: statement.columns().length > 0 }
    if (this.#preparedStatements.size >= CAPACITY) {
      for (const oldestSql of this.#preparedStatements.keys()) {
        this.#preparedStatements.delete(oldestSql)
        break
      }
    }
    this.#preparedStatements.set(sql, preparedStatement)
    return preparedStatement
  }
}
