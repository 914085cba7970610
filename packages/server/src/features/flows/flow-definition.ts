import {
  type ConversationFlow,
  type ConversationFlowItem,
  type ConversationFlowVersion,
  type CreateConversationFlowBody,
  DEFAULT_MAX_HOPS,
  type UpdateConversationFlowBody,
} from '@parley/contract/conversation-flow'
import type { FlowNode } from '@parley/contract/flow-node'
import { completeKbConfig } from '@parley/contract/knowledge-use'
import type { LocalFlowComponent } from '@parley/contract/local-component'
import { editFields, pickFields } from '../../kernel/api/edits.ts'
import type { Versioned, VersionMetadata } from '../../kernel/versions/version-store.ts'
import { buildMetadataFields, buildVersionFields, hideSecrets } from '../engines/public.ts'

const FIELDS = [
  'display_name',
  'start_speaker',
  'global_prompt',
  'model_choice',
  'model_temperature',
  'begin_after_user_silence_ms',
  'max_hops_per_turn',
  'start_node_id',
  'nodes',
  'tools',
  'mcps',
  'knowledge_base_ids',
  'kb_config',
  'components',
  'default_dynamic_variables',
  'notes',
  'begin_tag_display_position',
] as const satisfies readonly (keyof ConversationFlow)[]

/** The stored content of a flow version: the contract object without derived fields. */
export type FlowDefinition = Pick<ConversationFlow, (typeof FIELDS)[number]>

type LaterFields =
  | 'display_name'
  | 'mcps'
  | 'knowledge_base_ids'
  | 'kb_config'
  | 'components'
  | 'notes'
  | 'begin_tag_display_position'
  | 'max_hops_per_turn'
/** A stored flow. Older rows lack these fields. */
type StoredFlow = Omit<FlowDefinition, LaterFields> & Partial<Pick<FlowDefinition, LaterFields>>

export function completeFlow(stored: StoredFlow): FlowDefinition {
  const knowledge = { knowledge_base_ids: [], kb_config: completeKbConfig({}) }
  const laterDefaults = {
    display_name: '',
    mcps: [],
    components: [],
    notes: [],
    begin_tag_display_position: null,
    ...knowledge,
  }
  return { ...laterDefaults, max_hops_per_turn: DEFAULT_MAX_HOPS, ...stored }
}

/** The flow fields in which the server assigns edge ids. */
export interface FlowGraphs {
  readonly nodes: FlowNode[]
  readonly components: LocalFlowComponent[]
}

/** Builds a new flow's definition. Stores the default model by name, so that changing the default does not affect the flow. */
export function defineFlow(
  body: Omit<CreateConversationFlowBody, 'workspaceId' | 'secrets_from'>,
  { nodes, components }: FlowGraphs,
  defaultModel: string,
): FlowDefinition {
  return pickFields(FIELDS, {
    ...body,
    model_choice: { type: 'cascading' as const, model: body.model_choice?.model ?? defaultModel },
    start_node_id: body.start_node_id ?? getFirstNodeId(nodes),
    nodes,
    components,
  })
}

/** Applies a PATCH body. Absent fields keep their values. `nodes` and `components` are the merged lists. */
export function editFlow(
  current: FlowDefinition,
  body: UpdateConversationFlowBody,
  { nodes, components, defaultModel }: FlowGraphs & { readonly defaultModel: string },
): FlowDefinition {
  return editFields(FIELDS, current, {
    ...body,
    model_choice: editModelChoice(current.model_choice, body.model_choice, defaultModel),
    start_node_id: resolveStartNodeId(current.start_node_id, body.start_node_id, nodes),
    nodes,
    components,
  })
}

function editModelChoice(
  current: FlowDefinition['model_choice'],
  newChoice: UpdateConversationFlowBody['model_choice'],
  defaultModel: string,
): FlowDefinition['model_choice'] {
  if (newChoice === undefined) return current
  const model = newChoice === null ? null : newChoice.model
  return { type: 'cascading', model: model === undefined ? current.model : (model ?? defaultModel) }
}

/** Returns the start node's id after an edit. Defaults to the current start node if it still exists, or else the first node. */
export function resolveStartNodeId(
  current: string,
  requestedId: string | null | undefined,
  nodes: readonly FlowNode[],
): string {
  const startNodeId = requestedId === undefined ? current : requestedId
  if (startNodeId === null) return getFirstNodeId(nodes)
  return requestedId === undefined && !nodes.some(({ id }) => id === startNodeId) ? getFirstNodeId(nodes) : startNodeId
}

/** Returns a warning if the start node changed because it was removed. */
export function findStartWarnings(before: string, after: string, requestedId: string | null | undefined): string[] {
  if (requestedId !== undefined || before === after) return []
  return [`The start node "${before}" was removed: conversations start at "${after}".`]
}

/** Returns the id of the first node, which is the default start node. */
export function getFirstNodeId(nodes: readonly FlowNode[]): string {
  return nodes[0]?.id ?? ''
}

export function toFlow(version: Versioned<FlowDefinition>): ConversationFlow {
  const definition = hideSecrets(completeFlow(version.definition))
  return { conversation_flow_id: version.id, ...buildVersionFields(version), ...pickFields(FIELDS, definition) }
}

export function toFlowItem(version: Versioned<FlowDefinition>): ConversationFlowItem {
  const { display_name, start_speaker } = completeFlow(version.definition)
  return { conversation_flow_id: version.id, display_name, version: version.version, start_speaker }
}

export function toFlowVersion(version: VersionMetadata): ConversationFlowVersion {
  return { conversation_flow_id: version.id, ...buildMetadataFields(version) }
}
