import { z } from 'zod'
import { id, queryWorkspace, VersionSelector } from './fields.ts'
import { defineOperation } from './operation.ts'

/** What the MCP servers of an agent offer, asked when somebody chooses among it. */

export const McpToolDescription = z
  .object({
    name: z.string().meta({ description: 'Name of the tool at its server.' }),
    description: z.string().meta({ description: 'What its server says it does; "" when it says nothing.' }),
    inputSchema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of its arguments.' }),
  })
  .meta({ id: 'McpToolDescription' })
export type McpToolDescription = z.output<typeof McpToolDescription>

export const listMcpTools = defineOperation({
  name: 'listMcpTools',
  method: 'GET',
  path: '/api/agents/{agentId}/mcp-tools',
  tag: 'Agents',
  summary: 'List the tools of an MCP server',
  description:
    'Asks one of the MCP servers that the engine of the agent names which tools it has. Variables in its address and headers ' +
    'take their defaults. At most 1000 tools are answered, and the server has at most 30 seconds.',
  // Asking sends the stored credentials out, which reading does not.
  access: 'write',
  workspace: 'query',
  pathParameters: z.object({ agentId: id().meta({ description: 'An agent or chat agent.' }) }),
  query: z.object({
    workspaceId: queryWorkspace(),
    mcpId: id().meta({ description: 'The server, by its `mcp_id` or, when it has none, its name.' }),
    componentId: id().optional().meta({ description: 'For flows: the component that names the server.' }),
    version: VersionSelector.optional().meta({
      description: 'Of the agent: a version from 1, `latest` or `active`, which is the default.',
    }),
  }),
  status: 200,
  result: z.array(McpToolDescription),
  errors: ['not_found', 'engine_unavailable', 'provider_error', 'provider_timeout', 'unavailable'],
})
