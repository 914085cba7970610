import { AppError, ConstraintError } from '../../kernel/errors.ts'
import { BatchConflictError } from '../../kernel/storage/database.ts'
import type { SqliteFailure } from './sqlite-failure.ts'

/** How long a caller should wait before it tries a database that could not be reached. */
const RETRY_AFTER_MS = 1_000

/** The error that callers see. */
export function createFailureError(failure: SqliteFailure): Error {
  switch (failure.type) {
    case 'conflict':
      return new BatchConflictError(failure.statement)
    case 'constraint':
      return new ConstraintError(failure.kind, failure.message, failure.statement)
    case 'unavailable':
      return unavailable(failure.message)
    case 'error':
      return new Error(failure.message)
  }
}

export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterMs: RETRY_AFTER_MS, ...(cause !== undefined && { cause }) })
}
