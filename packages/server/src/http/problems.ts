import { ERROR_STATUS, type ErrorBody, type ErrorCode, type ErrorDetail } from '@parley/contract/errors'
import type { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { joinPath } from './normalise-names.ts'

/** At most this many problems are listed, so that an answer stays small however bad the request. */
const MAX_DETAILS = 50

/** Every issue of a failed validation with its path. */
export function detailsOf(issues: readonly z.core.$ZodIssue[], base = ''): ErrorDetail[] {
  return issues.flatMap((issue) => {
    const path = issue.path.reduce<string>(
      (parent, key) => joinPath(parent, typeof key === 'number' ? key : String(key)),
      base,
    )
    if (issue.code !== 'invalid_union' || issue.errors.length === 0)
      return [{ path, message: lowerFirst(issue.message) }]
    return unionDetails(issue.errors, path)
  })
}

/** Of a union that nothing matched, the option that came closest speaks; options that fail at the root are joined by "or". */
function unionDetails(options: readonly (readonly z.core.$ZodIssue[])[], path: string): ErrorDetail[] {
  const deepest = [...options].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? []
  if (depth(deepest) > 0) return detailsOf(deepest, path)
  const messages = new Set(options.flatMap((option) => detailsOf(option, path)).map((detail) => detail.message))
  return [{ path, message: [...messages].join(', or ') }]
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.min(...issues.map((issue) => issue.path.length))
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
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is larger than this operation accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not a valid URL path.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is too long.'],
  FST_ERR_ASYNC_CONSTRAINT: ['invalid_request', 'The request is not valid.'],
}

/** What any thrown value means to the caller. Unknown errors become `internal_error` without a word of their own. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  const known = typeof code === 'string' ? FRAMEWORK_CODES[code] : undefined
  if (known !== undefined) return new AppError(known[0], known[1])
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_request', 'The request could not be read.')
  }
  return new AppError(
    'internal_error',
    'Something went wrong on our side. The request id helps to find it in the log.',
    {
      cause: error,
    },
  )
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
