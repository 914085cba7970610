import { getMcpServerId, type McpServerSetting } from '@parley/contract/mcp-server'
import type { AgentSwapTool, CodeTool, CustomTool, McpTool, SendSmsTool } from '@parley/contract/tools'
import type { JsonObject } from '../../ports.ts'
import { type Channel, getChannelRefusal, NOT_IMPLEMENTED } from '../channel.ts'
import type { PendingApproval, ToolCall, ToolMock } from '../conversation.ts'
import { OUTCOME_UNKNOWN } from '../models/model-messages.ts'
import type { VariableUpdates } from '../variables/variable-updates.ts'
import { isApproved, isDeepEqual, needsApproval } from './approvals.ts'
import { readExtraction } from './extraction.ts'
import { getAcceptedParameters, type OfferedTool, removeExecutionMessage } from './offered-tools.ts'
import { clearResponseVariables, readResponseVariables } from './response-variables.ts'
import { parseToolArguments } from './tool-arguments.ts'

/** The plan for one call. For `answer`, the result is already known. */
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

/** A result that is known without a request. `invalid` means that the model made a mistake. */
export interface PlannedAnswer {
  readonly type: 'answer'
  readonly call: ToolCall
  readonly content: string
  readonly ok: boolean
  readonly invalid: boolean
  readonly variables: VariableUpdates
  /** The state to move to. */
  readonly destination?: string
  /** Whether the conversation ends. */
  readonly endsConversation?: boolean
  /** The approval to request from the user. */
  readonly approval?: PendingApproval
}

/** Options for planning a call. */
export interface PlanOptions {
  readonly tools: readonly OfferedTool[]
  readonly mcps: readonly McpServerSetting[]
  readonly channel: Channel
  /** Whether the call was recorded before a crash and may have been sent. */
  readonly resumed: boolean
  readonly mocks: readonly ToolMock[]
  /** Approval requests from earlier turns. */
  readonly approvals: readonly PendingApproval[]
}

/** Result of a successful call that returned no content. */
export const DONE = 'success'

/** Methods that can safely be repeated after a crash (RFC 9110 §9.2.2; PATCH and POST cannot). */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE'])

/** Plans one call. After a crash, the plan repeats the call with the same ID only if that is safe. */
export function planToolCall(call: ToolCall, options: PlanOptions): ToolCallPlan {
  const tool = options.tools.find((candidate) => candidate.name === call.name)
  if (tool === undefined) return answerInvalidCall(call, describeUnknownTool(call.name, options.tools))
  if (tool.type === 'end_call') return { ...answerCall(call, DONE), endsConversation: true }
  const refusal = getToolRefusal(tool, options)
  if (refusal !== null) return answerCall(call, refusal, { ok: false })
  const parsed = parseToolArguments(removeExecutionMessage(call.argumentsText), getAcceptedParameters(tool))
  if (!parsed.valid) return answerInvalidCall(call, parsed.problem)
  const mock = tool.type === 'state_transition' ? null : findMock(options.mocks, call.name, parsed.args)
  if (mock !== null) return answerByMock(call, tool, mock)
  return planValidCall({ call, args: parsed.args }, tool, options)
}

interface ValidCall {
  readonly call: ToolCall
  readonly args: JsonObject
}

function planValidCall(
  { call, args }: ValidCall,
  tool: Exclude<OfferedTool, { type: 'end_call' }>,
  options: PlanOptions,
): ToolCallPlan {
  const unknownOutcome = answerCall(call, OUTCOME_UNKNOWN, { ok: false })
  switch (tool.type) {
    case 'custom':
      return options.resumed && !canRepeat(tool) ? unknownOutcome : { type: 'custom', call, tool, args }
    case 'code':
      return { type: 'code', call, tool }
    case 'mcp':
      return options.resumed ? unknownOutcome : planMcpCall({ call, args }, tool, options)
    case 'send_sms':
      return options.resumed ? unknownOutcome : { type: 'send_sms', call, tool, args }
    case 'agent_swap':
      return { type: 'agent_swap', call, tool }
    case 'extract_dynamic_variable':
      return planExtraction({ call, args }, tool)
    case 'state_transition':
      return { ...answerCall(call, DONE, { variables: toVariables(args) }), destination: tool.destination }
    case 'check_availability_cal':
    case 'book_appointment_cal':
      return answerCall(call, 'Tools of this type cannot be run; use a custom tool.', { ok: false })
    // Tools that need a capability will be planned here once a driver supports that capability.
    case 'transfer_call':
    case 'bridge_transfer':
    case 'cancel_transfer':
    case 'press_digit':
      return answerCall(call, getChannelRefusal(options.channel, tool.type) ?? NOT_IMPLEMENTED, { ok: false })
  }
}

