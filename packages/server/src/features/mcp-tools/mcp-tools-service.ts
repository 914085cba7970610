import type { VersionSelector } from '@parley/contract/fields'
import { getMcpServerId, type McpServerSetting } from '@parley/contract/mcp-server'
import type { McpToolDescription } from '@parley/contract/mcp-tools'
import { listMcpTools } from '@parley/engine/dialogue/tools/mcp-request'
import { createSystemVariables } from '@parley/engine/dialogue/variables/system-variables'
import { mergeVariables } from '@parley/engine/dialogue/variables/variables'
import type { Clock, McpClient, McpFailure, SecretReader } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'

/** MCP servers of agents. */
interface McpServers {
  /** `variables`: the engine's defaults. Throws `not_found` for an agent, version or component that does not exist. */
  findMcpServers(wanted: {
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
  readonly secretsFor: (workspaceId: number) => SecretReader
  readonly clock: Omit<Clock, 'after'>
}

/** A server of an agent version. */
interface McpServerChoice {
  readonly agentId: string
  readonly version: VersionSelector
  readonly mcpId: string
  /** For flows: the component that defines the server; absent for the flow. */
  readonly componentId?: string | undefined
}

export interface McpToolsService {
  /** Asks the server. Throws `not_found`, or an error for a server that does not respond. */
  list(workspaceId: number, choice: McpServerChoice): Promise<McpToolDescription[]>
}

/** A person waits at a page, so this is shorter than in conversations. */
const MAX_WAIT_MS = 30_000

export function createMcpToolsService({ servers, mcp, secretsFor, clock }: McpToolsDependencies): McpToolsService {
  return {
    async list(workspaceId, { mcpId, ...wanted }) {
      const found = await servers.findMcpServers({ workspaceId, ...wanted })
      const setting = found.servers.find((server) => getMcpServerId(server) === mcpId)
      if (setting === undefined) throw serverNotFound(mcpId, wanted)
      const system = createSystemVariables({ nowMs: clock.now(), timezone: 'UTC', session: {} })
      const layers = { engineDefaults: found.variables, given: {}, collected: {}, override: {} }
      const listed = await listMcpTools(setting, {
        mcp,
        secrets: secretsFor(workspaceId),
        lookup: mergeVariables({ system, ...layers }),
        maxTimeoutMs: MAX_WAIT_MS,
        signal: new AbortController().signal,
      })
      if (!listed.ok) throw serverFailed(setting, listed)
      return listed.tools.map((tool) => ({ ...tool, inputSchema: { ...tool.inputSchema } }))
    },
  }
}

function serverNotFound(mcpId: string, { agentId, componentId }: Omit<McpServerChoice, 'mcpId'>): AppError {
  const place = componentId === undefined ? `engine of agent "${agentId}"` : `component "${componentId}"`
  const message = `The ${place} names no MCP server "${mcpId}".`
  return new AppError('not_found', message, { details: [{ path: 'mcpId', message }] })
}

function serverFailed({ name }: McpServerSetting, { reason, message }: McpFailure): AppError {
  if (reason === 'cancelled') return new AppError('unavailable', 'The server is shutting down.', { retryAfterMs: 1000 })
  const code = reason === 'timeout' ? 'provider_timeout' : 'provider_error'
  return new AppError(code, `The MCP server "${name}" did not list its tools. ${message}`)
}
