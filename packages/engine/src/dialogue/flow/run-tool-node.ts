import type { DialogueEvent } from '../conversation.ts'
import { isFailureContent } from '../tools/tool-result.ts'
import { renderTemplate } from '../variables/variables.ts'
import { approvalPrompt } from './decide-approval.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import { ENDED, type NodeEnd, type NodeStart, STOPPED, skippedExplanation } from './flow-step.ts'
import { resolveNodeCall } from './node-call.ts'
import { instructionText } from './node-scene.ts'
import { type CallResult, runNodeCall } from './run-call.ts'
import { speak } from './speak.ts'

/** Runs a `function`, `code` or `mcp` node. */
export async function* runToolNode(
  run: FlowRun,
  context: NodeContext,
  { before, approvedArguments }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn } = run
  const found = await resolveNodeCall(run, context)
  if (turn.signal.aborted) return STOPPED
  if (!found.ok) {
    yield skippedExplanation(context, found.reason)
    return failedResult(context, `The step could not be done: ${found.reason}`)
  }
  const message = yield* executionMessage(run, context, before)
  if (message === null) return STOPPED
  const waits = context.node.wait_for_result !== false
  const end = yield* runNodeCall(run, context, {
    call: found.call,
    argumentsText: approvedArguments,
    message,
    waits,
    before,
  })
  switch (end.type) {
    case 'stopped':
      return STOPPED
    case 'swap':
      return { type: 'engine-end', end: { type: 'handed-over', swap: end.swap } }
    case 'ended':
      return ENDED
    case 'needs-approval':
      return { type: 'speak', note: approvalPrompt(found.call.tool.name) }
    case 'done':
      return hasFailed(end.result) ? failedResult(context, end.note) : { type: 'worked', note: end.note }
  }
}

/** Takes the failure edge; without one the other edges decide. */
function failedResult({ node }: NodeContext, note: string | null): NodeEnd {
  return { type: 'take-edge', edge: node.failed_edge, reason: 'The tool failed.', note }
}

function hasFailed(result: CallResult | null): boolean {
  return result !== null && (result.ok === null ? isFailureContent(result.content) : !result.ok)
}

/** The node's static execution message, to be said with the call. A model says its own at once. `null`: the turn stopped. */
export async function* executionMessage(
  run: FlowRun,
  context: NodeContext,
  before: NodeStart['before'],
): AsyncGenerator<DialogueEvent, string | null> {
  const { node } = context
  const text = instructionText(node)
  const wasSpoken = before.some(({ role, content }) => role === 'assistant' && content !== '')
  if (node.speak_during_execution !== true || text.trim() === '' || wasSpoken) return ''
  if (node.instruction?.type === 'static_text') return renderTemplate(text, run.turn.lookup)
  const end = yield* speak(run, context, { instruction: text, withTools: false })
  return end.type === 'answered' ? '' : null
}
