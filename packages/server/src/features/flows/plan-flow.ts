import type { CreateConversationFlowBody, UpdateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import { flowErrors } from '@parley/contract/flow-problems/flow-problems'
import { fillEdgeIds } from './edge-ids.ts'
import { defineFlow, editFlow, type FlowDefinition, startWarnings } from './flow-definition.ts'
import { editComponents, fillComponents } from './local-components.ts'
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
