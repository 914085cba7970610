import { ConstraintError, type ConstraintKind } from '../../kernel/errors.ts'
import { BatchConflictError } from '../../kernel/storage/database.ts'
import { createUnavailableError } from './failure-error.ts'

/** Error code of our function `parley_expect`. The detail is the index of the statement. */
export const UNEXPECTED_ROWS = 'PA001'

/** SQLSTATE codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CONSTRAINT_KINDS: ReadonlyMap<string, ConstraintKind> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreign-key'],
])

/** Serialization failure and deadlock. A retry can succeed. */
const CONTENTION_CODES = new Set(['40001', '40P01'])

/** Classes and codes of failures that are transient or require an operator, but no code change. */
const UNAVAILABLE_CODES = [
  '08', // connection
  '28', // the login was rejected
  '3D000', // no such database
  '53', // out of connections, memory, disk
  '55P03', // a lock was not available in time
  '57', // canceled by a timeout, shutting down, starting up
  '58', // system errors such as I/O
  '25006', // read-only: a standby replaced the primary
  '25P03', // idle in a transaction for too long
]

interface PostgresError {
  readonly code: string
  readonly message: string
  readonly detail?: string
}

function isPostgresError(error: unknown): error is PostgresError {
  // Socket errors also have codes (EPIPE), but no severity.
  return typeof error === 'object' && error !== null && 'code' in error && 'severity' in error
}

/** Whether a retry of the same work can succeed. */
export function isContention(error: unknown): boolean {
  return isPostgresError(error) && CONTENTION_CODES.has(error.code)
}

/** Whether the server rejected only the statement, so that the connection can be reused. */
export function isStatementRejection(error: unknown): boolean {
  if (!isPostgresError(error)) return false
  return error.code === UNEXPECTED_ROWS || error.code.startsWith('23') || isContention(error)
}

/** Whether a concurrent unit of work may have caused the constraint error, so that a retry can succeed. */
export function isLostRace(error: unknown): boolean {
  return isPostgresError(error) && CONSTRAINT_KINDS.has(error.code)
}

/** Whether the connection was lost, which the driver reports as a plain `Error`. Other errors are instances of subclasses. */
function isConnectionError(error: unknown): boolean {
  return error instanceof AggregateError || (error instanceof Error && error.constructor === Error)
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/**
 * Converts an error into the error that callers receive. `statement` is the index within a batch. Messages name tables and
 * columns, never values.
 */
export function toPostgresError(error: unknown, statement: number | null = null): Error {
  if (!isPostgresError(error)) {
    return isConnectionError(error) ? createUnavailableError('The database cannot be reached.', error) : toError(error)
  }
  const { code, message, detail } = error
  if (code === UNEXPECTED_ROWS) return new BatchConflictError(Number(detail ?? 0))
  if (code.startsWith('23')) return new ConstraintError(CONSTRAINT_KINDS.get(code) ?? 'other', message, statement)
  if (CONTENTION_CODES.has(code))
    return createUnavailableError('Too many concurrent writes to the same data; try again.', error)
  if (UNAVAILABLE_CODES.some((prefix) => code.startsWith(prefix))) {
    return createUnavailableError('The database is currently unavailable.', error)
  }
  return new Error(message, { cause: code })
}
