import { type LocalFlowComponent, localComponentId } from '@parley/contract/local-component'
import { adoptEdgeIds, fillEdgeIds } from './edge-ids.ts'

/** Gives every edge of local components that has none an id of its own. */
export function fillComponents(
  components: readonly LocalFlowComponent[],
  makeEdgeId: () => string,
): LocalFlowComponent[] {
  return components.map((component) => ({ ...component, nodes: fillEdgeIds(component.nodes, makeEdgeId) }))
}

/** The complete list that a PATCH gives, with the ids that edges had: writing the same twice changes nothing. */
export function editComponents(
  stored: readonly LocalFlowComponent[],
  given: readonly LocalFlowComponent[] | undefined,
): readonly LocalFlowComponent[] {
  if (given === undefined) return stored
  const known = new Map(stored.map((component) => [localComponentId(component), component]))
  return given.map((component) => {
    const before = new Map(known.get(localComponentId(component))?.nodes.map((node) => [node.id, node]))
    return { ...component, nodes: component.nodes.map((node) => adoptEdgeIds(node, before.get(node.id))) }
  })
}
