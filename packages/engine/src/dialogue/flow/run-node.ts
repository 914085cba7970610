import { COMPONENT_DEPTH_LIMIT } from '@parley/contract/flow-problems/dialog-graph'
import { NOT_PERFORMED, refusalOf } from '../channel.ts'
import type { DialogueEvent } from '../conversation.ts'
import { swapAgents } from '../tools/swap-agents.ts'
import { componentOf } from './flow-graph.ts'
import type { FlowRun, Stand } from './flow-run.ts'
import { type NodeEnd, type NodeStart, OVER, skipped } from './flow-step.ts'
import { runExtractionNode } from './run-extraction-node.ts'
import { runSmsNode } from './run-sms-node.ts'
import { runConversationNode, runEndNode } from './run-speaking-node.ts'
import { lineOf, runToolNode } from './run-tool-node.ts'
import { say } from './speak.ts'
import { untilAborted } from './until-aborted.ts'

/** Does at a node what it is there for. */
export async function* runNode(run: FlowRun, stand: Stand, start: NodeStart): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { node } = stand
  switch (node.type) {
    case 'conversation':
    case 'subagent':
      return yield* runConversationNode(run, stand, start)
    case 'end':
      return yield* runEndNode(run, stand, start)
    case 'function':
    case 'code':
    case 'mcp':
      return yield* runToolNode(run, stand, start)
    case 'sms':
      return yield* runSmsNode(run, stand, start)
    case 'extract_dynamic_variables':
      return yield* runExtractionNode(run, stand)
    case 'agent_swap':
      return yield* runAgentSwapNode(run, stand, start)
    case 'component':
      return yield* enterComponent(run, stand)
    case 'branch':
      return { type: 'worked', note: null }
    // Nodes that need a capability do their work here, once a driver can perform it.
    case 'transfer_call': {
      const note = yield* refuse(run, stand)
      return { type: 'led', edge: node.edge, why: 'The transfer failed.', note }
    }
    case 'press_digit':
    case 'bridge_transfer':
    case 'cancel_transfer':
      return { type: 'worked', note: yield* refuse(run, stand) }
  }
}

/** Reports that the channel cannot do what a node is there for, and why. */
async function* refuse({ turn }: FlowRun, stand: Stand): AsyncGenerator<DialogueEvent, string> {
  const reason = refusalOf(turn.conversation.channel, stand.node.type) ?? NOT_PERFORMED
  yield skipped(stand, reason)
  return reason
}

async function* enterComponent({ engine }: FlowRun, stand: Stand): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { node, position } = stand
  const graph = componentOf(engine, node)
  const isTooDeep = position.path.length >= COMPONENT_DEPTH_LIMIT
  if (graph !== null && !isTooDeep) {
    return { type: 'inside', place: { nodeId: graph.startNodeId, path: [...position.path, node.id] } }
  }
  const reason = isTooDeep ? 'components are nested too deep.' : `there is no component "${node.component_id ?? ''}".`
  yield skipped(stand, reason)
  return { type: 'led', edge: node.else_edge, why: 'The component is missing.', note: null }
}

/** Hands the conversation over; nothing is said before it is known that this works. */
async function* runAgentSwapNode(
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
