import type { ErrorDetail } from '../errors.ts'
import { type FlowNode, listEdges } from '../flow-node.ts'
import { getLocalComponentId, type LocalFlowComponent } from '../local-component.ts'
import {
  COMPONENT_DEPTH_LIMIT,
  type ComponentOutlines,
  type DialogGraph,
  findReachableNodes,
  findReferencedComponent,
  listLocalComponentIds,
} from './dialog-graph.ts'

/** Warnings about components that have no exit or are nested too deeply. */

/** Node types that end the conversation or hand it off. */
const ENDING_TYPES: ReadonlySet<string> = new Set(['end', 'agent_swap', 'transfer_call', 'bridge_transfer'])

/** Warns if a conversation can neither leave a component nor end inside it. The path is relative to the component. */
export function findExitWarnings(graph: Pick<DialogGraph, 'nodes' | 'start_node_id'>): ErrorDetail[] {
  const reached = findReachableNodes(graph)
  const hasExit = graph.nodes.some((node) => {
    if (!reached.has(node.id)) return false
    return ENDING_TYPES.has(node.type) || listEdges(node).some(({ edge }) => edge.destination_node_id === undefined)
  })
  if (hasExit) return []
  const message =
    'The component has no exit: no edge without a destination can be reached, so the conversation cannot leave.'
  return [{ path: 'nodes', message }]
}

/** Returns warnings for nodes whose components exceed the maximum depth. `depth` is the number of enclosing components. */
export function findDepthWarnings(
  {
    nodes,
    components = [],
  }: { readonly nodes: readonly FlowNode[]; readonly components?: readonly LocalFlowComponent[] },
  { shared, depth }: { readonly shared: ComponentOutlines | null; readonly depth: number },
): ErrorDetail[] {
  const getDepth = createDepthLookup(components, shared)
  return nodes.flatMap((node, index) => {
    const total = depth + getDepth(node)
    if (total <= COMPONENT_DEPTH_LIMIT) return []
    const message =
      `Node "${node.id}" runs components that are nested ${total} levels deep. Levels beyond ` +
      `${COMPONENT_DEPTH_LIMIT} are skipped.`
    return [{ path: `nodes[${index}].component_id`, message }]
  })
}

/** Returns the nesting depth below each node, including the component that the node runs. */
function createDepthLookup(
  components: readonly LocalFlowComponent[],
  shared: ComponentOutlines | null,
): (node: FlowNode) => number {
  const localIds = listLocalComponentIds(components)
  const byId = new Map(components.map((component) => [getLocalComponentId(component), component]))
  const hopCounts = new Map<string, number>()
  const measureDepth = (key: string, children: () => readonly number[]): number => {
    const knownDepth = hopCounts.get(key)
    if (knownDepth !== undefined) return knownDepth
    // Other checks reject components that run themselves.
    hopCounts.set(key, 0)
    const depth = 1 + Math.max(0, ...children())
    hopCounts.set(key, depth)
    return depth
  }
  const measureSharedComponent = (id: string): number => {
    const outline = shared?.get(id)
    return outline === undefined
      ? 0
      : measureDepth(`shared ${id}`, () => outline.componentIds.map(measureSharedComponent))
  }
  const measureNode = (node: FlowNode): number => {
    const named = findReferencedComponent(node, localIds)
    if (named === null) return 0
    if (named.type === 'shared') return measureSharedComponent(named.id)
    const component = byId.get(named.id)
    return component === undefined ? 0 : measureDepth(`local ${named.id}`, () => component.nodes.map(measureNode))
  }
  return measureNode
}
