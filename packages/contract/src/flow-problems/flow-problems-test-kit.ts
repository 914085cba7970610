import { CreateConversationFlowBody } from '../conversation-flow.ts'
import { FlowNode } from '../flow-node.ts'
import type { DialogGraph } from './dialog-graph.ts'

/** Builds an edge as in a request. */
export const edgeTo = (destination: string | undefined, prompt = 'Go on'): object => ({
  transition_condition: { type: 'prompt', prompt },
  ...(destination !== undefined && { destination_node_id: destination }),
})

/** Builds a node that speaks, with edges to other nodes. */
export const speakingNode = (id: string, ...destinations: readonly string[]): object => ({
  id,
  type: 'conversation',
  instruction: { type: 'prompt', text: `Be ${id}.` },
  edges: destinations.map((destination) => edgeTo(destination)),
})

/** Builds a node that runs a component. */
export const componentNode = (id: string, component_id: string, fields: object = {}): object => {
  return { id, type: 'component', component_id, ...fields }
}

/** Builds a branch node with an `else_edge`. */
export const branchNode = (id: string, otherwise: string, ...destinations: readonly string[]): object => ({
  id,
  type: 'branch',
  edges: destinations.map((destination) => edgeTo(destination)),
  else_edge: { destination_node_id: otherwise },
})

/** Parses a graph that starts at "a". */
export function parseGraph(nodes: readonly object[], fields: Partial<DialogGraph> = {}): DialogGraph {
  return { start_node_id: 'a', nodes: nodes.map((node) => FlowNode.parse(node)), tools: [], mcps: [], ...fields }
}

/** Parses a flow. */
export function parseFlow(nodes: readonly object[], fields: object = {}) {
  const body = CreateConversationFlowBody.parse({ nodes: [speakingNode('unused')], ...fields })
  const { nodes: read } = parseGraph(nodes)
  return { ...body, nodes: read, start_node_id: body.start_node_id ?? 'a' }
}
