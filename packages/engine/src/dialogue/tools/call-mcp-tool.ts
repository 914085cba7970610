import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { McpClient, McpServer } from '../../ports.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { renderHeaders, renderRecord } from './custom-call.ts'
import type { ToolCallPlan } from './plan-tool-call.ts'

const DEFAULT_TIMEOUT_MS = 120_000

/** A server of an engine, its variables rendered. */
export function renderMcpServer(setting: McpServerSetting, lookup: VariableLookup): McpServer {
  return {
    url: renderTemplate(setting.url, lookup),
    headers: renderHeaders(setting.headers, lookup),
    queryParams: renderRecord(setting.query_params, lookup),
    timeoutMs: setting.timeout_ms ?? DEFAULT_TIMEOUT_MS,
  }
}

/** Calls the tool that bears the name of ours at its server. */
export function callMcpTool(
  { tool, server, args }: Extract<ToolCallPlan, { type: 'mcp' }>,
  environment: { readonly mcp: McpClient; readonly lookup: VariableLookup; readonly signal: AbortSignal },
): ReturnType<McpClient['call']> {
  const { mcp, lookup, signal } = environment
  return mcp.call({ server: renderMcpServer(server, lookup), toolName: tool.name, args, signal })
}
