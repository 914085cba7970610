import type { DialogueEvent } from '../conversation.ts'
import { saysFailure } from '../tools/tool-result.ts'
import { renderTemplate } from '../variables/variables.ts'
import { askForAgreement } from './decide-agreement.ts'
import type { FlowRun, Stand } from './flow-run.ts'
import { ENDED, type NodeEnd, type NodeStart, OVER, skipped } from './flow-step.ts'
import { findNodeCall } from './node-call.ts'
import { instructionText } from './node-scene.ts'
import { type CallResult, runNodeCall } from './run-call.ts'
import { speak } from './speak.ts'

/** Runs the tool, the code or the MCP tool of a node. */
export async function* runToolNode(
  run: FlowRun,
  stand: Stand,
  { before, agreedArguments }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn } = run
  const found = await findNodeCall(run, stand)
  if (turn.signal.aborted) return OVER
  if (!found.ok) {
    yield skipped(stand, found.reason)
    return failedEnd(stand, `The step could not be done: ${found.reason}`)
  }
  const line = yield* lineOf(run, stand, before)
  if (line === null) return OVER
  const waits = stand.node.wait_for_result !== false
  const end = yield* runNodeCall(run, stand, { call: found.call, argumentsText: agreedArguments, line, waits, before })
  switch (end.type) {
    case 'over':
      return OVER
    case 'swap':
      return { type: 'engine-end', end: { type: 'handed-over', swap: end.swap } }
    case 'ends':
      return ENDED
    case 'needs-approval':
      return { type: 'speaks', note: askForAgreement(found.call.tool.name) }
    case 'done':
      return hasFailed(end.result) ? failedEnd(stand, end.note) : { type: 'worked', note: end.note }
  }
}

/** Leads to the edge for failures; without one the other edges decide. */
function failedEnd({ node }: Stand, note: string | null): NodeEnd {
  return { type: 'led', edge: node.failed_edge, why: 'The tool failed.', note }
}

function hasFailed(result: CallResult | null): boolean {
  return result !== null && (result.ok === null ? saysFailure(result.content) : !result.ok)
}

/** What the node says while it works: a fixed text goes with the call, words of a model come before it. `null`: over. */
export async function* lineOf(
  run: FlowRun,
  stand: Stand,
  before: NodeStart['before'],
): AsyncGenerator<DialogueEvent, string | null> {
  const { node } = stand
  const text = instructionText(node)
  const wasSaid = before.some(({ role, content }) => role === 'assistant' && content !== '')
  if (node.speak_during_execution !== true || text.trim() === '' || wasSaid) return ''
  if (node.instruction?.type === 'static_text') return renderTemplate(text, run.turn.lookup)
  const end = yield* speak(run, stand, { instruction: text, withTools: false })
  return end.type === 'answered' ? '' : null
}
