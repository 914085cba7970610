import { type AnyFlowNode, type FlowNode, listEdges } from '../flow-node.ts'
import { getLocalComponentId, getLocalComponentStart, type LocalFlowComponent } from '../local-component.ts'
import { type ComponentOutlines, findReferencedComponent, listLocalComponentIds } from './dialog-graph.ts'

/** Paths through a graph that do not wait for the user. */

const SPEAKING_TYPES: ReadonlySet<string> = new Set(['conversation', 'subagent', 'end'])

/** Whether a node speaks with the user. */
export function isSpeakingNode({ type }: Pick<AnyFlowNode, 'type'>): boolean {
  return SPEAKING_TYPES.has(type)
}

/** Whether a conversation can pass through a node's component without waiting for the user. */
export type CanPassNode = (node: FlowNode) => boolean

/** Returns the destinations that are reachable without waiting for the user; `null` means that the flow leaves the component. */
export function findSilentDestinations(node: FlowNode, canPassNode: CanPassNode): (string | null)[] {
  if (node.type === 'end' || (node.type === 'component' && !canPassNode(node))) return []
  const { skip_response_edge: skipEdge } = node as AnyFlowNode
  const edges = listEdges(node).filter(({ path, edge }) => {
    if (!isSpeakingNode(node)) return true
    // A speaking node continues without the user only if it has a `skip_response_edge`. In that case, its equations also apply.
    if (skipEdge === undefined || path === 'always_edge' || path === 'else_edge') return false
    return path === 'skip_response_edge' || edge.transition_condition?.type === 'equation'
  })
  return [...new Set(edges.map(({ edge }) => edge.destination_node_id ?? null))]
}

/** Whether a conversation can pass through a component without waiting for the user. */
export function canPassSilently(
  { nodes, start_node_id }: { readonly nodes: readonly FlowNode[]; readonly start_node_id: string },
  canPassNode: CanPassNode,
): boolean {
  const nodesById = new Map(nodes.map((node) => [node.id, node]))
  const reachableIds = new Set([start_node_id])
  // The loop also visits elements that it adds to the set.
  for (const id of reachableIds) {
    const node = nodesById.get(id)
    for (const destination of node === undefined ? [] : findSilentDestinations(node, canPassNode)) {
      if (destination === null) return true
      reachableIds.add(destination)
    }
  }
  return false
}

/** Creates a function that checks whether a node's component can be passed silently. Unknown components count as waiting. */
export function createPassCheck(
  shared: ComponentOutlines | null,
  components: readonly LocalFlowComponent[] = [],
): CanPassNode {
  const localIds = listLocalComponentIds(components)
  const componentsById = new Map(components.map((component) => [getLocalComponentId(component), component]))
  const results = new Map<string, boolean>()
  const canPassNode: CanPassNode = (node) => {
    const reference = findReferencedComponent(node, localIds)
    if (reference === null) return true
    if (reference.type === 'shared') return shared?.get(reference.id)?.canPassSilently === true
    const component = componentsById.get(reference.id)
    if (component === undefined) return true
    const cachedResult = results.get(reference.id)
    if (cachedResult !== undefined) return cachedResult
    // Other checks reject components that run themselves.
    results.set(reference.id, false)
    const graph = { nodes: component.nodes, start_node_id: getLocalComponentStart(component) }
    results.set(reference.id, canPassSilently(graph, canPassNode))
    return results.get(reference.id) === true
  }
  return canPassNode
}
