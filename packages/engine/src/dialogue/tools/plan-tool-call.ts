import type { CustomTool } from '@parley/contract/tools'
import type { JsonObject } from '../../ports.ts'
import type { ToolCall } from '../conversation.ts'
import { OUTCOME_UNKNOWN } from '../models/model-messages.ts'
import { type ExecutableTool, toolParameters } from './executable-tools.ts'
import { parseToolArguments } from './tool-arguments.ts'

/** What is to be done about one call. `answer` needs no request; `invalid` tells whether the model made a mistake. */
export type ToolCallPlan =
  | { readonly type: 'send'; readonly call: ToolCall; readonly tool: CustomTool; readonly args: JsonObject }
  | {
      readonly type: 'answer'
      readonly call: ToolCall
      readonly content: string
      readonly ok: boolean
      readonly invalid: boolean
    }

/** Content of the result of a call that ends the conversation. */
export const END_RESULT = 'success'

/** Methods that may be sent again after a crash without a second effect (RFC 9110 §9.2.2; PATCH and POST are not). */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE'])

/**
 * Decides about one call of the model. `resumed`: the call was on record before a crash, so it may have been sent already;
 * then it is sent again, under the same id, only if that can do no harm.
 */
export function planToolCall(call: ToolCall, tools: readonly ExecutableTool[], resumed: boolean): ToolCallPlan {
  const tool = tools.find((candidate) => candidate.name === call.name)
  if (tool === undefined) return mistake(call, unknownTool(call.name, tools))
  if (tool.type === 'end_call') return { type: 'answer', call, content: END_RESULT, ok: true, invalid: false }
  const parsed = parseToolArguments(call.argumentsText, toolParameters(tool))
  if (!parsed.valid) return mistake(call, parsed.problem)
  if (resumed && !mayRepeat(tool)) return { type: 'answer', call, content: OUTCOME_UNKNOWN, ok: false, invalid: false }
  return { type: 'send', call, tool, args: parsed.args }
}

function mistake(call: ToolCall, content: string): ToolCallPlan {
  return { type: 'answer', call, content, ok: false, invalid: true }
}

function mayRepeat(tool: CustomTool): boolean {
  return IDEMPOTENT_METHODS.has(tool.method ?? 'POST') || (tool.max_retry ?? 0) > 0
}

function unknownTool(name: string, tools: readonly ExecutableTool[]): string {
  const names = tools.map((tool) => tool.name).join(', ')
  const available = names === '' ? 'No tools are available.' : `Available tools: ${names}.`
  return `There is no tool named "${name.slice(0, 64)}". ${available}`
}
