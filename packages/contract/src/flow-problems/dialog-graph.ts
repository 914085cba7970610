import { type FlowNode, listEdges } from '../flow-node.ts'
import type { FlowTool } from '../flow-tool.ts'
import { getLocalComponentId, type LocalFlowComponent } from '../local-component.ts'
import type { McpServerSetting } from '../mcp-server.ts'

/** The parts that flows and components have in common. */
export interface DialogGraph {
  readonly start_node_id: string
  readonly nodes: readonly FlowNode[]
  readonly tools: readonly FlowTool[]
  readonly mcps: readonly McpServerSetting[]
}

/** Maximum nesting depth of components. Deeper components are skipped. */
export const COMPONENT_DEPTH_LIMIT = 20

/** Returns the IDs of nodes that are reachable from the start or through a global condition. */
export function findReachableNodes({
  nodes,
  start_node_id,
}: Pick<DialogGraph, 'nodes' | 'start_node_id'>): ReadonlySet<string> {
  const nodesById = new Map(nodes.map((node) => [node.id, node]))
  const entryNodes = nodes.filter(
    ({ id, global_node_setting }) => id === start_node_id || global_node_setting !== undefined,
  )
  const reachableIds = new Set(entryNodes.map(({ id }) => id))
  // The loop also visits elements that it adds to the set.
  for (const id of reachableIds) {
    const node = nodesById.get(id)
    if (node === undefined) continue
    for (const { edge } of listEdges(node))
      if (edge.destination_node_id !== undefined) reachableIds.add(edge.destination_node_id)
  }
  return reachableIds
}

/** A node's reference to a component. */
export interface ComponentReference {
  readonly type: 'local' | 'shared'
  readonly id: string
}

const NO_LOCAL_IDS: ReadonlySet<string> = new Set()

/**
 * Returns the component that a node runs, or `null` if there is none. `localIds` contains the IDs of the
 * flow's local components. It is empty when `node` belongs to a shared component.
 */
export function findReferencedComponent(
  node: FlowNode,
  localIds: ReadonlySet<string> = NO_LOCAL_IDS,
): ComponentReference | null {
  if (node.type !== 'component' || node.component_id === undefined) return null
  const id = node.component_id
  return { type: node.component_type ?? (localIds.has(id) ? 'local' : 'shared'), id }
}

/** Returns the IDs by which nodes of a flow refer to local components. */
export function listLocalComponentIds(components: readonly LocalFlowComponent[]): ReadonlySet<string> {
  return new Set(components.map(getLocalComponentId))
}

/**
 * Returns the IDs of the shared components that a flow and its local components run, without duplicates, in order of
 * appearance.
 */
export function listSharedComponentIds(graph: {
  readonly nodes: readonly FlowNode[]
  readonly components?: readonly LocalFlowComponent[]
}): string[] {
  const { nodes, components = [] } = graph
  const localIds = listLocalComponentIds(components)
  const allNodes = [nodes, ...components.map((component) => component.nodes)].flat()
  const ids = allNodes.flatMap((node) => {
    const reference = findReferencedComponent(node, localIds)
    return reference?.type === 'shared' ? reference.id : []
  })
  return [...new Set(ids)]
}

/** Properties of a shared component that other graphs need. */
export interface ComponentOutline {
  /** Names of the variables that the component sets. */
  readonly variables: readonly string[]
  /** IDs of the shared components that the component runs. */
  readonly componentIds: readonly string[]
  /** Whether a conversation can pass through without waiting for the user. Nested components count as waiting. */
  readonly canPassSilently: boolean
}

/** Existing shared components that a graph runs, directly or through other components. */
export type ComponentOutlines = ReadonlyMap<string, ComponentOutline>

/** Returns the names of the variables that a graph's tools and nodes set. */
export function listAssignedVariables({ nodes, tools }: Pick<DialogGraph, 'nodes' | 'tools'>): string[] {
  const listToolVariables = (list: DialogGraph['tools']) =>
    list.flatMap((tool) => [
      ...('response_variables' in tool ? Object.keys(tool.response_variables ?? {}) : []),
      ...(tool.type === 'extract_dynamic_variable' ? tool.variables.map(({ name }) => name) : []),
    ])
  const listNodeVariables = (node: FlowNode): string[] => {
    switch (node.type) {
      case 'extract_dynamic_variables':
        return (node.variables ?? []).map(({ name }) => name)
      case 'code':
      case 'mcp':
        return Object.keys(node.response_variables ?? {})
      case 'subagent':
        return listToolVariables(node.tools ?? [])
      default:
        return []
    }
  }
  return [...listToolVariables(tools), ...nodes.flatMap(listNodeVariables)]
}
