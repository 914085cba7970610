import type { VersionSelector } from '@parley/contract/fields'
import { type McpServerSetting, mcpServerId } from '@parley/contract/mcp-server'
import type { McpToolDescription } from '@parley/contract/mcp-tools'
import type { ResponseEngine } from '@parley/engine/dialogue/conversation'
import { renderMcpServer } from '@parley/engine/dialogue/tools/call-mcp-tool'
import { conversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import type { Clock, McpClient, McpFailure } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import type { AgentUse } from '../../kernel/pinned-agent.ts'

export interface McpToolsDependencies {
  readonly agents: Pick<AgentUse, 'preview'>
  readonly mcp: Pick<McpClient, 'listTools'>
  readonly clock: Pick<Clock, 'now'>
}

/** Names a server of an agent version. */
export interface McpServerChoice {
  readonly agentId: string
  readonly version: VersionSelector
  readonly mcpId: string
  /** For flows: the component that names it; absent for the flow itself. */
  readonly componentId?: string | undefined
}

export interface McpToolsService {
  /** Asks the server now. Throws `not_found`, or what a server that does not answer is told as. */
  list(workspaceId: number, choice: McpServerChoice): Promise<McpToolDescription[]>
}

/** Somebody looks at a page meanwhile: what a conversation may wait for is too long. */
const LONGEST_WAIT_MS = 30_000

export function createMcpToolsService({ agents, mcp, clock }: McpToolsDependencies): McpToolsService {
  return {
    async list(workspaceId, choice) {
      const { agentId, version } = choice
      const { engine, timezone } = await agents.preview({ workspaceId, agentId, version })
      const setting = findServer(engine, choice)
      const variables = { system: {}, given: {}, override: {} }
      const lookup = conversationVariables({ engine, variables, collected: {}, timezone, nowMs: clock.now() })
      const server = renderMcpServer(setting, lookup)
      const timeoutMs = Math.min(server.timeoutMs, LONGEST_WAIT_MS)
      const listed = await mcp.listTools({ ...server, timeoutMs }, new AbortController().signal)
      if (!listed.ok) throw serverFailed(setting, listed)
      return listed.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: { ...inputSchema },
      }))
    },
  }
}

/** Throws `not_found` that names the field which is wrong. */
function findServer(engine: ResponseEngine, { agentId, mcpId, componentId }: McpServerChoice): McpServerSetting {
  const servers = serversOf(engine, componentId)
  if (servers === null) {
    throw missing('componentId', `The engine of agent "${agentId}" runs no component "${componentId}".`)
  }
  const found = servers.find((server) => mcpServerId(server) === mcpId)
  if (found !== undefined) return found
  const place = componentId === undefined ? `engine of agent "${agentId}"` : `component "${componentId}"`
  throw missing('mcpId', `The ${place} names no MCP server "${mcpId}".`)
}

/** `null` when there is no such component. */
function serversOf(engine: ResponseEngine, componentId: string | undefined): readonly McpServerSetting[] | null {
  if (componentId === undefined) return engine.kind === 'custom-llm' ? [] : engine.mcps
  if (engine.kind !== 'conversation-flow' || !Object.hasOwn(engine.components, componentId)) return null
  return engine.components[componentId]?.mcps ?? null
}

function missing(path: string, message: string): AppError {
  return new AppError('not_found', message, { details: [{ path, message }] })
}

function serverFailed({ name }: McpServerSetting, { reason, message }: McpFailure): AppError {
  if (reason === 'cancelled') return new AppError('unavailable', 'The server is shutting down.', { retryAfterMs: 1000 })
  const code = reason === 'timeout' ? 'provider_timeout' : 'provider_error'
  return new AppError(code, `The MCP server "${name}" did not tell its tools. ${message}`)
}
