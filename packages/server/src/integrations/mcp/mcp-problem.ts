import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { McpFailure } from '@parley/engine/ports'
import { OutboundError } from '../../platform/outbound/guarded-agent.ts'
import type { OutboundFailureReason } from '../../platform/outbound/outbound-request.ts'
import { truncateAtCharacter } from '../tools/response-text.ts'

export type McpReason = McpFailure['reason']

/** Maximum length of a server's error text for the model. */
const MAX_ERROR_CHARACTERS = 2000

/**
 * Reason why an MCP server could not be used. The message is safe to show to the model and the customer: it contains no
 * secrets or addresses.
 */
export class McpProblem extends Error {
  readonly reason: McpReason
  /** Whether the server no longer knows the session, in which case it has not run the tool. */
  readonly isSessionLost: boolean

  constructor(reason: McpReason, message: string, options: { readonly isSessionLost?: boolean } = {}) {
    super(message)
    this.name = 'McpProblem'
    this.reason = reason
    this.isSessionLost = options.isSessionLost ?? false
  }
}

/** Response statuses of servers that do not know the session. */
const SESSION_LOST_STATUSES = new Set([400, 404])

/** Converts an error to a safe problem. Uses only the server's error texts, because other texts contain addresses. */
export function describeMcpError(error: unknown, sdk: McpSdk, state: { readonly hasSession: boolean }): McpProblem {
  if (error instanceof McpProblem) return error
  if (error instanceof OutboundError) return new McpProblem(toMcpReason(error.reason), error.message)
  if (error instanceof sdk.StreamableHTTPError) return describeStatus(error.code ?? 0, state.hasSession)
  if (error instanceof sdk.McpError) return createServerProblem(error.message.replace(/^MCP error -?\d+: /, ''))
  return new McpProblem('protocol', 'The server violates the Model Context Protocol.')
}

function describeStatus(status: number, hasSession: boolean): McpProblem {
  if (status >= 300 && status <= 399) {
    return new McpProblem('blocked-target', 'The server responded with a redirect, which is not allowed.')
  }
  if (status < 100) return new McpProblem('protocol', 'The MCP server responded with an unexpected content type.')
  const isSessionLost = hasSession && SESSION_LOST_STATUSES.has(status)
  return new McpProblem('protocol', `The MCP server responded with status ${status}.`, { isSessionLost })
}

function toMcpReason(reason: OutboundFailureReason): McpReason {
  return reason === 'invalid-request' || reason === 'too-many-redirects' ? 'network' : reason
}

/** Builds the problem that the server reports for a call. */
export function createServerProblem(text: string): McpProblem {
  const excerpt = truncateAtCharacter(text.trim(), MAX_ERROR_CHARACTERS)
  return new McpProblem('tool-error', excerpt === '' ? 'The tool failed without an error message.' : excerpt)
}

/** Converts a server error before any tool call into a protocol problem. */
export function toProtocolProblem(error: unknown): unknown {
  const isToolError = error instanceof McpProblem && error.reason === 'tool-error'
  return isToolError ? new McpProblem('protocol', `The MCP server rejected the request: ${error.message}`) : error
}

/** The subset of the official client library that is used. */
export interface McpSdk {
  readonly Client: typeof Client
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport
  readonly StreamableHTTPError: typeof import('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPError
  readonly McpError: typeof import('@modelcontextprotocol/sdk/types.js').McpError
  readonly ListToolsResultSchema: typeof import('@modelcontextprotocol/sdk/types.js').ListToolsResultSchema
  readonly CallToolResultSchema: typeof import('@modelcontextprotocol/sdk/types.js').CallToolResultSchema
}

/** Loads the library on first use, because most installations never need it and it would slow down the start. */
export async function loadMcpSdk(): Promise<McpSdk> {
  const [{ Client }, { StreamableHTTPClientTransport, StreamableHTTPError }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const { McpError, ListToolsResultSchema, CallToolResultSchema } = types
  return {
    Client,
    StreamableHTTPClientTransport,
    StreamableHTTPError,
    McpError,
    ListToolsResultSchema,
    CallToolResultSchema,
  }
}
