import type { DialogueEvent, HistoryMessage, PendingApproval, ToolCall } from '../conversation.ts'
import { INVALID_STEP_LIMIT, lastRecordedStep } from '../llm/decide-after-step.ts'
import { askForCall } from '../models/ask-for-call.ts'
import { OUTCOME_UNKNOWN } from '../models/model-messages.ts'
import { toModelTool, toolParameters } from '../tools/offered-tools.ts'
import { planToolCall, type ToolCallPlan } from '../tools/plan-tool-call.ts'
import { runTools } from '../tools/run-tools.ts'
import { settleCall } from '../tools/settle-call.ts'
import { type AgentSwap, swapAgents } from '../tools/swap-agents.ts'
import { type FlowRun, questionPrompt, type Stand } from './flow-run.ts'
import { atServer, type NodeCall } from './node-call.ts'
import { modelOf } from './node-scene.ts'
import { untilAborted } from './until-aborted.ts'

/** What came of a node's call. */
export type CallEnd =
  /** `note`: what the conversation does not show of it. `result`: what the tool answered; `null` while it still runs. */
  | { readonly type: 'done'; readonly result: CallResult | null; readonly note: string | null }
  /** The user has to be asked first. */
  | { readonly type: 'needs-approval'; readonly approval: PendingApproval }
  | { readonly type: 'ends' }
  | { readonly type: 'swap'; readonly swap: AgentSwap }
  | { readonly type: 'over' }

/** `ok` is `null` when only the content is on record. */
export interface CallResult {
  readonly ok: boolean | null
  readonly content: string
}

/** How a node's call is made. */
export interface CallWish {
  readonly call: NodeCall
  /** Known arguments; `null` lets a model fill them in where the tool takes any. */
  readonly argumentsText: string | null
  /** Said with the call; `''` says nothing. */
  readonly line: string
  /** False goes on while the tool runs. */
  readonly waits: boolean
  /** What the node did in turns before this one. */
  readonly before: readonly HistoryMessage[]
}

const OVER: CallEnd = { type: 'over' }
const ARGUMENTS_TASK =
  'Call the tool. Take its arguments from the conversation; leave out what nobody has said, unless it is required.'

/** Makes a node's call, or takes up one that an interrupted turn has made. */
export async function* runNodeCall(run: FlowRun, stand: Stand, wish: CallWish): AsyncGenerator<DialogueEvent, CallEnd> {
  const recorded = yield* takeUpRecorded(run, wish)
  if (recorded !== null) return recorded
  const { turn } = run
  let { line } = wish
  for (;;) {
    const argumentsText = wish.argumentsText ?? (yield* askArguments(run, stand, wish.call))
    if (turn.signal.aborted) return OVER
    if (argumentsText === null) {
      const note = `The tool ${wish.call.tool.name} was not called: no arguments were found.`
      return { type: 'done', result: { ok: false, content: note }, note }
    }
    const call: ToolCall = { id: turn.dependencies.makeId('tool_call'), name: wish.call.tool.name, argumentsText }
    if (!(yield* tellCall(run, call, line))) return OVER
    line = ''
    // Only what the user has agreed to counts: an older question may have been left without an answer.
    const approvals = wish.argumentsText === null ? [] : turn.approvals
    const plan = planToolCall(call, { ...planningFacts(run, wish.call), approvals })
    const end = yield* carryOut(run, wish, plan)
    if (plan.type !== 'answer' || !plan.invalid) return end
    turn.invalidSteps += 1
    if (wish.argumentsText !== null || turn.invalidSteps >= INVALID_STEP_LIMIT || turn.signal.aborted) return end
  }
}

function noCall(note: string): CallEnd {
  return { type: 'done', result: null, note }
}

function planningFacts({ turn }: FlowRun, { tool, mcps }: NodeCall) {
  const { channel, toolMocks: mocks = [] } = turn.conversation
  return { tools: [tool], mcps, channel, resumed: false, mocks, approvals: turn.approvals }
}

/** Puts the call on record, with the line that is said meanwhile. False: the turn was cancelled. */
async function* tellCall({ turn }: FlowRun, call: ToolCall, line: string): AsyncGenerator<DialogueEvent, boolean> {
  if (line !== '') {
    yield { type: 'text-delta', text: line }
    if (turn.signal.aborted) {
      yield { type: 'message-end', content: line, toolCalls: [], incomplete: true }
      return false
    }
    turn.spoken = true
  }
  turn.add({ role: 'assistant', content: line, toolCalls: [call] })
  yield { type: 'message-end', content: line, toolCalls: [call], incomplete: false }
  turn.toolSteps += 1
  return !turn.signal.aborted
}

