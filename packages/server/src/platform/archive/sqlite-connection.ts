import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type CompiledQuery, type DatabaseConnection, Kysely, type QueryResult } from 'kysely'
import { MIGRATIONS } from '../database/migrator.ts'
import { createNodeSqliteDialect, toQueryResult } from '../database/node-sqlite-dialect.ts'
import { createSingleConnectionDriver } from '../database/single-connection-driver.ts'
import { StatementCache } from '../database/statement-cache.ts'
import { ArchiveError } from './archive-error.ts'
import type { Address, Connection, ConnectionMode } from './connection.ts'
import type { Cell, DescribedTable, Row, TableShape } from './table-shape.ts'

/** A server locks the file briefly when it starts or stops. */
const BUSY_TIMEOUT_MS = 10_000
/** Limits of a batch, which is held in memory. */
const MAX_ROWS = 2_000
const MAX_CHARACTERS = 1_000_000

/** Opens a SQLite file. Reading works while a server writes, because the snapshot is as of the first statement. */
export async function openSqliteConnection(
  { file, location }: Extract<Address, { kind: 'sqlite' }>,
  mode: ConnectionMode,
): Promise<Connection> {
  if (mode === 'read' && !existsSync(file)) {
    throw new ArchiveError(`${location} does not exist: check DATA_DIR or the given path.`)
  }
  const database = new DatabaseSync(file, { readOnly: mode === 'read', timeout: BUSY_TIMEOUT_MS })
  try {
    if (mode === 'read') database.exec('pragma query_only = on; begin; select count(*) from sqlite_schema')
    // `checkReferences` checks all references together after the load.
    else database.exec('pragma foreign_keys = off; pragma synchronous = full; pragma cache_size = -64000')
    return new SqliteConnection(database, location)
  } catch (error) {
    database.close()
    throw error
  }
}

class SqliteConnection implements Connection, DatabaseConnection {
  readonly location: string
  readonly kysely: Kysely<unknown>
  readonly migrations = MIGRATIONS
  readonly #database: DatabaseSync
  readonly #statements: StatementCache

  constructor(database: DatabaseSync, location: string) {
    this.#database = database
    this.#statements = new StatementCache(database)
    this.location = location
    const driver = createSingleConnectionDriver(this, 'Use the transaction methods of the connection.')
    this.kysely = new Kysely({ dialect: createNodeSqliteDialect(driver) })
  }

  async executeQuery<Result>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Result>> {
    return toQueryResult(this.#statements.run(sql, parameters))
  }

  streamQuery<Result>(): AsyncIterableIterator<QueryResult<Result>> {
    throw new Error('Use `stream` to stream rows.')
  }

  async describeTables(): Promise<DescribedTable[]> {
    const names = this.#database
      .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`)
      .all()
    return names.map(({ name }) => this.#describeTable(String(name)))
  }

  async countServerConnections(): Promise<number> {
    return 0
  }

  #describeTable(name: string): DescribedTable {
    const columns = this.#database
      .prepare('select name, type, pk from pragma_table_xinfo(?) where hidden = 0 order by cid')
      .all(name)
    const references = this.#database
      .prepare('select distinct "table" as parent from pragma_foreign_key_list(?)')
      .all(name)
    return {
      name,
      columns: columns.map((column) => ({ name: String(column.name), type: String(column.type) })),
      key: columns
        .filter(({ pk }) => Number(pk) > 0)
        .sort((a, b) => Number(a.pk) - Number(b.pk))
        .map((column) => String(column.name)),
      references: references.map(({ parent }) => String(parent)),
    }
  }

  async *stream(query: CompiledQuery): AsyncIterable<readonly Row[]> {
    const statement = this.#database.prepare(query.sql)
    statement.setReturnArrays(true)
    let rows: Row[] = []
    let characters = 0
    for (const row of statement.iterate(...(query.parameters as SQLInputValue[])) as Iterable<unknown>) {
      const cells = row as Cell[]
      rows.push(cells)
      for (const cell of cells) if (typeof cell === 'string') characters += cell.length
      if (rows.length < MAX_ROWS && characters < MAX_CHARACTERS) continue
      yield rows
      rows = []
      characters = 0
    }
    if (rows.length > 0) yield rows
  }

  async insert({ name, columns }: TableShape, rows: readonly (readonly Cell[])[]): Promise<void> {
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const placeholders = columns.map(() => '?').join(', ')
    const statement = this.#database.prepare(`insert into "${name}" (${names}) values (${placeholders})`)
    for (const row of rows) statement.run(...row)
  }

  async begin(): Promise<void> {
    this.#database.exec('begin immediate')
  }

  async commit(): Promise<void> {
    this.#database.exec('commit')
  }

  async checkReferences(): Promise<void> {
    const violation = this.#database.prepare('select "table", parent from pragma_foreign_key_check limit 1').get()
    if (violation !== undefined) {
      throw new ArchiveError(`A row of ${violation.table} references a missing row of ${violation.parent}.`)
    }
  }

  async rollback(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  async analyze(): Promise<void> {
    // Does nothing, because Parley's queries do not need planner statistics.
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
