import type { HttpToolCall, JsonObject, JsonValue } from '@parley/engine/ports'

/** What one attempt sends, except for its signature. */
export interface ToolRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty for GET and DELETE; the signature covers exactly this text. */
  readonly body: string
}

/** Ours alone: a configured header of that name is dropped. */
const RESERVED_HEADERS = new Set(['x-webhook-signature', 'idempotency-key', 'content-length', 'host'])

/**
 * The request of a tool call. GET and DELETE carry no body: their args become query parameters beside the configured ones,
 * which win. `null` when the tool's URL is none.
 */
export function buildToolRequest(call: HttpToolCall, userAgent: string): ToolRequest | null {
  if (!URL.canParse(call.url)) return null
  const hasBody = call.method !== 'GET' && call.method !== 'DELETE'
  const parameters = hasBody ? call.queryParams : { ...queryFromArgs(call.args), ...call.queryParams }
  return {
    url: withParameters(call.url, parameters),
    headers: buildHeaders(call, userAgent, hasBody),
    body: hasBody ? buildBody(call) : '',
  }
}

function buildHeaders(call: HttpToolCall, userAgent: string, hasBody: boolean): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'user-agent': userAgent,
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
  }
  if (hasBody) {
    headers['content-type'] = 'application/json'
  }
  for (const [name, value] of Object.entries(call.headers)) {
    if (!RESERVED_HEADERS.has(name.toLowerCase())) headers[name.toLowerCase()] = value
  }
  headers['idempotency-key'] = call.toolCallId
  return headers
}

function buildBody(call: HttpToolCall): string {
  return JSON.stringify(call.argsAtRoot ? call.args : { name: call.name, ...call.conversation, args: call.args })
}

function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const entries = Object.entries(parameters)
  // Untouched without parameters: reading a query back would spell some of its characters differently.
  if (entries.length === 0) return url
  const result = new URL(url)
  for (const [name, value] of entries) result.searchParams.set(name, value)
  return result.href
}

/** Scalars as text, lists and objects as JSON; what is null or absent is left out. */
function queryFromArgs(args: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, parameterText(value)]],
    ),
  )
}

function parameterText(value: JsonValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
