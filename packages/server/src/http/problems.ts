import { ERROR_STATUS, type ErrorBody, type ErrorCode, type ErrorDetail } from '@parley/contract/errors'
import type { z } from 'zod'
import { AppError, ConstraintError, type ConstraintKind } from '../kernel/errors.ts'
import { joinPath } from './normalize-names.ts'

/** At most this many problems are listed, so that an answer stays small however bad the request. */
const MAX_DETAILS = 50

/** Keys of free-form objects stand in paths: a long one is cut, so that an answer is never larger than it must be. */
const MAX_PATH_LENGTH = 300

/** Every issue of a failed validation with its path, in words that say what to send instead. */
export function detailsOf(issues: readonly z.core.$ZodIssue[], base = ''): ErrorDetail[] {
  return issues.flatMap((issue) => {
    const path = issue.path.reduce<string>(
      (parent, key) => joinPath(parent, typeof key === 'number' ? key : String(key)),
      base,
    )
    if (issue.code === 'invalid_union' && issue.errors.length > 0 && isDefaultMessage(issue.message)) {
      return unionDetails(issue.errors, path)
    }
    if (issue.code === 'invalid_key' && isDefaultMessage(issue.message)) {
      return detailsOf(issue.issues).map(({ message }) => ({ path: cut(path), message: `key ${message}` }))
    }
    if (issue.code === 'invalid_element') return detailsOf(issue.issues, path)
    return [{ path: cut(path), message: describeIssue(issue) }]
  })
}

/**
 * Of a union that nothing matched, the option that came closest speaks. Of options that fail at the root, those of the right
 * type speak before those of another, and a sentence of ours before a generated one.
 */
function unionDetails(options: readonly (readonly z.core.$ZodIssue[])[], path: string): ErrorDetail[] {
  const deepest = [...options].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? []
  if (depth(deepest) > 0) return detailsOf(deepest, path)
  const issues = prefer(options.flat(), (issue) => issue.code !== 'invalid_type')
  const spoken = prefer(issues, (issue) => !isDefaultMessage(issue.message))
  const messages = new Set(detailsOf(spoken, path).map((detail) => detail.message))
  return [{ path: cut(path), message: [...messages].join(', or ') }]
}

function prefer<Item>(items: readonly Item[], isPreferred: (item: Item) => boolean): readonly Item[] {
  const preferred = items.filter(isPreferred)
  return preferred.length > 0 ? preferred : items
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.min(...issues.map((issue) => issue.path.length))
}

function cut(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path
}

/** Whether the validator made the sentence; those of the contract begin with "must". */
function isDefaultMessage(message: string): boolean {
  return /^(Invalid|Too (big|small)|Unrecognized)/.test(message)
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (!isDefaultMessage(issue.message)) return lowerFirst(issue.message)
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected] ?? issue.expected
      return issue.message.endsWith('received undefined') ? `is required and must be ${kind}` : `must be ${kind}`
    }
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be ${oneOf(issue.options)}`
        : lowerFirst(issue.message)
    case 'too_small':
      return `must ${bound(issue.origin, issue.exact ? 'exactly' : 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${bound(issue.origin, issue.exact ? 'exactly' : 'at most', issue.maximum)}`
    case 'invalid_format':
      return `must be a valid ${issue.format}`
    default:
      return lowerFirst(issue.message)
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

function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value) ?? String(value))
  return words.length === 1 ? (words[0] ?? '') : `one of ${words.join(', ')}`
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  const unit = UNITS[origin]
  if (unit === undefined) return `be ${relation} ${limit}`
  return `have ${relation} ${limit} ${Number(limit) === 1 ? unit.replace(/(ie)?s$/, (end) => (end === 'ies' ? 'y' : '')) : unit}`
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

/** All problems of a request as one error: the sentence names the first, the details name all. */
export function invalidRequest(details: readonly ErrorDetail[]): AppError {
  const [first] = details
  const sentence =
    first === undefined ? 'The request is not valid.' : `${first.path === '' ? 'body' : first.path}: ${first.message}`
  const more = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : ''
  return new AppError('invalid_request', sentence + more, { details: details.slice(0, MAX_DETAILS) })
}

const FRAMEWORK_CODES: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not a valid URL path.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is too long.'],
  FST_ERR_ASYNC_CONSTRAINT: ['invalid_request', 'The request is not valid.'],
}

/** What two requests at the same moment mean that each would have been fine alone: their checks saw the state before both. */
const RACE_ERRORS: Readonly<Partial<Record<ConstraintKind, [ErrorCode, string]>>> = {
  'foreign-key': ['not_found', 'What this belongs to was deleted at the same moment.'],
  unique: ['id_taken', 'The same was made by another request at the same moment.'],
}

/** What a handler threw: its `AppError`, or `internal_error` without a word of the cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const lost = error instanceof ConstraintError ? RACE_ERRORS[error.kind] : undefined
  if (lost !== undefined) return new AppError(lost[0], lost[1], { cause: error })
  return new AppError(
    'internal_error',
    'Something went wrong on our side. The request id helps to find it in the log.',
    {
      cause: error,
    },
  )
}

/** What a route takes, for the sentence of a refusal. */
interface RouteLimits {
  readonly bodyLimitBytes?: number | undefined
  readonly acceptsForms?: boolean | undefined
}

/** What anything thrown between the socket and the handler means: the framework has codes and statuses of its own. */
export function readFrameworkError(error: unknown, limits: RouteLimits = {}): AppError {
  if (error instanceof AppError) return error
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('payload_too_large', describeTooLarge(limits))
  const known = typeof code === 'string' ? FRAMEWORK_CODES[code] : undefined
  if (known !== undefined) return new AppError(known[0], known[1])
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_request', 'The request could not be read.')
  }
  return toAppError(error)
}

const BYTES_PER_MIB = 1024 * 1024

function describeTooLarge({ bodyLimitBytes, acceptsForms = false }: RouteLimits): string {
  if (bodyLimitBytes === undefined) return 'The body is larger than this operation accepts.'
  const isWhole = bodyLimitBytes % BYTES_PER_MIB === 0
  const limit = isWhole ? `${bodyLimitBytes / BYTES_PER_MIB} MiB` : `${bodyLimitBytes} bytes`
  const advice = acceptsForms ? ' Send larger files as multipart/form-data.' : ''
  return `The body is larger than the ${limit} that this operation accepts.${advice}`
}

/** The one form of every error answer. Call routes add `success: false`. */
export function errorBody(error: AppError, requestId: string, isCallRoute: boolean): ErrorBody {
  return {
    ...(isCallRoute && { success: false as const }),
    error: error.message,
    code: error.code,
    status: ERROR_STATUS[error.code],
    details: [...error.details],
    requestId,
  }
}

/** Call routes have an envelope of their own, which says `success: false`. */
export function isCallRoute(url: string): boolean {
  return /^\/api\/(v1\/)?calls(\/|\?|$)/.test(url)
}