function planMcpCall({ call, args }: ValidCall, tool: McpTool, options: PlanOptions): ToolCallPlan {
  const server = options.mcps.find((candidate) => getMcpServerId(candidate) === tool.mcp_id)
  if (server === undefined) {
    return answerCall(call, `The tool cannot be used: there is no MCP server "${tool.mcp_id}".`, { ok: false })
  }
  const approval = { toolName: call.name, args }
  if (needsApproval(server, tool.name) && !isApproved(options.approvals, approval)) {
    const content =
      'Not run yet: this needs the agreement of the user. Tell the user what you are about to do and ask for it; once ' +
      'the user has agreed, call the tool again with exactly the same arguments. Do not call it if the user declines.'
    return { ...answerCall(call, content, { ok: false }), approval }
  }
  return { type: 'mcp', call, tool, server, args }
}

function planExtraction(
  { call, args }: ValidCall,
  tool: Extract<OfferedTool, { type: 'extract_dynamic_variable' }>,
): PlannedAnswer {
  const { variables, missingNames } = readExtraction(args, tool.variables)
  const listNames = (isCleared: boolean): string[] =>
    Object.keys(variables).filter((name) => (variables[name] === null) === isCleared)
  const storedNote = listNames(false).length === 0 ? 'Nothing was stored.' : `Stored: ${listNames(false).join(', ')}.`
  const summary = listNames(true).length === 0 ? storedNote : `${storedNote} Cleared: ${listNames(true).join(', ')}.`
  const missingNote =
    missingNames.length === 0 ? '' : ` Still missing: ${missingNames.join(', ')}; ask the user for it.`
  return answerCall(call, `${summary}${missingNote}`, { variables })
}

/**
 * Returns why the channel refuses a tool regardless of its arguments, or `null` if it accepts the tool or a mock replaces it.
 */
export function getToolRefusal(tool: OfferedTool, { channel, mocks }: Pick<PlanOptions, 'channel' | 'mocks'>) {
  return mocks.some(({ toolName }) => toolName === tool.name) ? null : getChannelRefusal(channel, tool.type)
}

/** Returns the first mock that matches a call, or `null` to run the tool. */
function findMock(mocks: readonly ToolMock[], name: string, args: JsonObject): ToolMock | null {
  const isMatch = ({ toolName, args: expectedArgs }: ToolMock): boolean =>
    toolName === name &&
    (expectedArgs === null || Object.entries(expectedArgs).every(([key, value]) => isDeepEqual(args[key], value)))
  return mocks.find(isMatch) ?? null
}

function answerByMock(call: ToolCall, tool: OfferedTool, { output, ok }: ToolMock): PlannedAnswer {
  const paths = 'response_variables' in tool ? tool.response_variables : undefined
  return answerCall(call, output, {
    ok,
    variables: ok ? readResponseVariables(output, paths) : clearResponseVariables(paths),
  })
}

function answerCall(
  call: ToolCall,
  content: string,
  result: { readonly ok?: boolean; readonly variables?: VariableUpdates } = {},
): PlannedAnswer {
  return { type: 'answer', call, content, ok: result.ok ?? true, invalid: false, variables: result.variables ?? {} }
}

function answerInvalidCall(call: ToolCall, content: string): PlannedAnswer {
  return { ...answerCall(call, content, { ok: false }), invalid: true }
}

/** Converts a state transition's arguments to variables. */
function toVariables(args: JsonObject): Readonly<Record<string, string>> {
  const definedEntries = Object.entries(args).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(
    definedEntries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function canRepeat(tool: CustomTool): boolean {
  return IDEMPOTENT_METHODS.has(tool.method ?? 'POST') || (tool.max_retry ?? 0) > 0
}

function describeUnknownTool(name: string, tools: readonly OfferedTool[]): string {
  const names = tools.map((tool) => tool.name).join(', ')
  const available = names === '' ? 'No tools are available.' : `Available tools: ${names}.`
  return `There is no tool named "${name.slice(0, 64)}". ${available}`
}
