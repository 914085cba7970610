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
  const reachableIds = findReachableNodes(graph)
  const hasExit = graph.nodes.some((node) => {
    if (!reachableIds.has(node.id)) return false
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
    const totalDepth = depth + getDepth(node)
    if (totalDepth <= COMPONENT_DEPTH_LIMIT) return []
    const message =
      `Node "${node.id}" runs components that are nested ${totalDepth} levels deep. Levels beyond ` +
      `${COMPONENT_DEPTH_LIMIT} are skipped.`
    return [{ path: `nodes[${index}].component_id`, message }]
  })
}

/** Creates a function that returns the nesting depth of the component that a node runs. */
function createDepthLookup(
  components: readonly LocalFlowComponent[],
  shared: ComponentOutlines | null,
): (node: FlowNode) => number {
  const localIds = listLocalComponentIds(components)
  const componentsById = new Map(components.map((component) => [getLocalComponentId(component), component]))
  const depths = new Map<string, number>()
  const measureDepth = (key: string, getChildDepths: () => readonly number[]): number => {
    const cachedDepth = depths.get(key)
    if (cachedDepth !== undefined) return cachedDepth
    // Other checks reject components that run themselves.
    depths.set(key, 0)
    const depth = 1 + Math.max(0, ...getChildDepths())
    depths.set(key, depth)
    return depth
  }
  const measureSharedComponent = (id: string): number => {
    const outline = shared?.get(id)
    return outline === undefined
      ? 0
      : measureDepth(`shared ${id}`, () => outline.componentIds.map(measureSharedComponent))
  }
  const measureNode = (node: FlowNode): number => {
    const reference = findReferencedComponent(node, localIds)
    if (reference === null) return 0
    if (reference.type === 'shared') return measureSharedComponent(reference.id)
    const component = componentsById.get(reference.id)
    return component === undefined ? 0 : measureDepth(`local ${reference.id}`, () => component.nodes.map(measureNode))
  }
  return measureNode
}
