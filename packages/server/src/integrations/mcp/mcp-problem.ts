import type { McpFailure } from '@parley/engine/ports'
import { OutboundError } from '../../platform/outbound/outbound-failure.ts'
import type { OutboundFailureReason } from '../../platform/outbound/outbound-request.ts'
import { textStart } from '../tools/response-text.ts'
import type { McpSdk } from './mcp-sdk.ts'

export type McpReason = McpFailure['reason']

/** Of what a server says is wrong, for the model to react to. */
const MAX_ERROR_CHARACTERS = 2000

/** Why an MCP server could not be used; the message is for the model and the customer: no secret, no address. */
export class McpProblem extends Error {
  readonly reason: McpReason
  /** The server does not know the session any more, so that it did nothing. */
  readonly isSessionLost: boolean

  constructor(reason: McpReason, message: string, options: { readonly isSessionLost?: boolean } = {}) {
    super(message)
    this.name = 'McpProblem'
    this.reason = reason
    this.isSessionLost = options.isSessionLost ?? false
  }
}

/** Statuses that servers answer to a session that they do not know (any more). */
const SESSION_LOST_STATUSES = new Set([400, 404])

/** What went wrong, as a value that may be shown: texts of errors name addresses and are not used, except a server's own. */
export function describeMcpError(error: unknown, sdk: McpSdk, state: { readonly hasSession: boolean }): McpProblem {
  if (error instanceof McpProblem) return error
  if (error instanceof OutboundError) return new McpProblem(reasonOf(error.reason), error.message)
  if (error instanceof sdk.StreamableHTTPError) return describeStatus(error.code ?? 0, state.hasSession)
  if (error instanceof sdk.McpError) return serverProblem(error.message.replace(/^MCP error -?\d+: /, ''))
  return new McpProblem('protocol', 'The server does not speak the Model Context Protocol as it should.')
}

function describeStatus(status: number, hasSession: boolean): McpProblem {
  if (status >= 300 && status <= 399) {
    return new McpProblem('blocked-target', 'The MCP server redirects elsewhere, which is not followed.')
  }
  if (status < 100)
    return new McpProblem('protocol', 'The MCP server answered with content of a type that it must not have.')
  const isSessionLost = hasSession && SESSION_LOST_STATUSES.has(status)
  return new McpProblem('protocol', `The MCP server answered with status ${status}.`, { isSessionLost })
}

function reasonOf(reason: OutboundFailureReason): McpReason {
  return reason === 'invalid-request' || reason === 'too-many-redirects' ? 'network' : reason
}

/** What the server itself says is wrong with a call. */
export function serverProblem(text: string): McpProblem {
  const shown = textStart(text.trim(), MAX_ERROR_CHARACTERS)
  return new McpProblem('tool-error', shown === '' ? 'The tool failed without saying why.' : shown)
}

/** What a server says is wrong before any tool is called is not a tool's failure. */
export function asProtocolProblem(error: unknown): unknown {
  const isToolError = error instanceof McpProblem && error.reason === 'tool-error'
  return isToolError ? new McpProblem('protocol', `The MCP server refused: ${error.message}`) : error
}
