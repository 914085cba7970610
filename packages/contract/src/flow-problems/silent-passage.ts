import { type AnyFlowNode, type FlowNode, listEdges } from '../flow-node.ts'
import { getLocalComponentId, getLocalComponentStart, type LocalFlowComponent } from '../local-component.ts'
import { type ComponentOutlines, findReferencedComponent, listLocalComponentIds } from './dialog-graph.ts'

/** Paths through a graph that do not wait for the user. */

const SPEAKING_TYPES: ReadonlySet<string> = new Set(['conversation', 'subagent', 'end'])

/** Whether a node speaks with the user. All other nodes run silently. */
export function isSpeakingNode({ type }: Pick<AnyFlowNode, 'type'>): boolean {
  return SPEAKING_TYPES.has(type)
}

/** Whether a conversation can pass through a node's component without waiting for the user. */
export type CanPassNode = (node: FlowNode) => boolean

/** Returns the destinations that are reachable without waiting for the user; `null` means that the flow leaves the component. */
export function findSilentDestinations(node: FlowNode, canPassNode: CanPassNode): (string | null)[] {
  if (node.type === 'end' || (node.type === 'component' && !canPassNode(node))) return []
  const { skip_response_edge: skip } = node as AnyFlowNode
  const edges = listEdges(node).filter(({ path, edge }) => {
    if (!isSpeakingNode(node)) return true
    // A speaking node continues without the user only if it has a `skip_response_edge`. In that case, its equations also apply.
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
    for (const destination of node === undefined ? [] : findSilentDestinations(node, canPassNode)) {
      if (destination === null) return true
      reached.add(destination)
    }
  }
  return false
}

/** Creates a function that checks whether nodes pass through their components silently. Unknown components count as waiting. */
export function createPassCheck(
  shared: ComponentOutlines | null,
  components: readonly LocalFlowComponent[] = [],
): CanPassNode {
  const localIds = listLocalComponentIds(components)
  const byId = new Map(components.map((component) => [getLocalComponentId(component), component]))
  const known = new Map<string, boolean>()
  const canPassNode: CanPassNode = (node) => {
    const named = findReferencedComponent(node, localIds)
    if (named === null) return true
    if (named.type === 'shared') return shared?.get(named.id)?.canPassSilently === true
    const component = byId.get(named.id)
    if (component === undefined) return true
    const knownResult = known.get(named.id)
    if (knownResult !== undefined) return knownResult
    // Other checks reject components that run themselves.
    known.set(named.id, false)
    const graph = { nodes: component.nodes, start_node_id: getLocalComponentStart(component) }
    known.set(named.id, canPassSilently(graph, canPassNode))
    return known.get(named.id) === true
  }
  return canPassNode
}
