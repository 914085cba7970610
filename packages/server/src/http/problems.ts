import { ERROR_STATUS, type ErrorBody, type ErrorCode, type ErrorDetail } from '@parley/contract/errors'
import type { z } from 'zod'
import { AppError, ConstraintError, type ConstraintKind } from '../kernel/errors.ts'
import { joinPath } from './normalize-names.ts'

/** Maximum number of listed problems. */
const MAX_DETAILS = 50

/** Longer paths are truncated. A path can contain keys of free-form objects. */
const MAX_PATH_LENGTH = 300

/** Converts the issues of a failed validation into error details with the path and the expected value. */
export function toErrorDetails(issues: readonly z.core.$ZodIssue[], parentPath = ''): ErrorDetail[] {
  return issues.flatMap((issue) => {
    const path = issue.path.reduce<string>(
      (parent, key) => joinPath(parent, typeof key === 'number' ? key : String(key)),
      parentPath,
    )
    if (issue.code === 'invalid_union' && issue.errors.length > 0 && isDefaultMessage(issue.message)) {
      return selectUnionDetails(issue.errors, path)
    }
    if (issue.code === 'invalid_key' && isDefaultMessage(issue.message)) {
      return toErrorDetails(issue.issues).map(({ message }) => ({
        path: truncatePath(path),
        message: `key ${message}`,
      }))
    }
    if (issue.code === 'invalid_element') return toErrorDetails(issue.issues, path)
    return [{ path: truncatePath(path), message: describeIssue(issue) }]
  })
}

/** Returns the issues of the closest union option. Prefers options of the right type, then the contract's own messages. */
function selectUnionDetails(options: readonly (readonly z.core.$ZodIssue[])[], path: string): ErrorDetail[] {
  const deepestIssues = [...options].sort((a, b) => getMinDepth(b) - getMinDepth(a) || a.length - b.length)[0] ?? []
  if (getMinDepth(deepestIssues) > 0) return toErrorDetails(deepestIssues, path)
  const issues = filterPreferredItems(options.flat(), (issue) => issue.code !== 'invalid_type')
  const preferredIssues = filterPreferredItems(issues, (issue) => !isDefaultMessage(issue.message))
  const messages = new Set(toErrorDetails(preferredIssues, path).map((detail) => detail.message))
  return [{ path: truncatePath(path), message: [...messages].join(', or ') }]
}

function filterPreferredItems<Item>(items: readonly Item[], isPreferred: (item: Item) => boolean): readonly Item[] {
  const preferredItems = items.filter(isPreferred)
  return preferredItems.length > 0 ? preferredItems : items
}

function getMinDepth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.min(...issues.map((issue) => issue.path.length))
}

function truncatePath(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path
}

