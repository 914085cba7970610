import type { SqliteFailure } from './failure-error.ts'
import type { StatementResult } from './statement-cache.ts'

/** A statement of a batch. `expectRows` is -1 if any number of changed rows is valid. */
export type StatementMessage = readonly [sql: string, parameters: readonly unknown[], expectRows: number]

/**
 * Requests from the main thread to the writer, as plain arrays because they are the cheapest to copy between threads. `open`
 * comes first, and again only after a `close`. Batches, begins and closes wait for their turn; the other requests belong to the
 * open transaction.
 */
export type WriterRequest =
  | readonly [kind: 'open', id: number, file: string]
  | readonly [kind: 'batch', id: number, statements: readonly StatementMessage[]]
  | readonly [kind: 'begin', id: number]
  | readonly [kind: 'statement', id: number, sql: string, parameters: readonly unknown[]]
  | readonly [kind: 'commit', id: number]
  | readonly [kind: 'rollback', id: number]
  | readonly [kind: 'close', id: number]

/** Outcome of a request. Only statements have a result. */
export type WriterOutcome = readonly [id: number, result: StatementResult | null, failure: SqliteFailure | null]
