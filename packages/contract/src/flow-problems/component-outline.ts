import {
  type ComponentOutline,
  type DialogGraph,
  listAssignedVariables,
  listSharedComponentIds,
} from './dialog-graph.ts'
import { canPassSilently } from './silent-passage.ts'

/** Summarizes the properties of a shared component that other graphs need. */
export function outlineComponent(component: Pick<DialogGraph, 'start_node_id' | 'nodes' | 'tools'>): ComponentOutline {
  return {
    variables: listAssignedVariables(component),
    componentIds: listSharedComponentIds(component),
    canPassSilently: canPassSilently(component, () => false),
  }
}
