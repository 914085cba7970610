import type { VersionSelector } from '@parley/contract/fields'
import type { McpServerSetting } from '@parley/contract/mcp-server'
import { notFound } from '../../kernel/errors.ts'
import type { AgentUse } from './pinned-agent.ts'

/** Which servers are meant: those of an agent's engine, or those of a component that the engine runs. */
export interface McpServerQuery {
  readonly workspaceId: number
  readonly agentId: string
  readonly version: VersionSelector
  readonly componentId?: string | undefined
}

export interface FoundMcpServers {
  readonly servers: readonly McpServerSetting[]
  /** Values for `{{variables}}` in what the servers say. */
  readonly variables: Readonly<Record<string, string>>
}

/** Tells the MCP servers of an agent's version as it is now; it need not be used yet. */
export interface McpServerFinder {
  /** Throws `not_found` for an agent, version or component that does not exist. */
  findMcpServers(query: McpServerQuery): Promise<FoundMcpServers>
}

export function createMcpServerFinder({ agents }: { readonly agents: Pick<AgentUse, 'preview'> }): McpServerFinder {
  return {
    async findMcpServers({ workspaceId, agentId, version, componentId }) {
      const { engine } = await agents.preview({ workspaceId, agentId, version })
      const variables = engine.defaultVariables
      if (componentId !== undefined) {
        const components = engine.kind === 'conversation-flow' ? engine.components : {}
        if (!Object.hasOwn(components, componentId)) throw notFound('component', componentId)
        return { servers: components[componentId]?.mcps ?? [], variables }
      }
      return { servers: engine.kind === 'custom-llm' ? [] : engine.mcps, variables }
    },
  }
}
