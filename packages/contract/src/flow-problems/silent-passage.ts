import { type AnyFlowNode, edgesOf, type FlowNode } from '../flow-node.ts'
import { type LocalFlowComponent, localComponentId, localComponentStart } from '../local-component.ts'
import { type ComponentOutlines, localComponentIds, referencedComponent } from './dialog-graph.ts'

/** Where a conversation can go without waiting for the user. */

const SPEAKING_TYPES: ReadonlySet<string> = new Set(['conversation', 'subagent', 'end'])

/** Nodes that speak with the user; all others work in silence and go on. */
export function isSpeakingNode({ type }: Pick<AnyFlowNode, 'type'>): boolean {
  return SPEAKING_TYPES.has(type)
}

/** Tells whether the component that a node runs can be passed without waiting for the user. */
export type CanPassNode = (node: FlowNode) => boolean

/** Edges that can be taken without waiting for the user; `null` leaves the component. */
export function silentDestinations(node: FlowNode, canPassNode: CanPassNode): (string | null)[] {
  if (node.type === 'end' || (node.type === 'component' && !canPassNode(node))) return []
  const { skip_response_edge: skip } = node as AnyFlowNode
  const edges = edgesOf(node).filter(({ path, edge }) => {
    if (!isSpeakingNode(node)) return true
    // A node that speaks goes on at once only when it has an edge for that; its equations count then as well.
    if (skip === undefined || path === 'always_edge' || path === 'else_edge') return false
    return path === 'skip_response_edge' || edge.transition_condition?.type === 'equation'
  })
  return [...new Set(edges.map(({ edge }) => edge.destination_node_id ?? null))]
}

/** Whether a conversation can go through a component without waiting for the user. */
export function canPassSilently(
  { nodes, start_node_id }: { readonly nodes: readonly FlowNode[]; readonly start_node_id: string },
  canPassNode: CanPassNode,
): boolean {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const reached = new Set([start_node_id])
  // What is added while a set is gone through is visited too.
  for (const id of reached) {
    const node = byId.get(id)
    for (const destination of node === undefined ? [] : silentDestinations(node, canPassNode)) {
      if (destination === null) return true
      reached.add(destination)
    }
  }
  return false
}

/** How the nodes of a flow, or of a shared component, pass components. One that nobody knows is taken to ask the user. */
export function createPassCheck(
  shared: ComponentOutlines | null,
  components: readonly LocalFlowComponent[] = [],
): CanPassNode {
  const localIds = localComponentIds(components)
  const byId = new Map(components.map((component) => [localComponentId(component), component]))
  const known = new Map<string, boolean>()
  const canPassNode: CanPassNode = (node) => {
    const named = referencedComponent(node, localIds)
    if (named === null) return true
    if (named.type === 'shared') return shared?.get(named.id)?.canPassSilently === true
    const component = byId.get(named.id)
    if (component === undefined) return true
    const found = known.get(named.id)
    if (found !== undefined) return found
    // A component that runs itself is refused elsewhere.
    known.set(named.id, false)
    const graph = { nodes: component.nodes, start_node_id: localComponentStart(component) }
    known.set(named.id, canPassSilently(graph, canPassNode))
    return known.get(named.id) === true
  }
  return canPassNode
}
