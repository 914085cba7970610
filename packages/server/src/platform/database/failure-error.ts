import { AppError, ConstraintError, type ConstraintKind } from '../../kernel/errors.ts'
import { BatchConflictError } from '../../kernel/storage/database.ts'

/** Time that callers should wait before retrying an unreachable database. */
const RETRY_AFTER_MS = 1_000

/** Creates the error that callers receive for a failure of the writer. */
export function createFailureError(failure: SqliteFailure): Error {
  switch (failure.type) {
    case 'conflict':
      return new BatchConflictError(failure.statement)
    case 'constraint':
      return new ConstraintError(failure.kind, failure.message, failure.statement)
    case 'unavailable':
      return createUnavailableError(failure.message)
    case 'error':
      return new Error(failure.message)
  }
}

export function createUnavailableError(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterMs: RETRY_AFTER_MS, ...(cause !== undefined && { cause }) })
}

/** A failure of the writer as a plain value, because errors lose their class between threads. */
export type SqliteFailure =
  | { readonly type: 'conflict'; readonly statement: number }
  | {
      readonly type: 'constraint'
      readonly kind: ConstraintKind
      readonly message: string
      readonly statement: number | null
    }
  | { readonly type: 'unavailable'; readonly message: string }
  | { readonly type: 'error'; readonly message: string }

/** Primary result codes of SQLite for failures that are transient or require an operator, but no code change. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([
  5, // SQLITE_BUSY: another process holds the file
  6, // SQLITE_LOCKED
  8, // SQLITE_READONLY: the file system became read-only
  10, // SQLITE_IOERR
  13, // SQLITE_FULL: no space left
  14, // SQLITE_CANTOPEN
])

const CONSTRAINT_CODE = 19

/** Extended result codes: https://sqlite.org/rescode.html */
const CONSTRAINT_KINDS: ReadonlyMap<number, ConstraintKind> = new Map([
  [2067, 'unique'], // SQLITE_CONSTRAINT_UNIQUE
  [1555, 'unique'], // SQLITE_CONSTRAINT_PRIMARYKEY
  [2579, 'unique'], // SQLITE_CONSTRAINT_ROWID
  [787, 'foreign-key'], // SQLITE_CONSTRAINT_FOREIGNKEY
])

/** Classifies an error from `node:sqlite`. `statement` is the index within a batch. */
export function describeSqliteError(error: unknown, statement: number | null = null): SqliteFailure {
  const message = error instanceof Error ? error.message : String(error)
  const code = typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) : 0
  const primaryCode = code & 0xff
  if (primaryCode === CONSTRAINT_CODE) {
    return { type: 'constraint', kind: CONSTRAINT_KINDS.get(code) ?? 'other', message, statement }
  }
  if (UNAVAILABLE_CODES.has(primaryCode))
    return { type: 'unavailable', message: `The database cannot be used: ${message}.` }
  return { type: 'error', message }
}
