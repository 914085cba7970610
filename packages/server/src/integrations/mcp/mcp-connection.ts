import { AsyncLocalStorage } from 'node:async_hooks'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import type { Clock, JsonObject, McpServer } from '@parley/engine/ports'
import type { FetchRequest, GuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { prepareHeaders } from '../../platform/outbound/outbound-headers.ts'
import { createTooLargeError } from '../../platform/outbound/response-body.ts'
import { type ByteBudget, type Exchange, startExchange } from './mcp-exchange.ts'
import { describeMcpError, loadMcpSdk, McpProblem, type McpSdk, toProtocolProblem } from './mcp-problem.ts'

export interface ConnectionDependencies {
  readonly fetch: GuardedFetch
  readonly clock: Clock
  /** Product version. */
  readonly version: string
}

/** Time limit, total response size, and cancellation of a request. */
export interface RequestLimits {
  readonly timeoutMs: number
  readonly budget: ByteBudget
  readonly signal: AbortSignal
}

/** An initialized connection to a server. All methods reject with an `McpProblem`. */
export interface McpConnection {
  /** Reads one page of tools, starting at `cursor`. */
  listTools(cursor: string | undefined, limits: RequestLimits): Promise<ListToolsResult>
  callTool(call: { readonly name: string; readonly args: JsonObject }, limits: RequestLimits): Promise<CallToolResult>
  /** Ends the session and all running requests. */
  close(): Promise<void>
}

/** Maximum size of everything that a server sends for one call or tool list. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024

/** Disables the library's timeout, because the exchange has its own deadline. */
const NO_TIMEOUT_MS = 2_147_483_647

/** Protocol headers, which cannot be configured. */
const RESERVED_HEADERS = /^(?:mcp-.*|last-event-id|accept|content-type)$/

/** Skips validation of results, because servers can violate their schemas and compiling them is expensive. */
const permissiveValidator = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
}

/** Connects to a server within its time limit or until `signal` aborts. Rejects with an `McpProblem`. */
export async function openMcpConnection(
  server: McpServer,
  signal: AbortSignal,
  { fetch, clock, version }: ConnectionDependencies,
): Promise<McpConnection> {
  const clientParts = { url: buildServerUrl(server), headers: buildServerHeaders(server, version), version }
  const sdk = await loadMcpSdk()
  const exchanges = new AsyncLocalStorage<Exchange>()
  const activeExchanges = new Set<Exchange>()
  const transportFetch = createTransportFetch({ fetch, exchanges, maxResponseBytes: MAX_RESPONSE_BYTES })
  const { client, transport } = createClient(sdk, transportFetch, clientParts)
  // The client keeps this handler and calls it before its own handler.
  transport.onmessage = () => exchanges.getStore()?.countMessage()

  /** Runs requests and waits for their responses in one exchange. */
  async function runInExchange<Result>(
    { timeoutMs, budget }: Omit<RequestLimits, 'signal'>,
    work: (onresumptiontoken: (token: string) => void) => Promise<Result>,
  ): Promise<Result> {
    const resume = (lastEventId: string): Promise<void> =>
      exchanges.run(exchange, () => transport.resumeStream(lastEventId, { onresumptiontoken: exchange.setResumePoint }))
    const exchange = startExchange({ clock, timeoutMs, budget, resume })
    activeExchanges.add(exchange)
    try {
      return await Promise.race([exchange.failed, exchanges.run(exchange, () => work(exchange.setResumePoint))])
    } catch (error) {
      throw describeMcpError(error, sdk, { hasSession: transport.sessionId !== undefined })
    } finally {
      activeExchanges.delete(exchange)
      exchange.end()
    }
  }

  const endExchanges = (): void => {
    for (const exchange of activeExchanges) exchange.end()
  }

  async function close(): Promise<void> {
    endExchanges()
    await transport.terminateSession().catch(() => undefined)
    await client.close()
  }

  signal.addEventListener('abort', endExchanges, { once: true })
  try {
    if (signal.aborted) throw new McpProblem('cancelled', 'The platform is shutting down.')
    const budget = { remainingBytes: MAX_RESPONSE_BYTES }
    await runInExchange({ timeoutMs: server.timeoutMs, budget }, (onresumptiontoken) =>
      client.connect(transport, { timeout: NO_TIMEOUT_MS, onresumptiontoken }),
    )
  } catch (error) {
    await close()
    throw toProtocolProblem(error)
  } finally {
    signal.removeEventListener('abort', endExchanges)
  }
  return {
    listTools: (cursor, limits) =>
      runInExchange(limits, (onresumptiontoken) => {
        const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const
        const options = { timeout: NO_TIMEOUT_MS, signal: limits.signal, onresumptiontoken }
        return client.request(request, sdk.ListToolsResultSchema, options)
      }),
    callTool: ({ name, args }, limits) =>
      runInExchange(limits, (onresumptiontoken) => {
        const request = { method: 'tools/call', params: { name, arguments: { ...args } } } as const
        const options = { timeout: NO_TIMEOUT_MS, signal: limits.signal, onresumptiontoken }
        return client.request(request, sdk.CallToolResultSchema, options)
      }),
    close,
  }
}

