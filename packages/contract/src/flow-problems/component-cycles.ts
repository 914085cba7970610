import type { ErrorDetail } from '../errors.ts'
import type { FlowNode } from '../flow-node.ts'
import { getLocalComponentId, type LocalFlowComponent } from '../local-component.ts'
import { type ComponentOutlines, findReferencedComponent, listLocalComponentIds } from './dialog-graph.ts'
import type { NodeProblem } from './graph-errors.ts'

/** Checks for components that run themselves, which would nest endlessly. */

/**
 * Returns errors for local component nodes that close a cycle. Shared components cannot run local components, so no cycle
 * passes through them.
 */
export function findLocalCycles(components: readonly LocalFlowComponent[]): ErrorDetail[] {
  const localIds = listLocalComponentIds(components)
  const byId = new Map(components.map((component, index) => [getLocalComponentId(component), { component, index }]))
  const openComponents = new Set<string>()
  const done = new Set<string>()
  const problems: ErrorDetail[] = []
  const visit = (id: string): void => {
    const entry = byId.get(id)
    if (entry === undefined || done.has(id)) return
    openComponents.add(id)
    for (const [index, node] of entry.component.nodes.entries()) {
      const named = findReferencedComponent(node, localIds)
      if (named?.type !== 'local') continue
      const path = `components[${entry.index}].nodes[${index}].component_id`
      if (openComponents.has(named.id)) problems.push({ path, message: describeSelfReference(named.id) })
      else visit(named.id)
    }
    openComponents.delete(id)
    done.add(id)
  }
  for (const id of byId.keys()) visit(id)
  return problems
}

/** Returns errors for nodes of the shared component `id` that lead back to it, directly or through other components. */
export function findSharedCycles(
  { id, nodes }: { readonly id: string; readonly nodes: readonly FlowNode[] },
  known: ComponentOutlines,
): NodeProblem[] {
  return nodes.flatMap((node, index): NodeProblem[] => {
    const named = findReferencedComponent(node)
    if (named?.type !== 'shared' || !canReach(id, named.id, known)) return []
    return [{ index, path: 'component_id', message: describeSelfReference(id) }]
  })
}

function canReach(target: string, from: string, known: ComponentOutlines): boolean {
  const visitedIds = new Set([from])
  for (const id of visitedIds) {
    if (id === target) return true
    // The loop also visits elements that it adds to the set.
    for (const next of known.get(id)?.componentIds ?? []) visitedIds.add(next)
  }
  return false
}

function describeSelfReference(id: string): string {
  return `must not run the component "${id}" inside itself, directly or through other components`
}
