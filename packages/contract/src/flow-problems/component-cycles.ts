import type { ErrorDetail } from '../errors.ts'
import type { FlowNode } from '../flow-node.ts'
import { type LocalFlowComponent, localComponentId } from '../local-component.ts'
import { type ComponentOutlines, localComponentIds, referencedComponent } from './dialog-graph.ts'
import type { NodeProblem } from './graph-errors.ts'

/** Components that run themselves, which would nest without end. */

/**
 * Nodes of local components that close a cycle. Shared components cannot run local ones, so no cycle passes through
 * them.
 */
export function findLocalCycles(components: readonly LocalFlowComponent[]): ErrorDetail[] {
  const localIds = localComponentIds(components)
  const byId = new Map(components.map((component, index) => [localComponentId(component), { component, index }]))
  const open = new Set<string>()
  const done = new Set<string>()
  const problems: ErrorDetail[] = []
  const visit = (id: string): void => {
    const found = byId.get(id)
    if (found === undefined || done.has(id)) return
    open.add(id)
    for (const [at, node] of found.component.nodes.entries()) {
      const named = referencedComponent(node, localIds)
      if (named?.type !== 'local') continue
      const path = `components[${found.index}].nodes[${at}].component_id`
      if (open.has(named.id)) problems.push({ path, message: selfReferenceMessage(named.id) })
      else visit(named.id)
    }
    open.delete(id)
    done.add(id)
  }
  for (const id of byId.keys()) visit(id)
  return problems
}

/** Nodes of the shared component `id` that lead back to it, directly or through other components. */
export function findSharedCycles(
  { id, nodes }: { readonly id: string; readonly nodes: readonly FlowNode[] },
  known: ComponentOutlines,
): NodeProblem[] {
  return nodes.flatMap((node, index): NodeProblem[] => {
    const named = referencedComponent(node)
    if (named?.type !== 'shared' || !canReach(id, named.id, known)) return []
    return [{ index, path: 'component_id', message: selfReferenceMessage(id) }]
  })
}

function canReach(wanted: string, from: string, known: ComponentOutlines): boolean {
  const seen = new Set([from])
  for (const id of seen) {
    if (id === wanted) return true
    // The loop also visits elements that it adds to the set.
    for (const next of known.get(id)?.componentIds ?? []) seen.add(next)
  }
  return false
}

function selfReferenceMessage(id: string): string {
  return `must not run the component "${id}" inside itself, directly or through other components`
}
