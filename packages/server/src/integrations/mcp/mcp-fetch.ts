import type { AsyncLocalStorage } from 'node:async_hooks'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { FetchRequest, GuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { tooLarge } from '../../platform/outbound/response-body.ts'
import type { ByteBudget, Exchange } from './mcp-exchange.ts'

/** Of requests that nobody waits for: a cancellation, the end of a session. */
const AUXILIARY_TIMEOUT_MS = 5000
const AUXILIARY_RESPONSE_BYTES = 64 * 1024

export interface TransportFetchOptions {
  readonly fetch: GuardedFetch
  /** The exchange in whose course a request is sent. */
  readonly exchanges: AsyncLocalStorage<Exchange>
  /** Of all answers of one exchange together, for the sentence that says so. */
  readonly maxResponseBytes: number
}

/**
 * The `fetch` of a transport: through the guard, within the limits of the exchange that a request belongs to, and telling it
 * when nothing more can come. The stream for messages that answer nothing is not opened at all.
 */
export function createTransportFetch({ fetch, exchanges, maxResponseBytes }: TransportFetchOptions): FetchLike {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const method: FetchRequest['method'] = init.method === 'GET' || init.method === 'DELETE' ? init.method : 'POST'
    if (method === 'GET' && headers['last-event-id'] === undefined) return new Response(null, { status: 405 })
    const request = { method, headers, body: typeof init.body === 'string' ? init.body : undefined }
    const exchange = exchanges.getStore()
    if (exchange === undefined || exchange.signal.aborted) {
      const limits = { timeoutMs: AUXILIARY_TIMEOUT_MS, maxResponseBytes: AUXILIARY_RESPONSE_BYTES }
      return await fetch(url, { ...request, ...limits, signal: init.signal ?? undefined })
    }
    const { options, signal } = exchange
    exchange.countRequest()
    exchange.streamOpened()
    try {
      const limits = { timeoutMs: options.timeoutMs, maxResponseBytes }
      const response = await fetch(url, { ...request, ...limits, signal })
      return watched(response, exchange, maxResponseBytes)
    } catch (error) {
      exchange.streamEnded(error)
      throw error
    }
  }
}

/** The same answer; the exchange learns when its body ends, and its budget shrinks by what is read. */
function watched(response: Response, exchange: Exchange, maxResponseBytes: number): Response {
  if (response.body === null) {
    exchange.streamEnded(null)
    return response
  }
  const { status, statusText, headers } = response
  const body = watchBody(response.body, exchange, maxResponseBytes)
  return new Response(body, { status, statusText, headers })
}

function watchBody(
  body: ReadableStream<Uint8Array>,
  exchange: Exchange,
  maxResponseBytes: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const { budget } = exchange.options
  let hasEnded = false
  const end = (error: unknown): void => {
    if (!hasEnded) exchange.streamEnded(error)
    hasEnded = true
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) {
            spend(budget, value.byteLength, maxResponseBytes)
            controller.enqueue(value)
            return
          }
          end(null)
          controller.close()
        } catch (error) {
          end(error)
          controller.error(error)
          reader.cancel().catch(() => undefined)
        }
      },
      async cancel() {
        end(null)
        await reader.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}

function spend(budget: ByteBudget, bytes: number, maxResponseBytes: number): void {
  budget.remainingBytes -= bytes
  if (budget.remainingBytes < 0) throw tooLarge(maxResponseBytes)
}
