import type { SqliteFailure } from './sqlite-failure.ts'
import type { StatementResult } from './statement-cache.ts'

/** A statement of a batch; `expectRows` is -1 when any number of changed rows will do. */
export type StatementMessage = readonly [sql: string, parameters: readonly unknown[], expectRows: number]

/**
 * What the main thread asks of the writer. Plain arrays: they are the cheapest to copy between threads.
 * `open` comes first, and again only after a `close`. Batches, begins and closes wait for their turn; the other three belong to the transaction that is open.
 */
export type WriterRequest =
  | readonly [kind: 'open', id: number, file: string]
  | readonly [kind: 'batch', id: number, statements: readonly StatementMessage[]]
  | readonly [kind: 'begin', id: number]
  | readonly [kind: 'statement', id: number, sql: string, parameters: readonly unknown[]]
  | readonly [kind: 'commit', id: number]
  | readonly [kind: 'rollback', id: number]
  | readonly [kind: 'close', id: number]

/** What became of one request. Statements have a result, everything else only succeeds or fails. */
export type WriterOutcome = readonly [id: number, result: StatementResult | null, failure: SqliteFailure | null]
