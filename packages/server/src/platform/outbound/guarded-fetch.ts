import type { Clock } from '@parley/engine/ports'
import { type Agent, fetch, type Response as UpstreamResponse } from 'undici'
import { type Deadline, startDeadline } from './deadline.ts'
import { describeFailure, OutboundError } from './guarded-agent.ts'
import { findUrlProblem, type HeaderMap, prepareHeaders } from './outbound-headers.ts'
import type { OutboundRequest } from './outbound-request.ts'
import { createTooLargeError } from './response-body.ts'

/** A request to a customer's address with a streamed response. */
export interface FetchRequest {
  readonly method: OutboundRequest['method']
  readonly headers?: HeaderMap
  readonly body?: string | undefined
  /** Aborting ends the request, or reading its response, immediately with `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** Time limit for everything up to the end of the body. */
  readonly timeoutMs: number
  /** Size limit of the decompressed body. */
  readonly maxResponseBytes: number
}

/**
 * Sends a `fetch` request through the guard without following redirects. Rejects with an `OutboundError`, also while reading
 * the body. Read the body to its end or cancel it; otherwise the connection stays open until the deadline.
 */
export type GuardedFetch = (url: string | URL, request: FetchRequest) => Promise<Response>

export interface GuardedFetchOptions {
  /** Agent from `createGuardedAgent`. */
  readonly agent: Agent
  readonly clock: Clock
}

const BODILESS_STATUSES = new Set([204, 205, 304])

/** Creates a guarded `fetch` for clients that need one. */
export function createGuardedFetch({ agent, clock }: GuardedFetchOptions): GuardedFetch {
  return async (address, request) => {
    const { url, headers } = prepareFetch(address, request)
    const deadline = startDeadline(clock, request.timeoutMs, request.signal)
    const toError = (error: unknown): OutboundError => toOutboundError(error, deadline, request.timeoutMs)
    try {
      deadline.signal.throwIfAborted()
      const response = await deadline.race(
        fetch(url, {
          method: request.method,
          headers,
          body: request.body ?? null,
          redirect: 'manual',
          dispatcher: agent,
          signal: deadline.signal,
        }),
      )
      return limitResponse(response, { maxBytes: request.maxResponseBytes, deadline, fail: toError })
    } catch (error) {
      deadline.release()
      throw toError(error)
    }
  }
}

function prepareFetch(address: string | URL, request: FetchRequest): { url: URL; headers: Record<string, string> } {
  const text = String(address)
  const url = URL.canParse(text) ? new URL(text) : null
  const problem = url === null ? 'The address is not a valid URL.' : findUrlProblem(url)
  if (url === null || problem !== null) throw new OutboundError('invalid-request', problem ?? '')
  const headerResult = prepareHeaders(request.headers ?? {})
  if ('problem' in headerResult) throw new OutboundError('invalid-request', headerResult.problem)
  return { url, headers: { ...headerResult.headers } }
}

interface Limits {
  readonly maxBytes: number
  readonly deadline: Deadline
  readonly fail: (error: unknown) => OutboundError
}

/** Returns the same response with a limited body. */
function limitResponse(response: UpstreamResponse, limits: Limits): Response {
  const { status, statusText, body } = response
  const headers = [...response.headers]
  if (Number(response.headers.get('content-length') ?? 0) > limits.maxBytes) {
    discardBody(body)
    throw createTooLargeError(limits.maxBytes)
  }
  if (body === null || BODILESS_STATUSES.has(status)) {
    discardBody(body)
    limits.deadline.release()
    return new Response(null, { status, statusText, headers })
  }
  return new Response(limitBody(body as ReadableStream<Uint8Array>, limits), { status, statusText, headers })
}

/** Limits the size of a body, which is read on demand. Releases the deadline and the connection however reading ends. */
function limitBody(body: ReadableStream<Uint8Array>, { maxBytes, deadline, fail }: Limits): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let sizeBytes = 0
  const end = (error: unknown): void => {
    deadline.release()
    // A broken response cannot be canceled.
    reader.cancel(error).catch(() => undefined)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await deadline.race(reader.read())
          if (done) {
            deadline.release()
            controller.close()
            return
          }
          sizeBytes += value.byteLength
          if (sizeBytes > maxBytes) throw createTooLargeError(maxBytes)
          controller.enqueue(value)
        } catch (error) {
          controller.error(fail(error))
          end(error)
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

function discardBody(body: UpstreamResponse['body']): void {
  body?.cancel().catch(() => undefined)
}

function toOutboundError(error: unknown, deadline: Deadline, timeoutMs: number): OutboundError {
  const endReason = deadline.getEndReason()
  if (endReason === 'timeout') return new OutboundError('timeout', `The server did not respond within ${timeoutMs} ms.`)
  if (endReason === 'cancelled') return new OutboundError('cancelled', 'The request was cancelled.')
  // `fetch` wraps the cause in an error with a generic message.
  const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error
  const { reason, message } = describeFailure(cause, null)
  return new OutboundError(reason, message)
}
