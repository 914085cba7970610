import { type McpServerSetting, mcpServerId } from '@parley/contract/mcp-server'
import type { AgentSwapTool, CodeTool, CustomTool, McpTool, SendSmsTool } from '@parley/contract/tools'
import type { JsonObject } from '../../ports.ts'
import { type Channel, channelRefusal, NOT_PERFORMED } from '../channel.ts'
import type { PendingApproval, ToolCall, ToolMock } from '../conversation.ts'
import { OUTCOME_UNKNOWN } from '../models/model-messages.ts'
import type { VariableUpdates } from '../variables/variable-updates.ts'
import { isApproved, isSame, needsApproval } from './approvals.ts'
import { readExtraction } from './extraction.ts'
import { acceptedParameters, type OfferedTool, withoutExecutionMessage } from './offered-tools.ts'
import { clearResponseVariables, readResponseVariables } from './response-variables.ts'
import { parseToolArguments } from './tool-arguments.ts'

/** What is to be done about one call. `answer` needs nothing of the outside; `invalid`: the model made a mistake. */
export type ToolCallPlan =
  | { readonly type: 'custom'; readonly call: ToolCall; readonly tool: CustomTool; readonly args: JsonObject }
  | { readonly type: 'code'; readonly call: ToolCall; readonly tool: CodeTool }
  | {
      readonly type: 'mcp'
      readonly call: ToolCall
      readonly tool: McpTool
      readonly server: McpServerSetting
      readonly args: JsonObject
    }
  | { readonly type: 'send_sms'; readonly call: ToolCall; readonly tool: SendSmsTool; readonly args: JsonObject }
  | { readonly type: 'agent_swap'; readonly call: ToolCall; readonly tool: AgentSwapTool }
  | PlannedAnswer

/** A call whose result is known without a request. */
export interface PlannedAnswer {
  readonly type: 'answer'
  readonly call: ToolCall
  readonly content: string
  readonly ok: boolean
  readonly invalid: boolean
  readonly variables: VariableUpdates
  /** The state that the model wants to go to. */
  readonly destination?: string
  /** The conversation is to end. */
  readonly ends?: boolean
  /** What the user is to be asked. */
  readonly approval?: PendingApproval
}

/** What a call is decided by. */
export interface PlanningFacts {
  readonly tools: readonly OfferedTool[]
  readonly mcps: readonly McpServerSetting[]
  readonly channel: Channel
  /** The call was on record before a crash, so it may have been sent already. */
  readonly resumed: boolean
  readonly mocks: readonly ToolMock[]
  /** What the user was asked in earlier turns. */
  readonly approvals: readonly PendingApproval[]
}

/** Content of the result of a call that was carried out and has nothing to tell. */
export const DONE = 'success'

/** Methods that may be sent again after a crash without a second effect (RFC 9110 §9.2.2; PATCH and POST are not). */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE'])

/** Decides about one call of the model. After a crash it is sent again, under the same id, only if that can do no harm. */
export function planToolCall(call: ToolCall, facts: PlanningFacts): ToolCallPlan {
  const tool = facts.tools.find((candidate) => candidate.name === call.name)
  if (tool === undefined) return invalidCall(call, unknownTool(call.name, facts.tools))
  if (tool.type === 'end_call') return { ...answer(call, DONE), ends: true }
  const refusal = toolRefusal(tool, facts)
  if (refusal !== null) return answer(call, refusal, { ok: false })
  const parsed = parseToolArguments(withoutExecutionMessage(call.argumentsText), acceptedParameters(tool))
  if (!parsed.valid) return invalidCall(call, parsed.problem)
  const mock = tool.type === 'state_transition' ? null : findMock(facts.mocks, call.name, parsed.args)
  if (mock !== null) return mocked(call, tool, mock)
  return planValidCall({ call, args: parsed.args }, tool, facts)
}

interface ValidCall {
  readonly call: ToolCall
  readonly args: JsonObject
}

