import { CreateConversationFlowBody } from '../conversation-flow.ts'
import { FlowNode } from '../flow-node.ts'
import type { DialogGraph } from './dialog-graph.ts'

/** An edge in a request. */
export const to = (destination: string | undefined, prompt = 'Go on'): object => ({
  transition_condition: { type: 'prompt', prompt },
  ...(destination !== undefined && { destination_node_id: destination }),
})

/** A node that speaks, with edges to other nodes. */
export const says = (id: string, ...destinations: readonly string[]): object => ({
  id,
  type: 'conversation',
  instruction: { type: 'prompt', text: `Be ${id}.` },
  edges: destinations.map((destination) => to(destination)),
})

/** A node that runs a component. */
export const runs = (id: string, component_id: string, fields: object = {}): object => {
  return { id, type: 'component', component_id, ...fields }
}

/** A branch with an `else_edge`. */
export const branch = (id: string, otherwise: string, ...destinations: readonly string[]): object => ({
  id,
  type: 'branch',
  edges: destinations.map((destination) => to(destination)),
  else_edge: { destination_node_id: otherwise },
})

/** A parsed graph that starts at "a". */
export function graph(nodes: readonly object[], fields: Partial<DialogGraph> = {}): DialogGraph {
  return { start_node_id: 'a', nodes: nodes.map((node) => FlowNode.parse(node)), tools: [], mcps: [], ...fields }
}

/** A parsed flow. */
export function flow(nodes: readonly object[], fields: object = {}) {
  const body = CreateConversationFlowBody.parse({ nodes: [says('unused')], ...fields })
  const { nodes: read } = graph(nodes)
  return { ...body, nodes: read, start_node_id: body.start_node_id ?? 'a' }
}
