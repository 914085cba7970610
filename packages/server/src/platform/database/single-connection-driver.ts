import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'

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
