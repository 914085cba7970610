import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** What is used of the official client library. */
export interface McpSdk {
  readonly Client: typeof Client
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport
  readonly StreamableHTTPError: typeof import('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPError
  readonly McpError: typeof import('@modelcontextprotocol/sdk/types.js').McpError
  readonly ListToolsResultSchema: typeof import('@modelcontextprotocol/sdk/types.js').ListToolsResultSchema
  readonly CallToolResultSchema: typeof import('@modelcontextprotocol/sdk/types.js').CallToolResultSchema
}

/** Loads the library when somebody first needs it: most installations never do, and it would cost every start. */
export async function loadMcpSdk(): Promise<McpSdk> {
  const [{ Client }, { StreamableHTTPClientTransport, StreamableHTTPError }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const { McpError, ListToolsResultSchema, CallToolResultSchema } = types
  return {
    Client,
    StreamableHTTPClientTransport,
    StreamableHTTPError,
    McpError,
    ListToolsResultSchema,
    CallToolResultSchema,
  }
}
