import { listMcpTools } from '@parley/contract/mcp-tools'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { McpToolsService } from './mcp-tools-service.ts'

/** Registers the operation that lists the tools of an agent's MCP servers. */
export function registerMcpToolsRoutes(api: Api, service: McpToolsService): void {
  implement(api, listMcpTools, async ({ path, query }, { workspaceId }) => {
    const { mcpId, componentId, version = 'active' } = query
    return await service.list(workspaceId, { agentId: path.agentId, version, mcpId, componentId })
  })
}
