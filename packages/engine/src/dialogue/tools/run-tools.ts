import type { JsonObject } from '../../ports.ts'
import type { DialogueDependencies } from '../conversation.ts'
import type { VariableLookup } from '../variables/variables.ts'
import { buildHttpCall } from './custom-call.ts'
import { buildMcpServer } from './mcp-request.ts'
import { buildWithSecrets } from './named-secrets.ts'
import type { ToolCallPlan } from './plan-tool-call.ts'
import { clearResponseVariables, readResponseVariables } from './response-variables.ts'
import { sendSms } from './send-sms.ts'
import { type AgentSwap, swapAgents } from './swap-agents.ts'
import {
  type CallOutcome,
  createResult,
  describeOutcome,
  getOutcomeText,
  type SentSms,
  type ToolResult,
} from './tool-result.ts'

/** The environment in which tools run. */
export interface ToolEnvironment {
  readonly dependencies: Pick<DialogueDependencies, 'httpTools' | 'code' | 'mcp' | 'secrets' | 'sms' | 'agents'>
  readonly lookup: VariableLookup
  /** All set variables, available to code. */
  readonly variables: Readonly<Record<string, string>>
  readonly metadata: JsonObject
  /** `{chat: {...}}` or `{call: {...}}`, sent to the endpoint. */
  readonly toolContext: JsonObject
  readonly signal: AbortSignal
}

/** A planned call with its result. */
export interface FinishedCall {
  readonly plan: ToolCallPlan
  readonly result: ToolResult
  /** The agent that takes over the conversation, or `null` if there is no handover. */
  readonly swap: AgentSwap | null
  readonly sms: SentSms | null
}

const DEFAULT_CODE_TIMEOUT_MS = 30_000

type CallOutput = Omit<FinishedCall, 'plan'>

/**
 * Runs the calls of one step in parallel and yields their results in order. When `signal` aborts, it stops waiting but still
 * yields available results, because those calls have taken effect.
 */
export async function* runTools(
  plans: readonly ToolCallPlan[],
  environment: ToolEnvironment,
): AsyncGenerator<FinishedCall> {
  const { signal } = environment
  const outputs: (CallOutput | null)[] = plans.map(() => null)
  const runs = plans.map((plan, index) =>
    runSafely(plan, environment).then((result) => {
      outputs[index] = result
    }),
  )
  const aborted = watchAbort(signal)
  try {
    for (const [index, plan] of plans.entries()) {
      if (outputs[index] === null) await Promise.race([runs[index], aborted.promise])
      const result = outputs[index] ?? null
      if (result !== null) yield { plan, ...result }
    }
  } finally {
    aborted.dispose()
  }
}

/** Runs a plan and returns `null` for a canceled call. A port that rejects does not stop the turn. */
async function runSafely(plan: ToolCallPlan, environment: ToolEnvironment): Promise<CallOutput | null> {
  try {
    return await runPlan(plan, environment)
  } catch {
    return toCallOutput(plan, createFailure('network', 'The tool could not be run.'), environment)
  }
}

async function runPlan(plan: ToolCallPlan, environment: ToolEnvironment): Promise<CallOutput | null> {
  const { dependencies, lookup, signal } = environment
  const { secrets } = dependencies
  switch (plan.type) {
    case 'answer':
      return { result: createResult(plan.content, plan.ok, { variables: plan.variables }), swap: null, sms: null }
    case 'custom': {
      const builtRequest = await buildWithSecrets(plan.tool, { lookup, secrets }, (secretLookup) =>
        buildHttpCall(plan, { ...environment, lookup: secretLookup }),
      )
      if (!builtRequest.ok)
        return toCallOutput(plan, createFailure('unknown-secret', builtRequest.message), environment)
      return toCallOutput(
        plan,
        maskOutcome(await dependencies.httpTools.call(builtRequest.request), builtRequest.mask),
        environment,
      )
    }
    case 'code': {
      const { code, timeout_ms: timeoutMs = DEFAULT_CODE_TIMEOUT_MS } = plan.tool
      const { variables, metadata } = environment
      return toCallOutput(
        plan,
        await dependencies.code.run({ code, variables, metadata, timeoutMs, signal }),
        environment,
      )
    }
    case 'mcp': {
      const builtServer = await buildMcpServer(plan.server, { lookup, secrets })
      if (!builtServer.ok) return toCallOutput(plan, createFailure('unknown-secret', builtServer.message), environment)
      const call = { server: builtServer.request, toolName: plan.tool.name, args: plan.args, signal }
      return toCallOutput(plan, maskOutcome(await dependencies.mcp.call(call), builtServer.mask), environment)
    }
    case 'send_sms': {
      const { result, sms } = await sendSms(plan, { sms: dependencies.sms, lookup })
      return { result, sms, swap: null }
    }
    case 'agent_swap':
      return { ...(await swapAgents(plan.tool, dependencies.agents)), sms: null }
  }
}

/** Builds the outcome of a call and its variables, which a failure clears. Returns `null` for a canceled call. */
function toCallOutput(plan: ToolCallPlan, outcome: CallOutcome, { signal }: ToolEnvironment): CallOutput | null {
  if (!outcome.ok && outcome.reason === 'cancelled' && signal.aborted) return null
  const paths = 'tool' in plan && 'response_variables' in plan.tool ? plan.tool.response_variables : undefined
  const variables = outcome.ok ? readResponseVariables(getOutcomeText(outcome), paths) : clearResponseVariables(paths)
  return { result: describeOutcome(outcome, variables), swap: null, sms: null }
}

/** Builds the outcome of a call that was not sent or that failed in its client. */
function createFailure(reason: string, message: string) {
  return { ok: false, reason, message, durationMs: 0 } as const
}

/** Masks secrets that a server echoes. */
function maskOutcome<Outcome extends { readonly bodyText: string } | { readonly message: string }>(
  outcome: Outcome,
  mask: (text: string) => string,
): Outcome {
  return 'bodyText' in outcome
    ? { ...outcome, bodyText: mask(outcome.bodyText) }
    : { ...outcome, message: mask(outcome.message) }
}

function watchAbort(signal: AbortSignal): { readonly promise: Promise<void>; dispose(): void } {
  let finish: () => void = () => {}
  const promise = new Promise<void>((resolve) => {
    finish = resolve
  })
  signal.addEventListener('abort', finish, { once: true })
  return { promise, dispose: () => signal.removeEventListener('abort', finish) }
}
