import type { VersionSelector } from '@parley/contract/fields'
import type { McpServerSetting } from '@parley/contract/mcp-server'

/** The MCP servers of agents; implemented by the agents feature. */
export interface McpServers {
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
