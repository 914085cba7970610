import type { ErrorDetail } from '../errors.ts'
import type { FlowNode } from '../flow-node.ts'
import { getLocalComponentId, type LocalFlowComponent } from '../local-component.ts'
import { type ComponentOutlines, findReferencedComponent, listLocalComponentIds } from './dialog-graph.ts'
import type { NodeProblem } from './graph-errors.ts'

/** Checks for components that run themselves, directly or indirectly. */

/**
 * Returns errors for local component nodes that close a cycle. Ignores shared components, because they cannot run local
 * components.
 */
export function findLocalCycles(components: readonly LocalFlowComponent[]): ErrorDetail[] {
  const localIds = listLocalComponentIds(components)
  const componentsById = new Map(
    components.map((component, index) => [getLocalComponentId(component), { component, index }]),
  )
  const visitingIds = new Set<string>()
  const visitedIds = new Set<string>()
  const problems: ErrorDetail[] = []
  const visit = (id: string): void => {
    const entry = componentsById.get(id)
    if (entry === undefined || visitedIds.has(id)) return
    visitingIds.add(id)
    for (const [index, node] of entry.component.nodes.entries()) {
      const reference = findReferencedComponent(node, localIds)
      if (reference?.type !== 'local') continue
      const path = `components[${entry.index}].nodes[${index}].component_id`
      if (visitingIds.has(reference.id)) problems.push({ path, message: describeSelfReference(reference.id) })
      else visit(reference.id)
    }
    visitingIds.delete(id)
    visitedIds.add(id)
  }
  for (const id of componentsById.keys()) visit(id)
  return problems
}

/** Returns errors for nodes of the shared component `id` that lead back to it, directly or through other components. */
export function findSharedCycles(
  { id, nodes }: { readonly id: string; readonly nodes: readonly FlowNode[] },
  outlines: ComponentOutlines,
): NodeProblem[] {
  return nodes.flatMap((node, index): NodeProblem[] => {
    const reference = findReferencedComponent(node)
    if (reference?.type !== 'shared' || !canReach(id, reference.id, outlines)) return []
    return [{ index, path: 'component_id', message: describeSelfReference(id) }]
  })
}

function canReach(targetId: string, startId: string, outlines: ComponentOutlines): boolean {
  const visitedIds = new Set([startId])
  for (const id of visitedIds) {
    if (id === targetId) return true
    // The loop also visits elements that it adds to the set.
    for (const componentId of outlines.get(id)?.componentIds ?? []) visitedIds.add(componentId)
  }
  return false
}

function describeSelfReference(id: string): string {
  return `must not run the component "${id}" inside itself, directly or through other components`
}
