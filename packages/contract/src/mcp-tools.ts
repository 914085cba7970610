import { z } from 'zod'
import { id, queryWorkspace, VersionSelector } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Tools of an agent's MCP servers, for editors. */

export const McpToolDescription = defineObject('McpToolDescription', {
  name: z.string().describe('Name of the tool on its server.'),
  description: z.string().describe('Description from the server, or an empty string if there is none.'),
  inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
})
export type McpToolDescription = z.output<typeof McpToolDescription>

export const listMcpTools = defineOperation({
  name: 'listMcpTools',
  route: 'GET /api/agents/{agentId}/mcp-tools',
  tag: 'Agents',
  summary: 'List the tools of an MCP server',
  description:
    'Lists the tools of an MCP server that an agent’s engine refers to. Variables in the URL and headers use their ' +
    'default values. Returns at most 1000 tools and waits at most 30 seconds.',
  // The request sends stored credentials to the server, so read access is not sufficient.
  access: 'write',
  pathParameters: z.object({ agentId: id().describe('ID of an agent or chat agent.') }),
  query: z.object({
    workspaceId: queryWorkspace(),
    mcpId: id().describe('MCP server, by `mcp_id` or name.'),
    componentId: id().optional().describe('ID of the component that contains the server (flows only).'),
    version: VersionSelector.optional().describe(
      'Version of the agent: a number, `latest` or `active`. Defaults to `active`.',
    ),
  }),
  result: z.array(McpToolDescription),
  errors: ['engine_unavailable', 'provider_error', 'provider_timeout', 'unavailable'],
})
