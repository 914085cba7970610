import { assignedVariables, type ComponentOutline, type DialogGraph, sharedComponentIds } from './dialog-graph.ts'
import { canPassSilently } from './silent-passage.ts'

/** What the graphs that run a shared component need to know of it. */
export function outlineComponent(component: Pick<DialogGraph, 'start_node_id' | 'nodes' | 'tools'>): ComponentOutline {
  return {
    variables: assignedVariables(component),
    componentIds: sharedComponentIds(component),
    canPassSilently: canPassSilently(component, () => false),
  }
}
