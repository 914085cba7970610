import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'

/** Creates a driver for one connection that never opens a transaction. Attempts to do so fail with `reason`. */
export function createSingleConnectionDriver(connection: DatabaseConnection, reason: string): Driver {
  const rejectTransaction = (): Promise<never> => Promise.reject(new Error(reason))
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: rejectTransaction,
    commitTransaction: rejectTransaction,
    rollbackTransaction: rejectTransaction,
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  }
}

/** Creates a connection that only compiles. Executing a query through it fails. */
export function createCompileOnlyConnection(): DatabaseConnection {
  const reason = 'This handle only compiles statements for a batch; execute through `read` or a transaction.'
  return {
    executeQuery: <Row>(): Promise<QueryResult<Row>> => Promise.reject(new Error(reason)),
    streamQuery: <Row>(_query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> => {
      throw new Error(reason)
    },
  }
}
