import type { ErrorCode, ErrorDetail } from '@parley/contract/errors'

/** Error codes for requests without a readable response. */
export type TransportCode = 'offline' | 'timeout' | 'unreadable'

/** A failed operation. */
export class Problem extends Error {
  readonly code: ErrorCode | TransportCode
  /** HTTP status; 0 if there is no response. */
  readonly status: number
  /** Problems with individual fields, by path in the body. */
  readonly details: readonly ErrorDetail[]
  /** Null if there is no response. */
  readonly requestId: string | null

  constructor(
    message: string,
    {
      code,
      status = 0,
      details = [],
      requestId = null,
    }: {
      readonly code: ErrorCode | TransportCode
      readonly status?: number
      readonly details?: readonly ErrorDetail[]
      readonly requestId?: string | null
    },
  ) {
    super(message)
    this.name = 'Problem'
    this.code = code
    this.status = status
    this.details = details
    this.requestId = requestId
  }
}

/** Whether a retry can succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 502)
}

/** Reads an error response. Responses that are not JSON, such as a proxy's, still provide a status. */
export async function readProblem(response: Response): Promise<Problem> {
  const { status } = response
  const requestId = response.headers.get('x-request-id')
  try {
    const body = (await response.json()) as { error: string; code: ErrorCode; details?: ErrorDetail[] }
    if (typeof body.error === 'string') {
      return new Problem(body.error, { code: body.code, status, details: body.details ?? [], requestId })
    }
  } catch {
    // The fallback below handles invalid JSON.
  }
  return new Problem(`The server returned status ${status}.`, { code: 'unreadable', status, requestId })
}
