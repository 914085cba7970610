import type { DialogueEvent } from '../conversation.ts'
import { CLOSING_LINE } from '../llm/converse.ts'
import { renderTemplate } from '../variables/variables.ts'
import { askForAgreement } from './decide-agreement.ts'
import type { FlowRun, Stand } from './flow-run.ts'
import { findNodeCall } from './node-call.ts'
import { ENDED, type NodeEnd, type NodeStart, OVER, skipped } from './node-end.ts'
import { instructionText } from './node-scene.ts'
import { runNodeCall } from './run-call.ts'
import { say, speak } from './speak.ts'

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
    return { type: 'worked', note: `The step could not be done: ${found.reason}` }
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
      return turn.spoken || (yield* say(turn, CLOSING_LINE)) ? ENDED : OVER
    case 'needs-approval':
      return { type: 'speaks', note: askForAgreement(found.call.tool.name) }
    case 'done':
      return { type: 'worked', note: end.note }
  }
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
