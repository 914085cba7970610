import { z } from 'zod'
import { id, integer, text } from './fields.ts'
import { describedObject } from './named-object.ts'
import { HeaderMap } from './tool-fields.ts'
import { ToolUrl } from './tool-url.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates } from './unique-items.ts'

/** MCP servers of an engine. Fields that were not given stay absent, so responses can be sent back unchanged. */

/** Settings of an MCP server. */
export const McpServerSetting = describedObject(
  'McpServerSetting',
  'Server that provides tools through the Model Context Protocol.',
  {
    mcp_id: id().optional().describe('ID for references in tools and nodes. Defaults to the name.'),
    name: z.string().min(1).max(200).describe('Display name, unique within the list.'),
    url: ToolUrl.describe('URL of the streamable HTTP endpoint; can contain `{{variables}}`.'),
    headers: HeaderMap.optional().describe('Request headers; values can contain `{{variables}}`.'),
    query_params: z
      .record(z.string().min(1).max(200), text(8 * 1024))
      .optional()
      .describe('Query parameters added to the URL; values can contain `{{variables}}`.'),
    timeout_ms: integer(1_000, 600_000).optional().describe('Request timeout in milliseconds. Defaults to 120000.'),
    require_approval: z
      .enum(['never', 'always'])
      .optional()
      .describe('Whether the user must approve each tool call. Defaults to `never`.'),
    approved_tools: z
      .array(z.string().min(1).max(200))
      .max(200)
      .optional()
      .describe('Names of tools that need no approval.'),
  },
)
export type McpServerSetting = z.output<typeof McpServerSetting>

/** ID by which tools and nodes refer to the server. */
export function mcpServerId(server: Pick<McpServerSetting, 'mcp_id' | 'name'>): string {
  return server.mcp_id ?? server.name
}

/** The servers of one engine, each with its own ID, or name without one. */
export const McpServerList = z
  .array(McpServerSetting)
  .max(50)
  .superRefine(rejectDuplicates('mcp_id', 'name'), DESPITE_OTHER_ISSUES)
