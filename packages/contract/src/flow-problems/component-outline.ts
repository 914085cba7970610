import { assignedVariables, type ComponentOutline, type DialogGraph, sharedComponentIds } from './dialog-graph.ts'
import { canPassSilently } from './silent-passage.ts'

/** Facts about a shared component that the graphs running it need. */
export function outlineComponent(component: Pick<DialogGraph, 'start_node_id' | 'nodes' | 'tools'>): ComponentOutline {
  return {
    variables: assignedVariables(component),
    componentIds: sharedComponentIds(component),
    canPassSilently: canPassSilently(component, () => false),
  }
}
