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
  type RequestLimits,
} from './mcp-connection.ts'
import { type ConnectionLease, createMcpConnections, type McpConnections } from './mcp-connections.ts'
import { asProtocolProblem, McpProblem, serverProblem } from './mcp-problem.ts'

/** `fetch` is the guarded one. */
export type McpClientDependencies = ConnectionDependencies

/** Talks to customers' MCP servers over streamable HTTP, with one session per server setting for a short time. */
export function createMcpClient(dependencies: McpClientDependencies): McpClient & { close(): Promise<void> } {
  const { clock } = dependencies
  const connections = createMcpConnections(dependencies)
  return {
    listTools: async (server, signal) => {
      const outcome = await perform({ server, signal, clock, connections }, listAllTools)
      return outcome.ok ? { ok: true, tools: outcome.value, durationMs: outcome.durationMs } : outcome
    },
    call: async (call) => {
      const outcome = await perform({ server: call.server, signal: call.signal, clock, connections }, callTool(call))
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

/** What an operation asks of a server that is connected to. */
type Work<Result> = (connection: McpConnection, limits: RequestLimits) => Promise<Result>

type Outcome<Result> = { readonly ok: true; readonly value: Result; readonly durationMs: number } | McpFailure

/** Does the work within the server's time, and once more when the server turns out to have forgotten the session. */
async function perform<Result>(operation: Operation, work: Work<Result>): Promise<Outcome<Result>> {
  const { server, signal, clock, connections } = operation
  const startedAtMs = clock.now()
  const deadline = startDeadline(clock, server.timeoutMs, signal)
  const limits = {
    timeoutMs: server.timeoutMs,
    budget: { remainingBytes: MAX_RESPONSE_BYTES },
    signal: deadline.signal,
  }
  const attempt = async (lease: ConnectionLease): Promise<Result> => {
    let isBroken = false
    try {
      const connection = await deadline.race(lease.connection)
      return await deadline.race(work(connection, limits))
    } catch (error) {
      isBroken = breaksConnection(error, deadline)
      throw error
    } finally {
      lease.release(isBroken)
    }
  }
  try {
    deadline.signal.throwIfAborted()
    const lease = connections.lease(server)
    const value = await attempt(lease).catch((error: unknown) => {
      const isSessionLost = error instanceof McpProblem && error.isSessionLost
      if (!lease.isKept || !isSessionLost) throw error
      return attempt(connections.lease(server))
    })
    return { ok: true, value, durationMs: clock.now() - startedAtMs }
  } catch (error) {
    return { ok: false, ...describe(error, deadline, server.timeoutMs), durationMs: clock.now() - startedAtMs }
  } finally {
    deadline.release()
  }
}

/** Whether another call should begin with a new connection. What a tool says or a caller gives up is no fault of this one. */
function breaksConnection(error: unknown, deadline: Deadline): boolean {
  const isToolError = error instanceof McpProblem && error.reason === 'tool-error'
  return !isToolError && deadline.endedBy() !== 'cancelled'
}

function describe(error: unknown, deadline: Deadline, timeoutMs: number): Pick<McpFailure, 'reason' | 'message'> {
  const endedBy = deadline.endedBy()
  if (endedBy === 'timeout') {
    return { reason: 'timeout', message: `The MCP server did not answer within ${timeoutMs} ms.` }
  }
  if (endedBy === 'cancelled') return { reason: 'cancelled', message: 'The request was cancelled.' }
  if (error instanceof McpProblem) return { reason: error.reason, message: error.message }
  // Nothing of the error is told: it comes from inside the platform.
  return { reason: 'network', message: 'The MCP server could not be asked because of an internal error.' }
}

function callTool({ toolName, args }: McpCall): Work<string> {
  return async (connection, limits) => {
    const result = await connection.callTool({ name: toolName, args }, limits)
    if (result.isError !== true) return contentText(result)
    // What went wrong is told in words; structured content is for results.
    throw serverProblem(contentText(result.content.length > 0 ? { content: result.content } : result))
  }
}

/** No model can choose among more, and each of them is held in memory. */
const MAX_TOOLS = 1000
const MAX_PAGES = 100

/** All tools of a server, page by page; what is above the bounds is left out. Rejects with an `McpProblem`. */
async function listAllTools(
  connection: Pick<McpConnection, 'listTools'>,
  limits: RequestLimits,
): Promise<readonly McpToolDescription[]> {
  const tools: McpToolDescription[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: ListToolsResult = await connection.listTools(cursor, limits).catch((error: unknown) => {
      throw asProtocolProblem(error)
    })
    tools.push(...answer.tools.map(describeTool))
    cursor = answer.nextCursor
    if (cursor === undefined || tools.length >= MAX_TOOLS) break
  }
  return tools.slice(0, MAX_TOOLS)
}

function describeTool({ name, description, inputSchema }: ListToolsResult['tools'][number]): McpToolDescription {
  return { name, description: description ?? '', inputSchema: inputSchema as JsonObject }
}

type Content = CallToolResult['content'][number]

/**
 * A tool's result as a model can read it: the structured content as JSON when there is any, else the parts one after another,
 * each beginning a new line. What is no text is described in brackets. Never holds U+0000, which databases refuse.
 */
function contentText({ content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>): string {
  const text = structuredContent === undefined ? content.map(partText).join('\n') : JSON.stringify(structuredContent)
  return text.replaceAll('\u0000', '\ufffd')
}

function partText(part: Content): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return `[${part.type}: ${shownType(part.mimeType)}, ${decodedBytes(part.data)} bytes]`
    case 'resource_link':
      return `[resource: ${part.uri}]`
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[resource: ${part.resource.uri}, ${shownType(part.resource.mimeType)}, ${decodedBytes(part.resource.blob)} bytes]`
  }
}

/** The type is the server's own word; only its harmless characters are repeated. */
function shownType(mediaType: string | undefined): string {
  return mediaType !== undefined && /^[\w.+-]+\/[\w.+-]{1,80}$/.test(mediaType) ? mediaType : 'unknown type'
}

function decodedBytes(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}