async function* carryOut(run: FlowRun, wish: CallWish, plan: ToolCallPlan): AsyncGenerator<DialogueEvent, CallEnd> {
  const { turn, background } = run
  if (!wish.waits && plan.type !== 'answer' && plan.type !== 'agent_swap') {
    background.start(atServer(plan, wish.call))
    return noCall(`The tool ${plan.call.name} was started and still runs; nobody waits for its result.`)
  }
  let result: CallResult | null = null
  let swap: AgentSwap | null = null
  for await (const settled of runTools([atServer(plan, wish.call)], turn.toolEnvironment)) {
    // Questions to the user are kept under the name that the conversation knows.
    yield* settleCall(turn, { ...settled, plan })
    result = { ok: settled.result.ok, content: settled.result.content }
    swap = settled.swap
  }
  if (turn.signal.aborted || result === null) return OVER
  if (swap !== null) return { type: 'swap', swap }
  return readEnd(plan, result)
}

function readEnd(plan: ToolCallPlan, result: CallResult): CallEnd {
  if (plan.type === 'answer' && plan.ends === true) return { type: 'ends' }
  if (plan.type === 'answer' && plan.approval !== undefined) return { type: 'needs-approval', approval: plan.approval }
  return { type: 'done', result, note: null }
}

/** What became of the call that the node made before the turn was cut off; `null` when it has to be made (again). */
async function* takeUpRecorded(run: FlowRun, wish: CallWish): AsyncGenerator<DialogueEvent, CallEnd | null> {
  const step = lastRecordedStep(wish.before)
  const call = step?.calls.find(({ name }) => name === wish.call.tool.name)
  if (step === null || call === undefined) return null
  const plan = planToolCall(call, { ...planningFacts(run, wish.call), resumed: true })
  const result = resultOf(call, wish.before)
  if (result === null) {
    if (run.turn.resumed) return yield* carryOut(run, wish, plan)
    // The user has spoken meanwhile, so that a result would stand behind those words: the call is made anew or not at all.
    return plan.type === 'answer' && plan.content === OUTCOME_UNKNOWN ? noCall(OUTCOME_UNKNOWN) : null
  }
  const asAnswered = planToolCall(call, planningFacts(run, wish.call))
  if (asAnswered.type === 'answer' && asAnswered.invalid) return null
  // The hand-over is not on record, only that it was to be made.
  if (asAnswered.type === 'agent_swap') return await swapNow(run, asAnswered.tool, result)
  // The question to the user is kept with the end of a turn, which the one before did not reach.
  if (asAnswered.type === 'answer' && asAnswered.approval !== undefined) run.turn.noteApproval(asAnswered.approval)
  return readEnd(asAnswered, { ok: null, content: result })
}

async function swapNow(
  { turn }: FlowRun,
  tool: Extract<ToolCallPlan, { type: 'agent_swap' }>['tool'],
  content: string,
): Promise<CallEnd> {
  const swapped = await untilAborted(swapAgents(tool, turn.agents), turn.signal)
  if (turn.signal.aborted) return OVER
  if (swapped?.swap) return { type: 'swap', swap: swapped.swap }
  return { type: 'done', result: { ok: false, content }, note: null }
}

function resultOf({ id }: ToolCall, messages: readonly HistoryMessage[]): string | null {
  for (const message of messages) if (message.role === 'tool' && message.toolCallId === id) return message.content
  return null
}

/** What the call is made with; `null` when a model was asked and did not call the tool. */
async function* askArguments(run: FlowRun, stand: Stand, call: NodeCall): AsyncGenerator<DialogueEvent, string | null> {
  if (!call.takesArguments) return '{}'
  const { turn, engine } = run
  const { tool } = call
  // Lines to say meanwhile are the node's affair, not the tool's.
  const shown = { ...toModelTool(tool, turn.lookup), parameters: toolParameters(tool) }
  const prompt = questionPrompt(run, stand.node, { task: ARGUMENTS_TASK, tool: shown })
  const asked = yield* askForCall(turn, { prompt, model: modelOf(engine, stand.node) })
  return asked.call?.name === tool.name ? asked.call.argumentsText : null
}
