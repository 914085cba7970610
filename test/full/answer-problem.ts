import { isDeepStrictEqual } from 'node:util'
import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@parley/contract/errors'
import { listErrorCodes } from '@parley/contract/openapi'
import type { Operation } from '@parley/contract/operation'
import type { RawAnswer, RawRequest } from './raw-request.ts'

/** Error body schema that rejects unknown keys. */
const StrictErrorBody = ErrorBody.strict()

/** Error codes that any path can return before routing. */
const COMMON_ERROR_CODES: readonly ErrorCode[] = ['uri_too_long']

/** Error codes for failures of external services. */
const UPSTREAM_ERROR_CODES: readonly ErrorCode[] = ['provider_error', 'provider_timeout']

export interface Exchange {
  readonly sent: RawRequest
  readonly answer: RawAnswer
  readonly operation: Operation
  /** Whether the request still has the operation's method and path. */
  readonly isRouted: boolean
}

/** Returns how a response violates the contract, or null if it is valid. */
export function problemOf(exchange: Exchange): string | null {
  const { sent, answer } = exchange
  const requestId = answer.headers['x-request-id']
  if (!/^req_[0-9a-f]{26}$/.test(String(requestId))) return `X-Request-Id is ${requestId}`
  if (answer.status >= 400) return sent.method === 'HEAD' ? headProblem(exchange) : errorProblem(exchange)
  return exchange.isRouted ? successProblem(exchange) : null
}

/** Checks only the status, since HEAD responses have no body. */
function headProblem({ answer: { status }, operation }: Exchange): string | null {
  const upstreamCodes = UPSTREAM_ERROR_CODES.filter((code) => listErrorCodes(operation).includes(code))
  return status >= 500 && !upstreamCodes.some((code) => ERROR_STATUS[code] === status) ? 'a fault of ours' : null
}

function successProblem({ answer, operation }: Exchange): string | null {
  const { status, headers, text } = answer
  const type = headers['content-type']
  if (operation.features?.includes('event-stream') && type?.startsWith('text/event-stream')) {
    return status === 200 ? null : 'a stream has status 200'
  }
  if (operation.mediaType !== undefined) return bytesProblem(answer, operation.mediaType)
  if (status !== operation.status) return `the status should be ${operation.status}`
  if (operation.result === undefined) return text === '' ? null : 'there should be no body'
  if (type !== 'application/json; charset=utf-8') return 'not JSON'
  const body: unknown = JSON.parse(text)
  const parsed = operation.result.safeParse(body)
  if (!parsed.success) return `not the schema: ${parsed.error.message}`
  // Parsing drops unknown keys.
  return isDeepStrictEqual(parsed.data, body) ? null : 'there is more in it than in the schema'
}

/** Accepts complete, partial and not-modified responses. */
function bytesProblem({ status, headers }: RawAnswer, mediaType: string): string | null {
  if (status === 304) return null
  const type = headers['content-type'] ?? ''
  const isExpected = mediaType.endsWith('/*') ? type.startsWith(mediaType.slice(0, -1)) : type === mediaType
  if (!isExpected) return `not ${mediaType}`
  if (headers['accept-ranges'] !== 'bytes') return 'it does not say that ranges can be had'
  if (status === 206) return headers['content-range'] === undefined ? 'Content-Range is missing' : null
  return status === 200 ? null : 'the status should be 200 or 206'
}

function errorProblem({ sent, answer, operation, isRouted }: Exchange): string | null {
  const { status, headers, text } = answer
  if (headers['content-type'] !== 'application/json; charset=utf-8') return 'not JSON'
  const parsed = StrictErrorBody.safeParse(JSON.parse(text))
  if (!parsed.success) return `not the one form: ${parsed.error.message}`
  const { data } = parsed
  const isListed = [...listErrorCodes(operation), ...COMMON_ERROR_CODES].includes(data.code)
  if (status >= 500 && !(UPSTREAM_ERROR_CODES.includes(data.code) && isListed)) return 'a fault of ours'
  if (isRouted && !isListed) return `${operation.name} does not list the code ${data.code}`
  if (data.status !== status) return 'the body tells another status'
  if (ERROR_STATUS[data.code] !== status) return 'the code does not go with the status'
  if (data.requestId !== headers['x-request-id']) return 'the body tells another request id'
  const isCall = /^\/api\/(v1\/)?calls([/?]|$)/.test(sent.path)
  if ((data.success === false) !== isCall) return '"success": false belongs to call routes'
  return wordingProblem(data) ?? headerProblem(answer)
}

function wordingProblem({ error, details }: ErrorBody): string | null {
  if (error.trim() === '') return 'nothing is said'
  if (details.length > 50) return 'too much is said'
  const words = error + JSON.stringify(details.map(({ message }) => message))
  return /\n\s+at |node_modules|SQLITE|sqlite|postgres|SQLSTATE|duplicate key|undefined|\[object/.test(words)
    ? 'something of the inside is told'
    : null
}

function headerProblem({ status, headers }: RawAnswer): string | null {
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') return 'WWW-Authenticate is missing'
  if (status === 405 && headers.allow === undefined) return 'Allow is missing'
  if (status === 429 && !/^[1-9]\d*$/.test(headers['retry-after'] ?? '')) return 'Retry-After is missing'
  return null
}
