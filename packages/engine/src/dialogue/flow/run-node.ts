import { COMPONENT_DEPTH_LIMIT } from '@parley/contract/flow-problems/dialog-graph'
import { getChannelRefusal, NOT_IMPLEMENTED } from '../channel.ts'
import type { DialogueEvent } from '../conversation.ts'
import { explain } from '../explanation.ts'
import { say } from '../llm/converse.ts'
import { swapAgents } from '../tools/swap-agents.ts'
import { findComponent } from './flow-graph.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import { explainSkippedNode, type NodeEnd, type NodeStart, STOPPED } from './flow-step.ts'
import { runExtractionNode } from './run-extraction-node.ts'
import { runSmsNode } from './run-sms-node.ts'
import { runConversationNode, runEndNode } from './run-speaking-node.ts'
import { prepareExecutionMessage, runToolNode } from './run-tool-node.ts'
import { waitUntilAborted } from './until-aborted.ts'

/** Runs a node and returns how it ended. */
export async function* runNode(
  run: FlowRun,
  context: NodeContext,
  start: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { node } = context
  switch (node.type) {
    case 'conversation':
    case 'subagent':
      return yield* runConversationNode(run, context, start)
    case 'end':
      return yield* runEndNode(run, context, start)
    case 'function':
    case 'code':
    case 'mcp':
      return yield* runToolNode(run, context, start)
    case 'sms':
      return yield* runSmsNode(run, context, start)
    case 'extract_dynamic_variables':
      return yield* runExtractionNode(run, context)
    case 'agent_swap':
      return yield* runAgentSwapNode(run, context, start)
    case 'component':
      return yield* enterComponent(run, context)
    case 'branch':
      return { type: 'worked', note: null }
    // Nodes that need a capability will run here once a driver supports that capability.
    case 'transfer_call': {
      const note = yield* reportRefusal(run, context)
      return { type: 'take-edge', edge: node.edge, reason: 'The transfer failed.', note }
    }
    case 'press_digit':
    case 'bridge_transfer':
    case 'cancel_transfer':
      return { type: 'worked', note: yield* reportRefusal(run, context) }
  }
}

/** Reports that the channel cannot run a node. */
async function* reportRefusal({ turn }: FlowRun, context: NodeContext): AsyncGenerator<DialogueEvent, string> {
  const reason = getChannelRefusal(turn.conversation.channel, context.node.type) ?? NOT_IMPLEMENTED
  yield explainSkippedNode(context, reason)
  return reason
}

async function* enterComponent({ engine }: FlowRun, context: NodeContext): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { node, position } = context
  const graph = findComponent(engine, node)
  const isTooDeep = position.path.length >= COMPONENT_DEPTH_LIMIT
  if (graph !== null && !isTooDeep) {
    return { type: 'component', place: { nodeId: graph.startNodeId, path: [...position.path, node.id] } }
  }
  const reason = isTooDeep ? 'components are nested too deep.' : `there is no component "${node.component_id ?? ''}".`
  yield explainSkippedNode(context, reason)
  return { type: 'take-edge', edge: node.else_edge, reason: 'The component is missing.', note: null }
}

/** Hands the conversation over to another agent. The node speaks only if the handover succeeds. */
async function* runAgentSwapNode(
  run: FlowRun,
  context: NodeContext,
  { priorMessages }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn } = run
  const { edge, agent_id, ...settings } = context.node
  if (agent_id === undefined) {
    yield explainSkippedNode(context, 'the node does not specify an agent.')
    return {
      type: 'take-edge',
      edge,
      reason: 'The handover failed.',
      note: 'The handover failed: the node does not specify an agent.',
    }
  }
  const swapResult = await waitUntilAborted(swapAgents({ ...settings, agent_id }, turn.agents), turn.signal)
  if (turn.signal.aborted) return STOPPED
  if (swapResult?.swap) {
    const message = yield* prepareExecutionMessage(run, context, priorMessages)
    if (message === null || (message !== '' && !(yield* say(turn, message)))) return STOPPED
    return { type: 'engine-end', end: { type: 'handed-over', swap: swapResult.swap } }
  }
  const fromEngine = turn.engine.kind
  yield explain({ type: 'agent-swap', fromEngine, toAgentId: agent_id, ok: false })
  const note = swapResult?.result.content ?? 'The conversation could not be handed over.'
  return { type: 'take-edge', edge, reason: 'The handover failed.', note }
}
