import { edgesOf, type FlowNode } from '../flow-node.ts'
import type { FlowTool } from '../flow-tool.ts'
import { type LocalFlowComponent, localComponentId } from '../local-component.ts'
import type { McpServerSetting } from '../mcp-server.ts'

/** What flows and components have in common: nodes, where they begin, and the tools and servers that nodes name. */
export interface DialogGraph {
  readonly start_node_id: string
  readonly nodes: readonly FlowNode[]
  readonly tools: readonly FlowTool[]
  readonly mcps: readonly McpServerSetting[]
}

/** Components nested deeper than this are skipped. */
export const COMPONENT_DEPTH_LIMIT = 20

/** Ids of the nodes that the start, or a node with a global condition, leads to. */
export function reachableNodes({
  nodes,
  start_node_id,
}: Pick<DialogGraph, 'nodes' | 'start_node_id'>): ReadonlySet<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const entered = nodes.filter(
    ({ id, global_node_setting }) => id === start_node_id || global_node_setting !== undefined,
  )
  const reached = new Set(entered.map(({ id }) => id))
  // What is added while a set is gone through is visited too.
  for (const id of reached) {
    const node = byId.get(id)
    if (node === undefined) continue
    for (const { edge } of edgesOf(node))
      if (edge.destination_node_id !== undefined) reached.add(edge.destination_node_id)
  }
  return reached
}

/** A component that a node names, by where it is. */
export interface ComponentReference {
  readonly type: 'local' | 'shared'
  readonly id: string
}

const NO_LOCAL_IDS: ReadonlySet<string> = new Set()

/** Which component the node runs; `null` when it names none. `localIds` are those of the flow; shared components have none. */
export function referencedComponent(
  node: FlowNode,
  localIds: ReadonlySet<string> = NO_LOCAL_IDS,
): ComponentReference | null {
  if (node.type !== 'component' || node.component_id === undefined) return null
  const id = node.component_id
  return { type: node.component_type ?? (localIds.has(id) ? 'local' : 'shared'), id }
}

/** By what the nodes of a flow name its local components. */
export function localComponentIds(components: readonly LocalFlowComponent[]): ReadonlySet<string> {
  return new Set(components.map(localComponentId))
}

/** Ids of the shared components that nodes of a flow or of its local components run, each once, in order of appearance. */
export function sharedComponentIds(graph: {
  readonly nodes: readonly FlowNode[]
  readonly components?: readonly LocalFlowComponent[]
}): string[] {
  const { nodes, components = [] } = graph
  const localIds = localComponentIds(components)
  const all = [nodes, ...components.map((component) => component.nodes)].flat()
  const ids = all.flatMap((node) => {
    const named = referencedComponent(node, localIds)
    return named?.type === 'shared' ? named.id : []
  })
  return [...new Set(ids)]
}

/** What a graph needs to know of a shared component that it runs. */
export interface ComponentOutline {
  /** Names of the variables that it sets. */
  readonly variables: readonly string[]
  /** Ids of the shared components that it runs itself. */
  readonly componentIds: readonly string[]
  /** Whether a conversation can go through it without waiting for the user; components within it count as asking. */
  readonly canPassSilently: boolean
}

/** The shared components that a graph runs, those within others included, as far as they exist. */
export type ComponentOutlines = ReadonlyMap<string, ComponentOutline>

/** Names of the variables that tools and nodes of a graph set. */
export function assignedVariables({ nodes, tools }: Pick<DialogGraph, 'nodes' | 'tools'>): string[] {
  const toolVariables = (list: DialogGraph['tools']) =>
    list.flatMap((tool) => [
      ...('response_variables' in tool ? Object.keys(tool.response_variables ?? {}) : []),
      ...(tool.type === 'extract_dynamic_variable' ? tool.variables.map(({ name }) => name) : []),
    ])
  const nodeVariables = (node: FlowNode): string[] => {
    switch (node.type) {
      case 'extract_dynamic_variables':
        return (node.variables ?? []).map(({ name }) => name)
      case 'code':
      case 'mcp':
        return Object.keys(node.response_variables ?? {})
      case 'subagent':
        return toolVariables(node.tools ?? [])
      default:
        return []
    }
  }
  return [...toolVariables(tools), ...nodes.flatMap(nodeVariables)]
}
