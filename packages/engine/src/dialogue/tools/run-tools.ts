import type { CustomTool } from '@parley/contract/tools'
import type { HttpToolCall, HttpToolClient, HttpToolOutcome, JsonObject } from '../../ports.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import type { ToolCallPlan } from './plan-tool-call.ts'
import { readResponseVariables } from './response-variables.ts'
import { describeOutcome, localResult, type ToolResult } from './tool-result.ts'

/** What running tools needs. */
export interface ToolEnvironment {
  readonly httpTools: HttpToolClient
  readonly lookup: VariableLookup
  /** `{chat: {...}}` or `{call: {...}}`, told to the endpoint. */
  readonly toolContext: JsonObject
  readonly signal: AbortSignal
}

/** A plan and what came of it. */
export interface SettledCall {
  readonly plan: ToolCallPlan
  readonly result: ToolResult
}

const DEFAULT_TIMEOUT_MS = 120_000

/**
 * Carries out the calls of one step side by side and yields their results in the order of the calls. When `signal` aborts it
 * no longer waits: results that are there by then are still yielded, because what they report has happened.
 */
export async function* runTools(
  plans: readonly ToolCallPlan[],
  environment: ToolEnvironment,
): AsyncGenerator<SettledCall> {
  const { signal } = environment
  const settled: (ToolResult | null)[] = plans.map(() => null)
  const running = plans.map((plan, index) =>
    runPlan(plan, environment).then((result) => {
      settled[index] = result
    }),
  )
  const aborted = watchAbort(signal)
  try {
    for (const [index, plan] of plans.entries()) {
      if (settled[index] === null) await Promise.race([running[index], aborted.promise])
      const result = settled[index] ?? null
      if (result !== null) yield { plan, result }
    }
  } finally {
    aborted.dispose()
  }
}

/** `null`: the call was cancelled before its outcome was known. */
async function runPlan(plan: ToolCallPlan, environment: ToolEnvironment): Promise<ToolResult | null> {
  if (plan.type === 'answer') return localResult(plan.content, plan.ok)
  const outcome = await send(buildHttpCall(plan, environment), environment.httpTools)
  if (!outcome.ok && outcome.reason === 'cancelled' && environment.signal.aborted) return null
  const variables = outcome.ok ? readResponseVariables(outcome.bodyText, plan.tool.response_variables) : {}
  return describeOutcome(outcome, variables)
}

async function send(call: HttpToolCall, httpTools: HttpToolClient): Promise<HttpToolOutcome> {
  try {
    return await httpTools.call(call)
  } catch {
    // The port promises not to reject; a tool must not take the turn down if it does.
    return { ok: false, reason: 'network', status: null, message: 'The request could not be made.', durationMs: 0 }
  }
}

function buildHttpCall(plan: Extract<ToolCallPlan, { type: 'send' }>, environment: ToolEnvironment): HttpToolCall {
  const { tool, call, args } = plan
  const { lookup } = environment
  return {
    toolCallId: call.id,
    name: tool.name,
    method: tool.method ?? 'POST',
    url: renderTemplate(tool.url, lookup),
    headers: renderHeaders(tool, lookup),
    queryParams: renderRecord(tool.query_params, lookup),
    args,
    parameterType: tool.parameter_type ?? 'json',
    argsAtRoot: tool.args_at_root ?? false,
    conversation: environment.toolContext,
    timeoutMs: tool.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    maxRetry: tool.max_retry ?? 0,
    signal: environment.signal,
  }
}

function renderHeaders(tool: CustomTool, lookup: VariableLookup): Record<string, string> {
  const headers = renderRecord(tool.headers, lookup)
  // A variable is the other party's text: it must not end the header and begin another.
  for (const name of Object.keys(headers)) headers[name] = (headers[name] ?? '').replaceAll(/\p{Cc}+/gu, ' ')
  return headers
}

function renderRecord(
  record: Readonly<Record<string, string>> | undefined,
  lookup: VariableLookup,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, renderTemplate(value, lookup)]))
}

function watchAbort(signal: AbortSignal): { readonly promise: Promise<void>; dispose(): void } {
  let finish: () => void = () => {}
  const promise = new Promise<void>((resolve) => {
    finish = resolve
  })
  signal.addEventListener('abort', finish, { once: true })
  return { promise, dispose: () => signal.removeEventListener('abort', finish) }
}
