import type { VersionSelector } from '@parley/contract/fields'
import { getMcpServerId, type McpServerSetting } from '@parley/contract/mcp-server'
import type { McpToolDescription } from '@parley/contract/mcp-tools'
import { listMcpTools } from '@parley/engine/dialogue/tools/mcp-request'
import { createSystemVariables } from '@parley/engine/dialogue/variables/system-variables'
import { mergeVariables } from '@parley/engine/dialogue/variables/variables'
import type { Clock, McpClient, McpFailure, SecretReader } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'

/** Finds the MCP servers that agents use. */
interface McpServers {
  /**
   * Returns the MCP servers, with the engine's default variables. Throws `not_found` if the agent, version or component does
   * not exist.
   */
  findMcpServers(selection: {
    readonly workspaceId: number
    readonly agentId: string
    readonly version: VersionSelector
    readonly componentId?: string | undefined
  }): Promise<{
    readonly servers: readonly McpServerSetting[]
    readonly variables: Readonly<Record<string, string>>
  }>
}

export interface McpToolsDependencies {
  readonly servers: McpServers
  readonly mcp: Pick<McpClient, 'listTools'>
  readonly readSecrets: (workspaceId: number) => SecretReader
  readonly clock: Omit<Clock, 'after'>
}

/** An MCP server of an agent version. */
interface McpServerSelection {
  readonly agentId: string
  readonly version: VersionSelector
  readonly mcpId: string
  /** The component that defines the server. If absent, the flow defines the server. */
  readonly componentId?: string | undefined
}

export interface McpToolsService {
  /** Requests the tool list from the server. Throws an error if the server does not exist or does not respond. */
  list(workspaceId: number, selection: McpServerSelection): Promise<McpToolDescription[]>
}

/** Shorter than in conversations, because a dashboard user waits for the response. */
const MAX_WAIT_MS = 30_000

export function createMcpToolsService({ servers, mcp, readSecrets, clock }: McpToolsDependencies): McpToolsService {
  return {
    async list(workspaceId, { mcpId, ...selection }) {
      const context = await servers.findMcpServers({ workspaceId, ...selection })
      const server = context.servers.find((candidate) => getMcpServerId(candidate) === mcpId)
      if (server === undefined) throw createServerNotFoundError(mcpId, selection)
      const system = createSystemVariables({ nowMs: clock.now(), timezone: 'UTC', session: {} })
      const layers = { engineDefaults: context.variables, given: {}, collected: {}, override: {} }
      const result = await listMcpTools(server, {
        mcp,
        secrets: readSecrets(workspaceId),
        lookup: mergeVariables({ system, ...layers }),
        maxTimeoutMs: MAX_WAIT_MS,
        signal: new AbortController().signal,
      })
      if (!result.ok) throw toServerError(server, result)
      return result.tools.map((tool) => ({ ...tool, inputSchema: { ...tool.inputSchema } }))
    },
  }
}

function createServerNotFoundError(
  mcpId: string,
  { agentId, componentId }: Omit<McpServerSelection, 'mcpId'>,
): AppError {
  const owner = componentId === undefined ? `engine of agent "${agentId}"` : `component "${componentId}"`
  const message = `The ${owner} has no MCP server "${mcpId}".`
  return new AppError('not_found', message, { details: [{ path: 'mcpId', message }] })
}

function toServerError({ name }: McpServerSetting, { reason, message }: McpFailure): AppError {
  if (reason === 'cancelled') return new AppError('unavailable', 'The server is shutting down.', { retryAfterMs: 1000 })
  const code = reason === 'timeout' ? 'provider_timeout' : 'provider_error'
  return new AppError(code, `The MCP server "${name}" did not list its tools. ${message}`)
}
