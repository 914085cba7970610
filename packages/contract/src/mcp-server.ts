import { z } from 'zod'
import { id, integer, text } from './fields.ts'
import { HeaderMap } from './tool-fields.ts'
import { ToolUrl } from './tool-url.ts'

/** MCP servers whose tools an engine uses. A key that was not given stays absent, so that what is read can be written back. */

/** How a tool and an MCP server name each other. */
export const McpServerSetting = z
  .object({
    mcp_id: id().optional().meta({ description: 'How tools and nodes name the server; its name when absent.' }),
    name: z.string().min(1).max(200).meta({ description: 'Name to know it by; unique within the list.' }),
    url: ToolUrl.meta({ description: 'Address of its streamable HTTP endpoint; may contain `{{variables}}`.' }),
    headers: HeaderMap.optional().meta({ description: 'Headers of the requests; values may hold `{{variables}}`.' }),
    query_params: z
      .record(z.string().min(1).max(200), text(8 * 1024))
      .optional()
      .meta({ description: 'Parameters added to the address; values may hold `{{variables}}`.' }),
    timeout_ms: integer(1_000, 600_000)
      .optional()
      .meta({ description: 'Milliseconds a request may take; 120000 when absent.' }),
    require_approval: z.enum(['never', 'always']).optional().meta({
      description: 'With `always` the user is asked before a tool runs; `never` when absent.',
    }),
    approved_tools: z
      .array(z.string().min(1).max(200))
      .max(200)
      .optional()
      .meta({ description: 'Tools that run without asking even so.' }),
  })
  .meta({ id: 'McpServerSetting', description: 'A server of tools that speaks the Model Context Protocol.' })
export type McpServerSetting = z.output<typeof McpServerSetting>

/** By what tools and nodes refer to the server. */
export function mcpServerId(server: Pick<McpServerSetting, 'mcp_id' | 'name'>): string {
  return server.mcp_id ?? server.name
}

/** The servers of one engine, each name and id once. */
export const McpServerList = z
  .array(McpServerSetting)
  .max(50)
  .superRefine(rejectDuplicates, {
    // Also when other elements are wrong, so that all problems are told at once.
    when: ({ value }) => Array.isArray(value),
  })

function rejectDuplicates(servers: readonly unknown[], context: z.core.$RefinementCtx): void {
  const seen = new Set<string>()
  servers.forEach((server, index) => {
    const { mcp_id, name } = typeof server === 'object' && server !== null ? (server as Record<string, unknown>) : {}
    const given = mcp_id ?? name
    if (typeof given !== 'string') return
    if (seen.has(given)) {
      const path = [index, mcp_id === undefined ? 'name' : 'mcp_id']
      context.addIssue({ code: 'custom', path, message: `must be unique: "${given}" is already used` })
    }
    seen.add(given)
  })
}
