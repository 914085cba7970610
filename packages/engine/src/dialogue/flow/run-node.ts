import { COMPONENT_DEPTH_LIMIT } from '@parley/contract/flow-problems/dialog-graph'
import type { DialogueEvent } from '../conversation.ts'
import { componentOf } from './flow-graph.ts'
import type { FlowRun, Stand } from './flow-run.ts'
import { type NodeEnd, type NodeStart, skipped } from './node-end.ts'
import { runAgentSwapNode } from './run-agent-swap-node.ts'
import { runExtractionNode } from './run-extraction-node.ts'
import { runSmsNode } from './run-sms-node.ts'
import { runConversationNode, runEndNode } from './run-speaking-node.ts'
import { runToolNode } from './run-tool-node.ts'

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
    case 'transfer_call': {
      const note = yield* skipInChat(stand, 'Calls cannot be transferred')
      return { type: 'led', edge: node.edge, why: 'The transfer failed.', note }
    }
    case 'press_digit':
      return { type: 'worked', note: yield* skipInChat(stand, 'Keys cannot be pressed') }
    case 'bridge_transfer':
    case 'cancel_transfer':
      return { type: 'worked', note: yield* skipInChat(stand, 'There is no transfer') }
  }
}

/** Tells that a node needs a phone call, which a chat is not. */
async function* skipInChat(stand: Stand, what: string): AsyncGenerator<DialogueEvent, string> {
  const reason = `${what}: this is a written chat, not a phone call.`
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
