import type { ErrorCode, ErrorDetail } from '@parley/contract/errors'

/** What went wrong before the server answered anything. */
export type TransportCode = 'offline' | 'timeout' | 'unreadable'

/** An operation that failed: what the server answered, or that it did not answer. */
export class Problem extends Error {
  readonly code: ErrorCode | TransportCode
  /** HTTP status; 0 where there was no answer. */
  readonly status: number
  /** Problems of single fields, by the paths of the body that was sent. */
  readonly details: readonly ErrorDetail[]
  /** Names the request in the server's log; null where there was no answer. */
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

/** Whether trying again may help without anybody changing anything. */
export function isPassing(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 502)
}

/** Reads the body of an error answer; one that is not ours (a proxy's page) still has a status. */
export async function problemOf(response: Response): Promise<Problem> {
  const { status } = response
  const requestId = response.headers.get('x-request-id')
  try {
    const body = (await response.json()) as { error: string; code: ErrorCode; details?: ErrorDetail[] }
    if (typeof body.error === 'string') {
      return new Problem(body.error, { code: body.code, status, details: body.details ?? [], requestId })
    }
  } catch {
    // No JSON: told below.
  }
  return new Problem(`The server answered with status ${status}.`, { code: 'unreadable', status, requestId })
}
