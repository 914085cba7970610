import type { DialogueEvent, HistoryMessage, PendingApproval, ToolCall } from '../conversation.ts'
import { say } from '../llm/converse.ts'
import { findRecordedStep, INVALID_STEP_LIMIT } from '../llm/decide-after-step.ts'
import { OUTCOME_UNKNOWN } from '../models/model-messages.ts'
import { requestToolCall } from '../models/request-tool-call.ts'
import { getToolParameters, toModelTool } from '../tools/offered-tools.ts'
import { planToolCall, type ToolCallPlan } from '../tools/plan-tool-call.ts'
import { runTools } from '../tools/run-tools.ts'
import { recordFinishedCall } from '../tools/settle-call.ts'
import { type AgentSwap, swapAgents } from '../tools/swap-agents.ts'
import { buildQuestionPrompt, type FlowRun, type NodeContext } from './flow-run.ts'
import { type NodeCall, restoreServerToolName } from './node-call.ts'
import { getNodeModel } from './node-scene.ts'
import { waitUntilAborted } from './until-aborted.ts'

/** The outcome of a node's call. */
export type ToolCallOutcome =
  /** `note` describes what the history does not contain. `result` is `null` while the tool is still running. */
  | { readonly type: 'done'; readonly result: CallResult | null; readonly note: string | null }
  /** The user has to approve the call first. */
  | { readonly type: 'needs-approval'; readonly approval: PendingApproval }
  | { readonly type: 'ended' }
  | { readonly type: 'swap'; readonly swap: AgentSwap }
  | { readonly type: 'stopped' }

/** `ok` is `null` if only the content was recorded. */
export interface CallResult {
  readonly ok: boolean | null
  readonly content: string
}

/** Options for a node's call. */
export interface NodeCallOptions {
  readonly call: NodeCall
  /** Known arguments, or `null` if a model has to provide them. */
  readonly argumentsText: string | null
  /** Text to say with the call, or an empty string. */
  readonly message: string
  /** Whether the turn waits for the tool. Otherwise, the turn continues while the tool runs. */
  readonly shouldWait: boolean
  /** The node's messages from earlier turns. */
  readonly priorMessages: readonly HistoryMessage[]
}

const STOPPED: ToolCallOutcome = { type: 'stopped' }
const ARGUMENTS_TASK =
  'Call the tool. Take its arguments from the conversation; leave out what nobody has said, unless it is required.'

/** Makes a node's call, or resumes the call of an interrupted turn. */
export async function* runNodeCall(
  run: FlowRun,
  context: NodeContext,
  options: NodeCallOptions,
): AsyncGenerator<DialogueEvent, ToolCallOutcome> {
  const recordedOutcome = yield* resumeRecordedCall(run, options)
  if (recordedOutcome !== null) return recordedOutcome
  const { turn } = run
  let { message } = options
  for (;;) {
    const argumentsText = options.argumentsText ?? (yield* requestArguments(run, context, options.call))
    if (turn.signal.aborted) return STOPPED
    if (argumentsText === null) {
      const note = `The tool ${options.call.tool.name} was not called: no arguments were found.`
      return { type: 'done', result: { ok: false, content: note }, note }
    }
    const call: ToolCall = { id: turn.dependencies.makeId('tool_call'), name: options.call.tool.name, argumentsText }
    if (!(yield* say(turn, message, [call]))) return STOPPED
    turn.toolSteps += 1
    message = ''
    // An earlier request may still be unanswered, so only arguments that the user approved count as approved.
    const approvals = options.argumentsText === null ? [] : turn.approvals
    const plan = planToolCall(call, { ...buildPlanOptions(run, options.call), approvals })
    const outcome = yield* executePlan(run, options, plan)
    if (plan.type !== 'answer' || !plan.invalid) return outcome
    turn.invalidSteps += 1
    if (options.argumentsText !== null || turn.invalidSteps >= INVALID_STEP_LIMIT || turn.signal.aborted) return outcome
  }
}

function endWithNote(note: string): ToolCallOutcome {
  return { type: 'done', result: null, note }
}

function buildPlanOptions({ turn }: FlowRun, { tool, mcps }: NodeCall) {
  const { channel, toolMocks: mocks = [] } = turn.conversation
  return { tools: [tool], mcps, channel, resumed: false, mocks, approvals: turn.approvals }
}