function planValidCall(
  { call, args }: ValidCall,
  tool: Exclude<OfferedTool, { type: 'end_call' }>,
  facts: PlanningFacts,
): ToolCallPlan {
  const unknownOutcome = answer(call, OUTCOME_UNKNOWN, { ok: false })
  switch (tool.type) {
    case 'custom':
      return facts.resumed && !canRepeat(tool) ? unknownOutcome : { type: 'custom', call, tool, args }
    case 'code':
      return { type: 'code', call, tool }
    case 'mcp':
      return facts.resumed ? unknownOutcome : planMcpCall({ call, args }, tool, facts)
    case 'send_sms':
      return facts.resumed ? unknownOutcome : { type: 'send_sms', call, tool, args }
    case 'agent_swap':
      return { type: 'agent_swap', call, tool }
    case 'extract_dynamic_variable':
      return planExtraction({ call, args }, tool)
    case 'state_transition':
      return { ...answer(call, DONE, { variables: argumentsAsVariables(args) }), destination: tool.destination }
    case 'check_availability_cal':
    case 'book_appointment_cal':
      return answer(call, 'Tools of this type are not carried out here; use a custom tool.', { ok: false })
    // The plans of tools that need a capability belong here, once a driver can perform them.
    case 'transfer_call':
    case 'bridge_transfer':
    case 'cancel_transfer':
    case 'press_digit':
      return answer(call, channelRefusal(facts.channel, tool.type) ?? NOT_PERFORMED, { ok: false })
  }
}

function planMcpCall({ call, args }: ValidCall, tool: McpTool, facts: PlanningFacts): ToolCallPlan {
  const server = facts.mcps.find((candidate) => mcpServerId(candidate) === tool.mcp_id)
  if (server === undefined) {
    return answer(call, `The tool cannot be used: there is no MCP server "${tool.mcp_id}".`, { ok: false })
  }
  const approval = { toolName: call.name, args }
  if (needsApproval(server, tool.name) && !isApproved(facts.approvals, approval)) {
    const content =
      'Not run yet: this needs the agreement of the user. Tell the user what you are about to do and ask for it; once ' +
      'the user has agreed, call the tool again with exactly the same arguments. Do not call it if the user declines.'
    return { ...answer(call, content, { ok: false }), approval }
  }
  return { type: 'mcp', call, tool, server, args }
}

function planExtraction(
  { call, args }: ValidCall,
  tool: Extract<OfferedTool, { type: 'extract_dynamic_variable' }>,
): PlannedAnswer {
  const { variables, missing } = readExtraction(args, tool.variables)
  const names = (isCleared: boolean): string[] =>
    Object.keys(variables).filter((name) => (variables[name] === null) === isCleared)
  const stored = names(false).length === 0 ? 'Nothing was stored.' : `Stored: ${names(false).join(', ')}.`
  const summary = names(true).length === 0 ? stored : `${stored} Cleared: ${names(true).join(', ')}.`
  const open = missing.length === 0 ? '' : ` Still missing: ${missing.join(', ')}; ask the user for it.`
  return answer(call, `${summary}${open}`, { variables })
}

/** Why a call of the tool is in vain whatever its arguments; `null` where the channel can do it or a mock answers for it. */
export function toolRefusal(tool: OfferedTool, { channel, mocks }: Pick<PlanningFacts, 'channel' | 'mocks'>) {
  return mocks.some(({ toolName }) => toolName === tool.name) ? null : channelRefusal(channel, tool.type)
}

/** The first mock that matches a call; `null` lets the tool itself run. */
function findMock(mocks: readonly ToolMock[], name: string, args: JsonObject): ToolMock | null {
  const matches = ({ toolName, args: wanted }: ToolMock): boolean =>
    toolName === name && (wanted === null || Object.entries(wanted).every(([key, value]) => isSame(args[key], value)))
  return mocks.find(matches) ?? null
}

function mocked(call: ToolCall, tool: OfferedTool, { output, ok }: ToolMock): PlannedAnswer {
  const paths = 'response_variables' in tool ? tool.response_variables : undefined
  return answer(call, output, {
    ok,
    variables: ok ? readResponseVariables(output, paths) : clearResponseVariables(paths),
  })
}

function answer(
  call: ToolCall,
  content: string,
  result: { readonly ok?: boolean; readonly variables?: VariableUpdates } = {},
): PlannedAnswer {
  return { type: 'answer', call, content, ok: result.ok ?? true, invalid: false, variables: result.variables ?? {} }
}

function invalidCall(call: ToolCall, content: string): PlannedAnswer {
  return { ...answer(call, content, { ok: false }), invalid: true }
}

/** What is handed over to a state becomes variables. */
function argumentsAsVariables(args: JsonObject): Readonly<Record<string, string>> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function canRepeat(tool: CustomTool): boolean {
  return IDEMPOTENT_METHODS.has(tool.method ?? 'POST') || (tool.max_retry ?? 0) > 0
}

function unknownTool(name: string, tools: readonly OfferedTool[]): string {
  const names = tools.map((tool) => tool.name).join(', ')
  const available = names === '' ? 'No tools are available.' : `Available tools: ${names}.`
  return `There is no tool named "${name.slice(0, 64)}". ${available}`
}
