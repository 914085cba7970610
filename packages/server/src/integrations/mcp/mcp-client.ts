import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import type {
  Clock,
  JsonObject,
  McpCall,
  McpClient,
  McpFailure,
  McpServer,
  McpToolDescription,
} from '@parley/engine/ports'
import { type Deadline, startDeadline } from '../../platform/outbound/deadline.ts'
import {
  type ConnectionDependencies,
  MAX_RESPONSE_BYTES,
  type McpConnection,
  openMcpConnection,
  type RequestLimits,
} from './mcp-connection.ts'
import { createServerProblem, McpProblem, toProtocolProblem } from './mcp-problem.ts'

/** Dependencies of the MCP client. `fetch` must be guarded. */
export type McpClientDependencies = ConnectionDependencies

/**
 * Creates the client for customers' MCP servers over streamable HTTP, with one short-lived session per server configuration.
 */
export function createMcpClient(dependencies: McpClientDependencies): McpClient & { close(): Promise<void> } {
  const { clock } = dependencies
  const connections = createMcpConnections(dependencies)
  return {
    listTools: async (server, signal) => {
      const outcome = await performOperation({ server, signal, clock, connections }, listAllTools)
      return outcome.ok ? { ok: true, tools: outcome.value, durationMs: outcome.durationMs } : outcome
    },
    call: async (call) => {
      const outcome = await performOperation(
        { server: call.server, signal: call.signal, clock, connections },
        callTool(call),
      )
      return outcome.ok ? { ok: true, bodyText: outcome.value, durationMs: outcome.durationMs } : outcome
    },
    close: () => connections.close(),
  }
}

interface Operation {
  readonly server: McpServer
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly connections: McpConnections
}

/** The work of an operation on a connected server. */
type Work<Result> = (connection: McpConnection, limits: RequestLimits) => Promise<Result>

type Outcome<Result> = { readonly ok: true; readonly value: Result; readonly durationMs: number } | McpFailure

/** Runs the work within the server's time limit. Retries once if the server has lost the session. */
async function performOperation<Result>(operation: Operation, work: Work<Result>): Promise<Outcome<Result>> {
  const { server, signal, clock, connections } = operation
  const startedAtMs = clock.now()
  const deadline = startDeadline(clock, server.timeoutMs, signal)
  const limits = {
    timeoutMs: server.timeoutMs,
    budget: { remainingBytes: MAX_RESPONSE_BYTES },
    signal: deadline.signal,
  }
  const runWithLease = async (lease: ConnectionLease): Promise<Result> => {
    let isBroken = false
    try {
      const connection = await deadline.race(lease.connection)
      return await deadline.race(work(connection, limits))
    } catch (error) {
      isBroken = isConnectionBroken(error, deadline)
      throw error
    } finally {
      lease.release(isBroken)
    }
  }
  try {
    deadline.signal.throwIfAborted()
    const lease = connections.lease(server)
    const value = await runWithLease(lease).catch((error: unknown) => {
      const isSessionLost = error instanceof McpProblem && error.isSessionLost
      if (!lease.isReused || !isSessionLost) throw error
      return runWithLease(connections.lease(server))
    })
    return { ok: true, value, durationMs: clock.now() - startedAtMs }
  } catch (error) {
    return { ok: false, ...describeFailure(error, deadline, server.timeoutMs), durationMs: clock.now() - startedAtMs }
  } finally {
    deadline.release()
  }
}

/** Whether the next call needs a new connection. Tool errors and cancellations do not break a connection. */
function isConnectionBroken(error: unknown, deadline: Deadline): boolean {
  const isToolError = error instanceof McpProblem && error.reason === 'tool-error'
  return !isToolError && deadline.getEndReason() !== 'cancelled'
}

function describeFailure(
  error: unknown,
  deadline: Deadline,
  timeoutMs: number,
): Pick<McpFailure, 'reason' | 'message'> {
  const endReason = deadline.getEndReason()
  if (endReason === 'timeout') {
    return { reason: 'timeout', message: `The MCP server did not respond within ${timeoutMs} ms.` }
  }
  if (endReason === 'cancelled') return { reason: 'cancelled', message: 'The request was cancelled.' }
  if (error instanceof McpProblem) return { reason: error.reason, message: error.message }
  // Hides internal errors.
  return { reason: 'network', message: 'The MCP server could not be called because of an internal error.' }
}

function callTool({ toolName, args }: McpCall): Work<string> {
  return async (connection, limits) => {
    const result = await connection.callTool({ name: toolName, args }, limits)
    if (result.isError !== true) return formatResult(result)
    // Errors are described as text, because structured content is meant for results.
    throw createServerProblem(formatResult(result.content.length > 0 ? { content: result.content } : result))
  }
}

/** Maximum number of tools, more than any model can choose from. */
const MAX_TOOLS = 1000
const MAX_PAGES = 100

/** Reads all tools of a server page by page, up to a limit. Rejects with an `McpProblem`. */
async function listAllTools(
  connection: Pick<McpConnection, 'listTools'>,
  limits: RequestLimits,
): Promise<readonly McpToolDescription[]> {
  const tools: McpToolDescription[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const response: ListToolsResult = await connection.listTools(cursor, limits).catch((error: unknown) => {
      throw toProtocolProblem(error)
    })
    tools.push(...response.tools.map(describeTool))
    cursor = response.nextCursor
    if (cursor === undefined || tools.length >= MAX_TOOLS) break
  }
  return tools.slice(0, MAX_TOOLS)
}

function describeTool({ name, description, inputSchema }: ListToolsResult['tools'][number]): McpToolDescription {
  return { name, description: description ?? '', inputSchema: inputSchema as JsonObject }
}

