import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { McpClient, McpServer, SecretReader } from '../../ports.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { renderHeaders, renderRecord } from './custom-call.ts'
import { type BuiltRequest, buildWithSecrets } from './named-secrets.ts'

const DEFAULT_TIMEOUT_MS = 120_000

/** Values for a server's templates. */
interface McpTemplateValues {
  readonly lookup: VariableLookup
  readonly secrets: SecretReader
}

/** Renders the variables and secrets in a server's settings. */
export function buildMcpServer(setting: McpServerSetting, values: McpTemplateValues): Promise<BuiltRequest<McpServer>> {
  return buildWithSecrets(setting, values, (lookup) => ({
    url: renderTemplate(setting.url, lookup),
    headers: renderHeaders(setting.headers, lookup),
    queryParams: renderRecord(setting.query_params, lookup),
    timeoutMs: setting.timeout_ms ?? DEFAULT_TIMEOUT_MS,
  }))
}

type ToolListing = Awaited<ReturnType<McpClient['listTools']>>

/** Lists a server's tools and masks secrets that the server echoes. */
export async function listMcpTools(
  setting: McpServerSetting,
  { mcp, maxTimeoutMs, signal, ...values }: McpTemplateValues & ListOptions,
): Promise<ToolListing> {
  const builtServer = await buildMcpServer(setting, values)
  if (!builtServer.ok) return { ok: false, reason: 'network', message: builtServer.message, durationMs: 0 }
  const timeoutMs = Math.min(builtServer.request.timeoutMs, maxTimeoutMs ?? Number.POSITIVE_INFINITY)
  const listing = await mcp.listTools({ ...builtServer.request, timeoutMs }, signal)
  return JSON.parse(JSON.stringify(listing), (_key, value: unknown) =>
    typeof value === 'string' ? builtServer.mask(value) : value,
  ) as ToolListing
}

interface ListOptions {
  readonly mcp: Pick<McpClient, 'listTools'>
  readonly signal: AbortSignal
  readonly maxTimeoutMs?: number
}
