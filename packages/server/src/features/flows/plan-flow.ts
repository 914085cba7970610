import type { CreateConversationFlowBody, UpdateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import { flowErrors } from '@parley/contract/flow-problems/flow-problems'
import { type LocalFlowComponent, localComponentId } from '@parley/contract/local-component'
import { adoptEdgeIds, fillEdgeIds } from './edge-ids.ts'
import { defineFlow, editFlow, type FlowDefinition, startWarnings } from './flow-definition.ts'
import { mergeNodes, placesIn } from './merge-nodes.ts'
import { refuseProblems, sizeProblems } from './refuse-problems.ts'

interface FlowDefaults {
  readonly defaultModel: string
  readonly makeEdgeId: () => string
}

/** The flow that a body describes, and why it cannot be stored, if so. */
export function planNewFlow(
  body: CreateConversationFlowBody,
  { defaultModel, makeEdgeId }: FlowDefaults,
): { readonly definition: FlowDefinition; readonly problems: readonly ErrorDetail[] } {
  const nodes = fillEdgeIds(body.nodes, makeEdgeId)
  const definition = defineFlow(body, { nodes, components: fillComponents(body.components, makeEdgeId) }, defaultModel)
  return { definition, problems: [...flowErrors(definition), ...sizeProblems(definition)] }
}

/** The flow after an edit. Throws `invalid_request` for one that cannot be stored. */
export function planFlowEdit(
  current: FlowDefinition,
  body: UpdateConversationFlowBody,
  { defaultModel, makeEdgeId }: FlowDefaults,
): { readonly definition: FlowDefinition; readonly warnings: readonly string[] } {
  const merged = mergeNodes(current.nodes, body)
  refuseProblems(merged.problems)
  const nodes = fillEdgeIds(merged.nodes, makeEdgeId)
  const components = fillComponents(editComponents(current.components, body.components), makeEdgeId)
  const definition = editFlow(current, body, { nodes, components, defaultModel })
  refuseProblems([...flowErrors(definition, placesIn(body.nodes)), ...sizeProblems(definition)])
  const moved = startWarnings(current.start_node_id, definition.start_node_id, body.start_node_id)
  return { definition, warnings: [...merged.warnings, ...moved] }
}

/** Gives every edge of local components that has none an id of its own. */
function fillComponents(components: readonly LocalFlowComponent[], makeEdgeId: () => string): LocalFlowComponent[] {
  return components.map((component) => ({ ...component, nodes: fillEdgeIds(component.nodes, makeEdgeId) }))
}

/** The complete list that a PATCH gives, with the ids that edges had: writing the same twice changes nothing. */
function editComponents(
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