async function* executePlan(
  run: FlowRun,
  options: NodeCallOptions,
  plan: ToolCallPlan,
): AsyncGenerator<DialogueEvent, ToolCallOutcome> {
  const { turn, background } = run
  if (!options.shouldWait && plan.type !== 'answer' && plan.type !== 'agent_swap') {
    background.start(restoreServerToolName(plan, options.call))
    return endWithNote(`The tool ${plan.call.name} was started and still runs; the conversation does not wait for it.`)
  }
  let result: CallResult | null = null
  let swap: AgentSwap | null = null
  for await (const finishedCall of runTools([restoreServerToolName(plan, options.call)], turn.toolEnvironment)) {
    // Approval requests use the tool name from the conversation.
    yield* recordFinishedCall(turn, { ...finishedCall, plan })
    result = { ok: finishedCall.result.ok, content: finishedCall.result.content }
    swap = finishedCall.swap
  }
  if (turn.signal.aborted || result === null) return STOPPED
  if (swap !== null) return { type: 'swap', swap }
  return toToolCallOutcome(plan, result)
}

function toToolCallOutcome(plan: ToolCallPlan, result: CallResult): ToolCallOutcome {
  if (plan.type === 'answer' && plan.endsConversation === true) return { type: 'ended' }
  if (plan.type === 'answer' && plan.approval !== undefined) return { type: 'needs-approval', approval: plan.approval }
  return { type: 'done', result, note: null }
}

/** Resumes an interrupted turn's call. Returns `null` if the call has to be repeated. */
async function* resumeRecordedCall(
  run: FlowRun,
  options: NodeCallOptions,
): AsyncGenerator<DialogueEvent, ToolCallOutcome | null> {
  const step = findRecordedStep(options.priorMessages)
  const call = step?.calls.find(({ name }) => name === options.call.tool.name)
  if (step === null || call === undefined) return null
  const plan = planToolCall(call, { ...buildPlanOptions(run, options.call), resumed: true })
  const result = findRecordedResult(call, options.priorMessages)
  if (result === null) {
    if (run.turn.resumed) return yield* executePlan(run, options, plan)
    // The user has spoken since the call, so a late result would follow the user's words. Repeat the call or skip it.
    return plan.type === 'answer' && plan.content === OUTCOME_UNKNOWN ? endWithNote(OUTCOME_UNKNOWN) : null
  }
  const answeredPlan = planToolCall(call, buildPlanOptions(run, options.call))
  if (answeredPlan.type === 'answer' && answeredPlan.invalid) return null
  // The history records only the handover request.
  if (answeredPlan.type === 'agent_swap') return await performSwap(run, answeredPlan.tool, result)
  // The interrupted turn did not store its approval request.
  if (answeredPlan.type === 'answer' && answeredPlan.approval !== undefined)
    run.turn.recordApproval(answeredPlan.approval)
  return toToolCallOutcome(answeredPlan, { ok: null, content: result })
}

async function performSwap(
  { turn }: FlowRun,
  tool: Extract<ToolCallPlan, { type: 'agent_swap' }>['tool'],
  content: string,
): Promise<ToolCallOutcome> {
  const swapResult = await waitUntilAborted(swapAgents(tool, turn.agents), turn.signal)
  if (turn.signal.aborted) return STOPPED
  if (swapResult?.swap) return { type: 'swap', swap: swapResult.swap }
  return { type: 'done', result: { ok: false, content }, note: null }
}

function findRecordedResult({ id }: ToolCall, messages: readonly HistoryMessage[]): string | null {
  for (const message of messages) if (message.role === 'tool' && message.toolCallId === id) return message.content
  return null
}

/** Asks a model for the call's arguments. Returns `null` if the model did not call the tool. */
async function* requestArguments(
  run: FlowRun,
  context: NodeContext,
  call: NodeCall,
): AsyncGenerator<DialogueEvent, string | null> {
  if (!call.needsArguments) return '{}'
  const { turn, engine } = run
  const { tool } = call
  // The node itself says the execution message, so the tool's schema must not request one.
  const modelTool = { ...toModelTool(tool, turn.lookup), parameters: getToolParameters(tool) }
  const prompt = buildQuestionPrompt(run, context.node, { task: ARGUMENTS_TASK, tool: modelTool })
  const response = yield* requestToolCall(turn, { prompt, model: getNodeModel(engine, context.node) })
  return response.call?.name === tool.name ? response.call.argumentsText : null
}
