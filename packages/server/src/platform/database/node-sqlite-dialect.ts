import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { StatementResult } from './statement-cache.ts'

class NodeSqliteAdapter extends SqliteAdapter {
  /** Our drivers order statements themselves: without this Kysely would add a mutex around every one. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Kysely's SQLite dialect with a driver of our own. */
export function createNodeSqliteDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new NodeSqliteAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** A driver for one connection that never opens a transaction; `refusal` says why. */
export function createSingleConnectionDriver(connection: DatabaseConnection, refusal: string): Driver {
  const refuse = (): Promise<never> => Promise.reject(new Error(refusal))
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  }
}

/** Turns a statement's result into what Kysely expects. Kysely trusts the row type of the query that it compiled. */
export function toQueryResult<Row>([rows, changes, insertId]: StatementResult): QueryResult<Row> {
  const typedRows = rows as Row[]
  if (insertId === null) return { rows: typedRows }
  return { rows: typedRows, numAffectedRows: BigInt(changes), insertId: BigInt(insertId) }
}

/** Compiles only: a query that is executed through it fails. */
export function createCompileOnlyConnection(): DatabaseConnection {
  const refusal = 'This handle only compiles statements for a batch; execute through `read` or a transaction.'
  return {
    executeQuery: <Row>(): Promise<QueryResult<Row>> => Promise.reject(new Error(refusal)),
    streamQuery: <Row>(_query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> => {
      throw new Error(refusal)
    },
  }
}
