import type { DialogueEvent } from '../conversation.ts'
import { swapAgents } from '../tools/swap-agents.ts'
import type { FlowRun, Stand } from './flow-run.ts'
import { type NodeEnd, type NodeStart, OVER, skipped } from './node-end.ts'
import { lineOf } from './run-tool-node.ts'
import { say } from './speak.ts'
import { untilAborted } from './until-aborted.ts'

/** Hands the conversation over; nothing is said before it is known that this works. */
export async function* runAgentSwapNode(
  run: FlowRun,
  stand: Stand,
  { before }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn } = run
  const { edge, agent_id, ...settings } = stand.node
  if (agent_id === undefined) {
    yield skipped(stand, 'the node names no agent.')
    return { type: 'led', edge, why: 'The hand-over failed.', note: 'The hand-over failed: no agent is named.' }
  }
  const swapped = await untilAborted(swapAgents({ ...settings, agent_id }, turn.agents), turn.signal)
  if (turn.signal.aborted) return OVER
  if (swapped?.swap) {
    const line = yield* lineOf(run, stand, before)
    if (line === null || (line !== '' && !(yield* say(turn, line)))) return OVER
    return { type: 'engine-end', end: { type: 'handed-over', swap: swapped.swap } }
  }
  const fromEngine = turn.engine.kind
  yield { type: 'explanation', explanation: { type: 'agent-swap', fromEngine, toAgentId: agent_id, ok: false } }
  const note = swapped?.result.content ?? 'The conversation could not be handed over.'
  return { type: 'led', edge, why: 'The hand-over failed.', note }
}
