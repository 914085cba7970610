import { AsyncLocalStorage } from 'node:async_hooks'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import type { Clock, JsonObject, McpServer } from '@parley/engine/ports'
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { prepareHeaders } from '../../platform/outbound/outbound-headers.ts'
import { type ByteBudget, type Exchange, startExchange } from './mcp-exchange.ts'
import { createTransportFetch } from './mcp-fetch.ts'
import { asProtocolProblem, describeMcpError, McpProblem } from './mcp-problem.ts'
import { loadMcpSdk, type McpSdk } from './mcp-sdk.ts'

export interface ConnectionDependencies {
  readonly fetch: GuardedFetch
  readonly clock: Clock
  /** Of the product. */
  readonly version: string
}

/** How long a request may take, how much its answers may have together, and what gives it up. */
export interface RequestLimits {
  readonly timeoutMs: number
  readonly budget: ByteBudget
  readonly signal: AbortSignal
}

/** A server that greeted us. All it does rejects with an `McpProblem`. */
export interface McpConnection {
  /** One page of its tools; `cursor` names it. */
  listTools(cursor: string | undefined, limits: RequestLimits): Promise<ListToolsResult>
  callTool(call: { readonly name: string; readonly args: JsonObject }, limits: RequestLimits): Promise<CallToolResult>
  /** Ends the session and everything under way. */
  close(): Promise<void>
}

/** Of everything that a server answers to one call, or to one question for its tools. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024

/** Nothing is waited for by the library's own clock: the deadline is ours. */
const NO_TIMEOUT_MS = 2_147_483_647

/** They belong to the protocol. */
const RESERVED_HEADERS = /^(?:mcp-.*|last-event-id|accept|content-type)$/

/** Accepts anything: what a server promises of its results need not hold, and compiling its schemas costs. */
const uncheckedResults = {
  getValidator: () => (data: unknown) => ({
    valid: true as const,
    data: data as never,
    errorMessage: undefined,
  }),
}

/** Connects to a server and greets it, within its own time limit or until `signal` aborts. Rejects with an `McpProblem`. */
export async function openMcpConnection(
  server: McpServer,
  signal: AbortSignal,
  { fetch, clock, version }: ConnectionDependencies,
): Promise<McpConnection> {
  const parts = { address: addressOf(server), headers: headersOf(server, version), version }
  const sdk = await loadMcpSdk()
  const exchanges = new AsyncLocalStorage<Exchange>()
  const active = new Set<Exchange>()
  const transportFetch = createTransportFetch({ fetch, exchanges, maxResponseBytes: MAX_RESPONSE_BYTES })
  const { client, transport } = createClient(sdk, transportFetch, parts)
  // Called before the client's own, which is added to it.
  transport.onmessage = () => exchanges.getStore()?.countMessage()

  /** Runs what sends requests and waits for their answers as one exchange. */
  async function exchangeFor<Result>(
    { timeoutMs, budget }: Omit<RequestLimits, 'signal'>,
    work: (onresumptiontoken: (token: string) => void) => Promise<Result>,
  ): Promise<Result> {
    const resume = (lastEventId: string): Promise<void> =>
      exchanges.run(exchange, () => transport.resumeStream(lastEventId, { onresumptiontoken: exchange.resumableFrom }))
    const exchange = startExchange({ clock, timeoutMs, budget, resume })
    active.add(exchange)
    try {
      return await Promise.race([exchange.broken, exchanges.run(exchange, () => work(exchange.resumableFrom))])
    } catch (error) {
      throw describeMcpError(error, sdk, { hasSession: transport.sessionId !== undefined })
    } finally {
      active.delete(exchange)
      exchange.end()
    }
  }

  const giveUp = (): void => {
    for (const exchange of active) exchange.end()
  }

  async function close(): Promise<void> {
    giveUp()
    await transport.terminateSession().catch(() => undefined)
    await client.close()
  }

  signal.addEventListener('abort', giveUp, { once: true })
  try {
    if (signal.aborted) throw new McpProblem('cancelled', 'The platform is shutting down.')
    const budget = { remainingBytes: MAX_RESPONSE_BYTES }
    await exchangeFor({ timeoutMs: server.timeoutMs, budget }, (onresumptiontoken) =>
      client.connect(transport, { timeout: NO_TIMEOUT_MS, onresumptiontoken }),
    )
  } catch (error) {
    await close()
    throw asProtocolProblem(error)
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  return {
    listTools: (cursor, limits) =>
      exchangeFor(limits, (onresumptiontoken) => {
        const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const
        const options = { timeout: NO_TIMEOUT_MS, signal: limits.signal, onresumptiontoken }
        return client.request(request, sdk.ListToolsResultSchema, options)
      }),
    callTool: ({ name, args }, limits) =>
      exchangeFor(limits, (onresumptiontoken) => {
        const request = { method: 'tools/call', params: { name, arguments: { ...args } } } as const
        const options = { timeout: NO_TIMEOUT_MS, signal: limits.signal, onresumptiontoken }
        return client.request(request, sdk.CallToolResultSchema, options)
      }),
    close,
  }
}

interface ClientParts {
  readonly address: URL
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
}

function createClient(sdk: McpSdk, fetch: FetchLike, { address, headers, version }: ClientParts) {
  const transport = new sdk.StreamableHTTPClientTransport(address, {
    fetch,
    requestInit: { headers: { ...headers } },
    // What breaks off is asked for again by the exchange, in its own time.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  })
  const client = new sdk.Client(
    { name: 'parley', version },
    { capabilities: {}, jsonSchemaValidator: uncheckedResults },
  )
  return { client, transport }
}

function addressOf(server: McpServer): URL {
  const address = URL.canParse(server.url) ? new URL(server.url) : null
  if (address === null) throw new McpProblem('network', 'The address of the MCP server is not a valid URL.')
  for (const [name, value] of Object.entries(server.queryParams)) address.searchParams.set(name, value)
  return address
}

function headersOf(server: McpServer, version: string): Record<string, string> {
  const prepared = prepareHeaders(server.headers)
  if ('problem' in prepared) throw new McpProblem('network', prepared.problem)
  const own = Object.entries(prepared.headers).filter(([name]) => !RESERVED_HEADERS.test(name))
  return { 'user-agent': `Parley/${version}`, ...Object.fromEntries(own) }
}
