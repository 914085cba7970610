import {
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { StatementResult } from './statement-cache.ts'

class NodeSqliteAdapter extends SqliteAdapter {
  /** Disables Kysely's mutex around every statement, because the drivers already order statements. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Creates Kysely's SQLite dialect with our driver. */
export function createNodeSqliteDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new NodeSqliteAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Converts a statement result into Kysely's format. Kysely trusts the row type of the query that it compiled. */
export function toQueryResult<Row>([rows, changes, insertId]: StatementResult): QueryResult<Row> {
  const typedRows = rows as Row[]
  if (insertId === null) return { rows: typedRows }
  return { rows: typedRows, numAffectedRows: BigInt(changes), insertId: BigInt(insertId) }
}
