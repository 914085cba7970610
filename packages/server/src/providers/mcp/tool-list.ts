import type { ListToolsResult } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject, McpToolDescription } from '@parley/engine/ports'
import type { McpConnection, RequestLimits } from './mcp-connection.ts'
import { asProtocolProblem } from './mcp-problem.ts'

/** No model can choose among more, and each of them is held in memory. */
const MAX_TOOLS = 1000
const MAX_PAGES = 100

/** All tools of a server, page by page; what is above the bounds is left out. Rejects with an `McpProblem`. */
export async function listAllTools(
  connection: Pick<McpConnection, 'listTools'>,
  limits: RequestLimits,
): Promise<readonly McpToolDescription[]> {
  const tools: McpToolDescription[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: ListToolsResult = await connection.listTools(cursor, limits).catch((error: unknown) => {
      throw asProtocolProblem(error)
    })
    tools.push(...answer.tools.map(describeTool))
    cursor = answer.nextCursor
    if (cursor === undefined || tools.length >= MAX_TOOLS) break
  }
  return tools.slice(0, MAX_TOOLS)
}

function describeTool({ name, description, inputSchema }: ListToolsResult['tools'][number]): McpToolDescription {
  return { name, description: description ?? '', inputSchema: inputSchema as JsonObject }
}
