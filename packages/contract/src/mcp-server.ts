import { z } from 'zod'
import { id, integer, text } from './fields.ts'
import { defineDescribedObject } from './named-object.ts'
import { HeaderMap } from './tool-fields.ts'
import { ToolUrl } from './tool-url.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates } from './unique-items.ts'

/** MCP servers of an engine. Omitted fields stay absent, so that clients can send responses back unchanged. */

/** Settings of an MCP server. */
export const McpServerSetting = defineDescribedObject(
  'McpServerSetting',
  'Server that provides tools through the Model Context Protocol.',
  {
    mcp_id: id().optional().describe('ID by which tools and nodes refer to the server. Defaults to the name.'),
    name: z.string().min(1).max(200).describe('Display name, unique within the list.'),
    url: ToolUrl.describe('URL of the streamable HTTP endpoint; can contain `{{variables}}`.'),
    headers: HeaderMap.optional().describe('Request headers; values can contain `{{variables}}`.'),
    query_params: z
      .record(z.string().min(1).max(200), text(8 * 1024))
      .optional()
      .describe('Query parameters to add to the URL; values can contain `{{variables}}`.'),
    timeout_ms: integer(1_000, 600_000).optional().describe('Request timeout in milliseconds. Defaults to 120000.'),
    require_approval: z
      .enum(['never', 'always'])
      .optional()
      .describe('Whether the user must approve each tool call. Defaults to `never`.'),
    approved_tools: z
      .array(z.string().min(1).max(200))
      .max(200)
      .optional()
      .describe('Names of tools that do not require approval.'),
  },
)
export type McpServerSetting = z.output<typeof McpServerSetting>

/** Returns the ID by which tools and nodes refer to an MCP server. */
export function getMcpServerId(server: Pick<McpServerSetting, 'mcp_id' | 'name'>): string {
  return server.mcp_id ?? server.name
}

/** MCP servers of an engine. Their IDs, or names if there is no ID, are unique. */
export const McpServerList = z
  .array(McpServerSetting)
  .max(50)
  .superRefine(rejectDuplicates('mcp_id', 'name'), DESPITE_OTHER_ISSUES)
