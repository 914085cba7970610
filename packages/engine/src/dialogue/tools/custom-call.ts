import type { HttpToolCall, JsonObject } from '../../ports.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import type { ToolCallPlan } from './plan-tool-call.ts'

const DEFAULT_TIMEOUT_MS = 120_000

/** Builds a custom tool's request, with variables rendered. */
export function buildHttpCall(
  { tool, call, args }: Extract<ToolCallPlan, { type: 'custom' }>,
  environment: { readonly lookup: VariableLookup; readonly toolContext: JsonObject; readonly signal: AbortSignal },
): HttpToolCall {
  const { lookup } = environment
  return {
    toolCallId: call.id,
    name: tool.name,
    method: tool.method ?? 'POST',
    url: renderTemplate(tool.url, lookup),
    headers: renderHeaders(tool.headers, lookup),
    queryParams: renderRecord(tool.query_params, lookup),
    args,
    argsAtRoot: tool.args_at_root ?? false,
    conversation: environment.toolContext,
    timeoutMs: tool.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    maxRetry: tool.max_retry ?? 0,
    signal: environment.signal,
  }
}

type Template = Readonly<Record<string, string>> | undefined

/** Renders headers without control characters, so that a caller's text in a variable cannot add another header. */
export function renderHeaders(templates: Template, lookup: VariableLookup): Record<string, string> {
  const headers = renderRecord(templates, lookup)
  for (const name of Object.keys(headers)) headers[name] = (headers[name] ?? '').replaceAll(/\p{Cc}+/gu, ' ')
  return headers
}

export function renderRecord(templates: Template, lookup: VariableLookup): Record<string, string> {
  return Object.fromEntries(
    Object.entries(templates ?? {}).map(([name, value]) => [name, renderTemplate(value, lookup)]),
  )
}