type Content = CallToolResult['content'][number]

/**
 * Returns a tool's result as text: its structured content as JSON, otherwise its parts on separate lines, with descriptions of
 * non-text parts in brackets. The text contains no U+0000, which databases reject.
 */
function formatResult({ content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>): string {
  const text =
    structuredContent === undefined ? content.map(describePart).join('\n') : JSON.stringify(structuredContent)
  return text.replaceAll('\u0000', '\ufffd')
}

function describePart(part: Content): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return `[${part.type}: ${formatMediaType(part.mimeType)}, ${countDecodedBytes(part.data)} bytes]`
    case 'resource_link':
      return `[resource: ${part.uri}]`
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[resource: ${part.resource.uri}, ${formatMediaType(part.resource.mimeType)}, ${countDecodedBytes(part.resource.blob)} bytes]`
  }
}

/** Returns the untrusted media type if it is harmless to display. */
function formatMediaType(mediaType: string | undefined): string {
  return mediaType !== undefined && /^[\w.+-]+\/[\w.+-]{1,80}$/.test(mediaType) ? mediaType : 'unknown type'
}

function countDecodedBytes(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}

/** The use of a connection by one operation. Operations can share a connection. */
interface ConnectionLease {
  /** Rejects with an `McpProblem` if the connection fails. */
  readonly connection: Promise<McpConnection>
  /** Whether the connection was reused, in which case the server may have lost its session. */
  readonly isReused: boolean
  /** Must be called once. A broken connection is not reused. */
  release(isBroken: boolean): void
}

/** Connections to servers, one per configuration, kept for a short time between calls. */
interface McpConnections {
  lease(server: McpServer): ConnectionLease
  /** Closes all connections. Later leases fail. */
  close(): Promise<void>
}

const IDLE_MS = 60_000
/** Connections beyond this number are closed immediately after use. */
const MAX_IDLE_CONNECTIONS = 200

interface ConnectionEntry {
  readonly key: string
  readonly connection: Promise<McpConnection>
  /** Cancels connecting. */
  readonly abort: () => void
  userCount: number
  /** Whether the connection is no longer reused: broken, evicted, or above the limit. */
  isRetired: boolean
  cancelIdleTimer: () => void
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the methods of one pool share its state.
function createMcpConnections(dependencies: ConnectionDependencies): McpConnections {
  const reusableEntries = new Map<string, ConnectionEntry>()
  /** All open connections, including those that are not reusable. */
  const openEntries = new Set<ConnectionEntry>()
  const pendingCloses = new Set<Promise<void>>()
  let isClosed = false

  return {
    lease(server) {
      const key = buildServerKey(server)
      const reusedEntry = isClosed ? undefined : reusableEntries.get(key)
      const entry = reusedEntry ?? connect(server, key)
      entry.cancelIdleTimer()
      entry.userCount++
      // The least recently used connection is the first in the map.
      if (reusableEntries.delete(key)) reusableEntries.set(key, entry)
      let isReleased = false
      return {
        connection: entry.connection,
        isReused: reusedEntry !== undefined,
        release(isBroken) {
          if (isReleased) return
          isReleased = true
          entry.userCount--
          if (isBroken || entry.isRetired) retireEntry(entry)
          else if (entry.userCount === 0)
            entry.cancelIdleTimer = dependencies.clock.after(IDLE_MS, () => retireEntry(entry))
        },
      }
    },
    async close() {
      isClosed = true
      for (const entry of [...openEntries]) {
        entry.abort()
        entry.userCount = 0
        retireEntry(entry)
      }
      await Promise.all(pendingCloses)
    },
  }

  function connect(server: McpServer, key: string): ConnectionEntry {
    const controller = new AbortController()
    const entry: ConnectionEntry = {
      key,
      connection: isClosed
        ? Promise.reject(new McpProblem('cancelled', 'The platform is shutting down.'))
        : openMcpConnection(server, controller.signal, dependencies),
      abort: () => controller.abort(),
      userCount: 0,
      isRetired: !evictIdleConnection(),
      cancelIdleTimer: () => undefined,
    }
    // The holder of the lease also receives the error.
    entry.connection.catch(() => retireEntry(entry))
    openEntries.add(entry)
    if (!entry.isRetired) reusableEntries.set(key, entry)
    return entry
  }

  function evictIdleConnection(): boolean {
    if (reusableEntries.size < MAX_IDLE_CONNECTIONS) return true
    const idleEntry = [...reusableEntries.values()].find((entry) => entry.userCount === 0)
    if (idleEntry !== undefined) retireEntry(idleEntry)
    return idleEntry !== undefined
  }

  /** Retires a connection, which is closed when its last user releases it. */
  function retireEntry(entry: ConnectionEntry): void {
    entry.cancelIdleTimer()
    entry.isRetired = true
    if (reusableEntries.get(entry.key) === entry) reusableEntries.delete(entry.key)
    if (entry.userCount > 0 || !openEntries.delete(entry)) return
    const closePromise: Promise<void> = entry.connection
      .then((connection) => connection.close())
      // A failed connection has nothing to close.
      .catch(() => undefined)
      .finally(() => pendingCloses.delete(closePromise))
    pendingCloses.add(closePromise)
  }
}

/** Returns a key of the URL and credentials. Servers with equal keys share a session. */
function buildServerKey({ url, headers, queryParams }: McpServer): string {
  const sortEntries = (map: Readonly<Record<string, string>>) =>
    Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([url, sortEntries(headers), sortEntries(queryParams)])
}
