import { ERROR_STATUS, type ErrorCode, type ErrorDetail } from '@parley/contract/errors'

export interface AppErrorOptions {
  readonly details?: readonly ErrorDetail[]
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/** An error that is sent to the caller. The code determines the HTTP status. Messages contain no secrets. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[]
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details ?? []
    this.retryAfterMs = options.retryAfterMs
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }
}

/** Builds an `invalid_request` error for one field. */
export function invalidField(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] })
}

/** Throws one `invalid_request` error for all problems of a body. Does nothing if there are no problems. */
export function rejectProblems(problems: readonly ErrorDetail[]): void {
  const [firstProblem] = problems
  if (firstProblem === undefined) return
  throw new AppError('invalid_request', `${firstProblem.path}: ${firstProblem.message}`, { details: problems })
}

/** Builds the same `not_found` error for an unknown id and for an id of another workspace. */
export function notFound(resourceName: string, id: string | number): AppError {
  return new AppError('not_found', `No ${resourceName} "${id}" exists in this workspace.`)
}

/** A resource that uses another resource. Its name may be empty. */
export interface ResourceUser {
  readonly id: string
  readonly name: string
}

/**
 * Builds an `in_use` error that lists the users of a resource. `remedy` tells the caller how to resolve the conflict.
 */
export function inUse(resource: string, users: readonly ResourceUser[], remedy: string): AppError {
  const names = users.map(({ id, name }) => (name === '' ? id : `"${name}" (${id})`))
  const details = names.map((user) => ({ path: '', message: `used by ${user}` }))
  return new AppError('in_use', `${resource} is used by ${names.join(', ')}. ${remedy}`, { details })
}

export type ConstraintKind = 'unique' | 'foreign-key' | 'other'

/**
 * A write that violates a schema constraint. Rolls back the batch, but not a surrounding transaction. The message names
 * tables and columns, never values.
 */
export class ConstraintError extends Error {
  readonly kind: ConstraintKind
  /** Index of the statement in its batch, or null in a transaction. */
  readonly statement: number | null

  constructor(kind: ConstraintKind, message: string, statement: number | null = null) {
    super(message)
    this.name = 'ConstraintError'
    this.kind = kind
    this.statement = statement
  }
}
