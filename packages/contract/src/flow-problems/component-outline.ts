import { type ComponentOutline, type DialogGraph, sharedComponentIds, variablesSetBy } from './dialog-graph.ts'
import { isPassedSilently } from './silent-steps.ts'

/** What the graphs that run a shared component need to know of it. */
export function outlineComponent(component: Pick<DialogGraph, 'start_node_id' | 'nodes' | 'tools'>): ComponentOutline {
  return {
    variables: variablesSetBy(component),
    componentIds: sharedComponentIds(component),
    isPassedSilently: isPassedSilently(component, () => false),
  }
}