/** Whether the message comes from zod. The contract's own messages start with "must". */
function isDefaultMessage(message: string): boolean {
  return /^(Invalid|Too (big|small)|Unrecognized)/.test(message)
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (!isDefaultMessage(issue.message)) return lowercaseFirstLetter(issue.message)
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected] ?? issue.expected
      return issue.message.endsWith('received undefined') ? `is required and must be ${kind}` : `must be ${kind}`
    }
    case 'invalid_value':
      return `must be ${describeAllowedValues(issue.values)}`
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be ${describeAllowedValues(issue.options)}`
        : lowercaseFirstLetter(issue.message)
    case 'too_small':
      return `must ${describeBound(issue.origin, issue.exact ? 'exactly' : 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${describeBound(issue.origin, issue.exact ? 'exactly' : 'at most', issue.maximum)}`
    case 'invalid_format':
      return `must be a valid ${issue.format}`
    default:
      return lowercaseFirstLetter(issue.message)
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
}

const UNITS: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  map: 'entries',
  object: 'keys',
  record: 'keys',
}

function describeAllowedValues(values: readonly unknown[]): string {
  const descriptions = values.map((value) => JSON.stringify(value) ?? String(value))
  return descriptions.length === 1 ? (descriptions[0] ?? '') : `one of ${descriptions.join(', ')}`
}

function describeBound(origin: string, relation: string, limit: number | bigint): string {
  const unit = UNITS[origin]
  if (unit === undefined) return `be ${relation} ${limit}`
  return `have ${relation} ${limit} ${Number(limit) === 1 ? unit.replace(/(ie)?s$/, (suffix) => (suffix === 'ies' ? 'y' : '')) : unit}`
}

function lowercaseFirstLetter(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}

/** Builds one error that lists all problems. Its message describes the first one. */
export function createInvalidRequestError(details: readonly ErrorDetail[]): AppError {
  const [firstDetail] = details
  const message =
    firstDetail === undefined
      ? 'The request is not valid.'
      : `${firstDetail.path === '' ? 'body' : firstDetail.path}: ${firstDetail.message}`
  const suffix = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : ''
  return new AppError('invalid_request', message + suffix, { details: details.slice(0, MAX_DETAILS) })
}

const FRAMEWORK_CODES: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The length of the body does not match Content-Length.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not a valid URL path.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is too long.'],
  FST_ERR_ASYNC_CONSTRAINT: ['invalid_request', 'The request is not valid.'],
}

/** Errors for constraints that two concurrent requests can violate. */
const RACE_ERRORS: Readonly<Partial<Record<ConstraintKind, [ErrorCode, string]>>> = {
  'foreign-key': ['not_found', 'The parent resource was deleted at the same time.'],
  unique: ['id_taken', 'Another request created the same resource at the same time.'],
}

/** Returns a thrown `AppError` unchanged; otherwise, an `internal_error` without details. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const raceError = error instanceof ConstraintError ? RACE_ERRORS[error.kind] : undefined
  if (raceError !== undefined) return new AppError(raceError[0], raceError[1], { cause: error })
  return new AppError(
    'internal_error',
    'Something went wrong on our side. Use the request id to find the cause in the server log.',
    {
      cause: error,
    },
  )
}

/** Route limits mentioned in error messages. */
interface RouteLimits {
  readonly bodyLimitBytes?: number | undefined
  readonly acceptsForms?: boolean | undefined
}

/** Converts any error outside the handler into an `AppError`, including Fastify's error codes. */
export function toFrameworkAppError(error: unknown, limits: RouteLimits = {}): AppError {
  if (error instanceof AppError) return error
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('payload_too_large', formatBodyTooLargeMessage(limits))
  const knownError = typeof code === 'string' ? FRAMEWORK_CODES[code] : undefined
  if (knownError !== undefined) return new AppError(knownError[0], knownError[1])
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_request', 'The request could not be read.')
  }
  return toAppError(error)
}

const BYTES_PER_MIB = 1024 * 1024

function formatBodyTooLargeMessage({ bodyLimitBytes, acceptsForms = false }: RouteLimits): string {
  if (bodyLimitBytes === undefined) return 'The body is larger than this operation accepts.'
  const isWholeMib = bodyLimitBytes % BYTES_PER_MIB === 0
  const limit = isWholeMib ? `${bodyLimitBytes / BYTES_PER_MIB} MiB` : `${bodyLimitBytes} bytes`
  const advice = acceptsForms ? ' Send larger files as multipart/form-data.' : ''
  return `The body is larger than the ${limit} that this operation accepts.${advice}`
}

/** Builds the body of an error response. Call routes add `success: false`. */
export function buildErrorBody(error: AppError, requestId: string, isCallRoute: boolean): ErrorBody {
  return {
    ...(isCallRoute && { success: false as const }),
    error: error.message,
    code: error.code,
    status: ERROR_STATUS[error.code],
    details: [...error.details],
    requestId,
  }
}

/** Whether the URL belongs to a call route, which has its own envelope with `success: false`. */
export function isCallRoute(url: string): boolean {
  return /^\/api\/(v1\/)?calls(\/|\?|$)/.test(url)
}
