import type { CreateConversationFlowBody, UpdateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import { checkGraph } from './check-graph.ts'
import { fillEdgeIds } from './edge-ids.ts'
import { defineFlow, editFlow, type FlowDefinition, startWarnings } from './flow-definition.ts'
import { mergeNodes } from './merge-nodes.ts'
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
  const definition = defineFlow(body, fillEdgeIds(body.nodes, makeEdgeId), defaultModel)
  const { nodes, start_node_id: startNodeId } = definition
  return { definition, problems: [...checkGraph({ nodes, startNodeId }), ...sizeProblems(definition)] }
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
  const definition = editFlow(current, body, { nodes, defaultModel })
  const places = new Map(body.nodes?.map(({ id }, index) => [id, index]))
  const graph = { nodes, startNodeId: definition.start_node_id }
  refuseProblems([...checkGraph(graph, (_index, id) => places.get(id) ?? null), ...sizeProblems(definition)])
  const moved = startWarnings(current.start_node_id, definition.start_node_id, body.start_node_id)
  return { definition, warnings: [...merged.warnings, ...moved] }
}
