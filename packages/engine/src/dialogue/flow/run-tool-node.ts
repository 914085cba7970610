import type { DialogueEvent } from '../conversation.ts'
import { isFailureContent } from '../tools/tool-result.ts'
import { renderTemplate } from '../variables/variables.ts'
import { buildApprovalPrompt } from './decide-approval.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import { ENDED, explainSkippedNode, type NodeEnd, type NodeStart, STOPPED } from './flow-step.ts'
import { resolveNodeCall } from './node-call.ts'
import { getInstructionText } from './node-scene.ts'
import { type CallResult, runNodeCall } from './run-call.ts'
import { speak } from './speak.ts'

/** Runs a `function`, `code` or `mcp` node. */
export async function* runToolNode(
  run: FlowRun,
  context: NodeContext,
  { priorMessages, approvedArguments }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn } = run
  const resolved = await resolveNodeCall(run, context)
  if (turn.signal.aborted) return STOPPED
  if (!resolved.ok) {
    yield explainSkippedNode(context, resolved.reason)
    return takeFailureEdge(context, `The step could not be done: ${resolved.reason}`)
  }
  const message = yield* prepareExecutionMessage(run, context, priorMessages)
  if (message === null) return STOPPED
  const shouldWait = context.node.wait_for_result !== false
  const outcome = yield* runNodeCall(run, context, {
    call: resolved.call,
    argumentsText: approvedArguments,
    message,
    shouldWait,
    priorMessages,
  })
  switch (outcome.type) {
    case 'stopped':
      return STOPPED
    case 'swap':
      return { type: 'engine-end', end: { type: 'handed-over', swap: outcome.swap } }
    case 'ended':
      return ENDED
    case 'needs-approval':
      return { type: 'speak', note: buildApprovalPrompt(resolved.call.tool.name) }
    case 'done':
      return hasFailed(outcome.result) ? takeFailureEdge(context, outcome.note) : { type: 'worked', note: outcome.note }
  }
}

/** Takes the failure edge. If there is none, the other edges decide. */
function takeFailureEdge({ node }: NodeContext, note: string | null): NodeEnd {
  return { type: 'take-edge', edge: node.failed_edge, reason: 'The tool failed.', note }
}

function hasFailed(result: CallResult | null): boolean {
  return result !== null && (result.ok === null ? isFailureContent(result.content) : !result.ok)
}

/**
 * Returns the node's static execution message to say with the call. If a model writes the message, says it immediately. Returns
 * `null` if the turn stopped.
 */
export async function* prepareExecutionMessage(
  run: FlowRun,
  context: NodeContext,
  priorMessages: NodeStart['priorMessages'],
): AsyncGenerator<DialogueEvent, string | null> {
  const { node } = context
  const text = getInstructionText(node)
  const wasSpoken = priorMessages.some(({ role, content }) => role === 'assistant' && content !== '')
  if (node.speak_during_execution !== true || text.trim() === '' || wasSpoken) return ''
  if (node.instruction?.type === 'static_text') return renderTemplate(text, run.turn.lookup)
  const end = yield* speak(run, context, { instruction: text, withTools: false })
  return end.type === 'answered' ? '' : null
}
