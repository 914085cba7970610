import { z } from 'zod'
import { defineObject } from './named-object.ts'

/** All error codes of the API with their HTTP status. */
export const ERROR_STATUS = {
  invalid_request: 400,
  tenant_context_required: 400,
  unauthorized: 401,
  workspace_forbidden: 403,
  forbidden: 403,
  reauthentication_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  version_conflict: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  chat_ended: 422,
  chat_ongoing: 422,
  chat_not_stored: 422,
  version_frozen: 422,
  in_use: 422,
  id_taken: 422,
  idempotency_key_reused: 422,
  model_not_configured: 422,
  engine_unavailable: 422,
  turn_not_running: 422,
  call_not_live: 422,
  call_not_stored: 422,
  provider_not_configured: 422,
  link_invalid: 422,
  rate_limited: 429,
  concurrency_limit_reached: 429,
  internal_error: 500,
  provider_error: 502,
  unavailable: 503,
  provider_timeout: 504,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** A problem in a request, with the path of the field. */
export const ErrorDetail = defineObject('ErrorDetail', {
  path: z.string().describe('Path of the field, such as `nodes[2].id`. Empty for the whole body.'),
  message: z.string().describe('Problem with the field.'),
})
export type ErrorDetail = z.infer<typeof ErrorDetail>

/** Body of every error response. */
export const ErrorBody = defineObject('Error', {
  error: z.string().describe('Error message that explains how to fix the problem, in one sentence.'),
  code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]).describe('Machine-readable error code.'),
  status: z.int().describe('HTTP status.'),
  details: z.array(ErrorDetail).describe('Problems of individual fields. Empty if there are none.'),
  requestId: z.string().describe('ID of the request, identical to the `X-Request-Id` header.'),
  success: z.literal(false).optional().describe('Returned by call operations only.'),
})
export type ErrorBody = z.infer<typeof ErrorBody>
