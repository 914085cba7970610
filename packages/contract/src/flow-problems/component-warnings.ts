import type { ErrorDetail } from '../errors.ts'
import { edgesOf, type FlowNode } from '../flow-node.ts'
import { type LocalFlowComponent, localComponentId } from '../local-component.ts'
import {
  COMPONENT_DEPTH_LIMIT,
  type ComponentOutlines,
  type DialogGraph,
  localComponentIds,
  reachableNodes,
  referencedComponent,
} from './dialog-graph.ts'

/** Warnings about components without an exit and components that are nested too deeply. */

/** Nodes that end the conversation or hand it over. */
const ENDING_TYPES: ReadonlySet<string> = new Set(['end', 'agent_swap', 'transfer_call', 'bridge_transfer'])

/** Warns if a conversation can neither leave a component nor end in it. The path is within the component. */
export function exitWarnings(graph: Pick<DialogGraph, 'nodes' | 'start_node_id'>): ErrorDetail[] {
  const reached = reachableNodes(graph)
  const hasExit = graph.nodes.some((node) => {
    if (!reached.has(node.id)) return false
    return ENDING_TYPES.has(node.type) || edgesOf(node).some(({ edge }) => edge.destination_node_id === undefined)
  })
  if (hasExit) return []
  const message =
    'The component has no exit: no edge without a destination can be reached, so the conversation cannot leave.'
  return [{ path: 'nodes', message }]
}

/** Nodes whose components exceed the maximum depth. `depth` is the number of components around the nodes. */
export function depthWarnings(
  {
    nodes,
    components = [],
  }: { readonly nodes: readonly FlowNode[]; readonly components?: readonly LocalFlowComponent[] },
  { shared, depth }: { readonly shared: ComponentOutlines | null; readonly depth: number },
): ErrorDetail[] {
  const depthOf = componentDepths(components, shared)
  return nodes.flatMap((node, index) => {
    const total = depth + depthOf(node)
    if (total <= COMPONENT_DEPTH_LIMIT) return []
    const message =
      `Node "${node.id}" runs components that are nested ${total} levels deep. Levels beyond ` +
      `${COMPONENT_DEPTH_LIMIT} are skipped.`
    return [{ path: `nodes[${index}].component_id`, message }]
  })
}

/** Nesting depth below a node, including the component that it runs. */
function componentDepths(
  components: readonly LocalFlowComponent[],
  shared: ComponentOutlines | null,
): (node: FlowNode) => number {
  const localIds = localComponentIds(components)
  const byId = new Map(components.map((component) => [localComponentId(component), component]))
  const known = new Map<string, number>()
  const below = (key: string, children: () => readonly number[]): number => {
    const found = known.get(key)
    if (found !== undefined) return found
    // Components that run themselves are refused elsewhere.
    known.set(key, 0)
    const depth = 1 + Math.max(0, ...children())
    known.set(key, depth)
    return depth
  }
  const sharedDepth = (id: string): number => {
    const outline = shared?.get(id)
    return outline === undefined ? 0 : below(`shared ${id}`, () => outline.componentIds.map(sharedDepth))
  }
  const nodeDepth = (node: FlowNode): number => {
    const named = referencedComponent(node, localIds)
    if (named === null) return 0
    if (named.type === 'shared') return sharedDepth(named.id)
    const component = byId.get(named.id)
    return component === undefined ? 0 : below(`local ${named.id}`, () => component.nodes.map(nodeDepth))
  }
  return nodeDepth
}
