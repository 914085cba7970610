import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'

/** What flows and shared components have in common: nodes, where they begin and the tools that nodes name. */
export interface DialogGraph {
  readonly start_node_id: string
  readonly nodes: FlowNode[]
  readonly tools: FlowTool[]
}

/** Ids of the shared components that the nodes run, each once. */
export function componentIdsOf(nodes: readonly FlowNode[]): string[] {
  const ids = nodes.flatMap((node) => {
    return node.type === 'component' && node.component_type !== 'local' ? (node.component_id ?? []) : []
  })
  return [...new Set(ids)]
}

/** What a graph needs to know of a component that it runs. */
export interface ComponentOutline {
  /** Names of the variables that it sets. */
  readonly variables: readonly string[]
  readonly componentIds: readonly string[]
}

/** The components of a workspace that a graph runs, as far as they exist. */
export type KnownComponents = ReadonlyMap<string, ComponentOutline>

/** Names of the variables that tools and nodes of a graph set. */
export function variablesSetBy({ nodes, tools }: Pick<DialogGraph, 'nodes' | 'tools'>): string[] {
  const ofTools = (list: DialogGraph['tools']) =>
    list.flatMap((tool) => [
      ...('response_variables' in tool ? Object.keys(tool.response_variables ?? {}) : []),
      ...(tool.type === 'extract_dynamic_variable' ? tool.variables.map(({ name }) => name) : []),
    ])
  const ofNode = (node: FlowNode): string[] => {
    switch (node.type) {
      case 'extract_dynamic_variables':
        return (node.variables ?? []).map(({ name }) => name)
      case 'code':
      case 'mcp':
        return Object.keys(node.response_variables ?? {})
      case 'subagent':
        return ofTools(node.tools ?? [])
      default:
        return []
    }
  }
  return [...ofTools(tools), ...nodes.flatMap(ofNode)]
}