interface ClientParts {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
}

function createClient(sdk: McpSdk, fetch: FetchLike, { url, headers, version }: ClientParts) {
  const transport = new sdk.StreamableHTTPClientTransport(url, {
    fetch,
    requestInit: { headers: { ...headers } },
    // The exchange resumes broken streams itself.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  })
  const client = new sdk.Client(
    { name: 'parley', version },
    { capabilities: {}, jsonSchemaValidator: permissiveValidator },
  )
  return { client, transport }
}

function buildServerUrl(server: McpServer): URL {
  const url = URL.canParse(server.url) ? new URL(server.url) : null
  if (url === null) throw new McpProblem('network', 'The URL of the MCP server is invalid.')
  for (const [name, value] of Object.entries(server.queryParams)) url.searchParams.set(name, value)
  return url
}

function buildServerHeaders(server: McpServer, version: string): Record<string, string> {
  const headerResult = prepareHeaders(server.headers)
  if ('problem' in headerResult) throw new McpProblem('network', headerResult.problem)
  const customHeaders = Object.entries(headerResult.headers).filter(([name]) => !RESERVED_HEADERS.test(name))
  return { 'user-agent': `Parley/${version}`, ...Object.fromEntries(customHeaders) }
}

/** Limits of requests that no caller waits for, such as cancellations. */
const BACKGROUND_TIMEOUT_MS = 5000
const BACKGROUND_RESPONSE_BYTES = 64 * 1024

interface TransportFetchOptions {
  readonly fetch: GuardedFetch
  /** The current exchange of a request. */
  readonly exchanges: AsyncLocalStorage<Exchange>
  /** Total size limit of the responses of one exchange, used in its error message. */
  readonly maxResponseBytes: number
}

/**
 * Creates the guarded `fetch` of a transport. Applies the limits of a request's exchange and reports the end of its streams.
 * Does not open the stream for unsolicited messages.
 */
function createTransportFetch({ fetch, exchanges, maxResponseBytes }: TransportFetchOptions): FetchLike {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const method: FetchRequest['method'] = init.method === 'GET' || init.method === 'DELETE' ? init.method : 'POST'
    if (method === 'GET' && headers['last-event-id'] === undefined) return new Response(null, { status: 405 })
    const request = { method, headers, body: typeof init.body === 'string' ? init.body : undefined }
    const exchange = exchanges.getStore()
    if (exchange === undefined || exchange.signal.aborted) {
      const limits = { timeoutMs: BACKGROUND_TIMEOUT_MS, maxResponseBytes: BACKGROUND_RESPONSE_BYTES }
      return await fetch(url, { ...request, ...limits, signal: init.signal ?? undefined })
    }
    const { options, signal } = exchange
    exchange.countRequest()
    exchange.onStreamOpened()
    try {
      const limits = { timeoutMs: options.timeoutMs, maxResponseBytes }
      const response = await fetch(url, { ...request, ...limits, signal })
      return watchResponse(response, exchange, maxResponseBytes)
    } catch (error) {
      exchange.onStreamEnded(error)
      throw error
    }
  }
}

/** Returns the same response, but reports the end of its body to the exchange and subtracts its size from the budget. */
function watchResponse(response: Response, exchange: Exchange, maxResponseBytes: number): Response {
  if (response.body === null) {
    exchange.onStreamEnded(null)
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
  const reportEnd = (error: unknown): void => {
    if (!hasEnded) exchange.onStreamEnded(error)
    hasEnded = true
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) {
            spendBudget(budget, value.byteLength, maxResponseBytes)
            controller.enqueue(value)
            return
          }
          reportEnd(null)
          controller.close()
        } catch (error) {
          reportEnd(error)
          controller.error(error)
          reader.cancel().catch(() => undefined)
        }
      },
      async cancel() {
        reportEnd(null)
        await reader.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}

function spendBudget(budget: ByteBudget, bytes: number, maxResponseBytes: number): void {
  budget.remainingBytes -= bytes
  if (budget.remainingBytes < 0) throw createTooLargeError(maxResponseBytes)
}
