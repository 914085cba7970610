import { type AnyFlowNode, edgesOf, type FlowNode } from '../flow-node.ts'
import { type LocalFlowComponent, localComponentId, localComponentStart } from '../local-component.ts'
import { type ComponentOutlines, localComponentIds, referencedComponent } from './dialog-graph.ts'

/** Paths of a conversation that do not wait for the user. */

const SPEAKING_TYPES: ReadonlySet<string> = new Set(['conversation', 'subagent', 'end'])

/** Whether a node speaks with the user. All other nodes run silently. */
export function isSpeakingNode({ type }: Pick<AnyFlowNode, 'type'>): boolean {
  return SPEAKING_TYPES.has(type)
}

/** Whether a conversation can pass through the component of a node without waiting for the user. */
export type CanPassNode = (node: FlowNode) => boolean

/** Destinations that can be reached without waiting for the user; `null` leaves the component. */
export function silentDestinations(node: FlowNode, canPassNode: CanPassNode): (string | null)[] {
  if (node.type === 'end' || (node.type === 'component' && !canPassNode(node))) return []
  const { skip_response_edge: skip } = node as AnyFlowNode
  const edges = edgesOf(node).filter(({ path, edge }) => {
    if (!isSpeakingNode(node)) return true
    // A node that speaks continues without the user only with a `skip_response_edge`; then its equations apply too.
    if (skip === undefined || path === 'always_edge' || path === 'else_edge') return false
    return path === 'skip_response_edge' || edge.transition_condition?.type === 'equation'
  })
  return [...new Set(edges.map(({ edge }) => edge.destination_node_id ?? null))]
}

/** Whether a conversation can pass through a component without waiting for the user. */
export function canPassSilently(
  { nodes, start_node_id }: { readonly nodes: readonly FlowNode[]; readonly start_node_id: string },
  canPassNode: CanPassNode,
): boolean {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const reached = new Set([start_node_id])
  // The loop also visits elements that it adds to the set.
  for (const id of reached) {
    const node = byId.get(id)
    for (const destination of node === undefined ? [] : silentDestinations(node, canPassNode)) {
      if (destination === null) return true
      reached.add(destination)
    }
  }
  return false
}

/** Checks whether nodes pass through their components silently. Unknown components count as waiting. */
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
    // Components that run themselves are refused elsewhere.
    known.set(named.id, false)
    const graph = { nodes: component.nodes, start_node_id: localComponentStart(component) }
    known.set(named.id, canPassSilently(graph, canPassNode))
    return known.get(named.id) === true
  }
  return canPassNode
}
