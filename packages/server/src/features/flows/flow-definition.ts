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
import type { Versioned, VersionOutline } from '../../kernel/versions/version-store.ts'
import { hideSecrets } from '../engines/public.ts'

/** What a version of a conversation flow stores: the contract object without what is derived. */
export type FlowDefinition = Pick<
  ConversationFlow,
  | 'display_name'
  | 'start_speaker'
  | 'global_prompt'
  | 'model_choice'
  | 'model_temperature'
  | 'begin_after_user_silence_ms'
  | 'max_hops_per_turn'
  | 'start_node_id'
  | 'nodes'
  | 'tools'
  | 'mcps'
  | 'knowledge_base_ids'
  | 'kb_config'
  | 'components'
  | 'default_dynamic_variables'
  | 'notes'
  | 'begin_tag_display_position'
>

type LaterFields =
  | 'display_name'
  | 'mcps'
  | 'knowledge_base_ids'
  | 'kb_config'
  | 'components'
  | 'notes'
  | 'begin_tag_display_position'
  | 'max_hops_per_turn'
/** What was stored before these fields existed lacks them. */
export type StoredFlow = Omit<FlowDefinition, LaterFields> & Partial<Pick<FlowDefinition, LaterFields>>

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

/** What a body leaves to the server, once that has made it. */
export interface FlowParts {
  readonly nodes: FlowNode[]
  readonly components: LocalFlowComponent[]
}

/** The model is stored by name even when it is the default, so that another default later changes no existing flow. */
export function defineFlow(
  body: Omit<CreateConversationFlowBody, 'workspaceId' | 'secrets_from'>,
  { nodes, components }: FlowParts,
  defaultModel: string,
): FlowDefinition {
  return {
    display_name: body.display_name,
    start_speaker: body.start_speaker,
    global_prompt: body.global_prompt,
    model_choice: { type: 'cascading', model: body.model_choice?.model ?? defaultModel },
    model_temperature: body.model_temperature,
    begin_after_user_silence_ms: body.begin_after_user_silence_ms,
    max_hops_per_turn: body.max_hops_per_turn,
    start_node_id: body.start_node_id ?? firstNode(nodes),
    nodes,
    tools: body.tools,
    mcps: body.mcps,
    knowledge_base_ids: body.knowledge_base_ids,
    kb_config: body.kb_config,
    components,
    default_dynamic_variables: body.default_dynamic_variables,
    notes: body.notes,
    begin_tag_display_position: body.begin_tag_display_position,
  }
}

/** Applies a PATCH body: absent fields stay. `nodes` are the merged ones, `components` those that it leaves behind. */
export function editFlow(
  current: FlowDefinition,
  body: UpdateConversationFlowBody,
  { nodes, components, defaultModel }: FlowParts & { readonly defaultModel: string },
): FlowDefinition {
  return {
    display_name: body.display_name ?? current.display_name,
    start_speaker: body.start_speaker ?? current.start_speaker,
    global_prompt: body.global_prompt ?? current.global_prompt,
    model_choice: editModel(current.model_choice, body.model_choice, defaultModel),
    model_temperature: body.model_temperature === undefined ? current.model_temperature : body.model_temperature,
    begin_after_user_silence_ms:
      body.begin_after_user_silence_ms === undefined
        ? current.begin_after_user_silence_ms
        : body.begin_after_user_silence_ms,
    max_hops_per_turn: body.max_hops_per_turn ?? current.max_hops_per_turn,
    start_node_id: editStart(current.start_node_id, body.start_node_id, nodes),
    nodes,
    tools: body.tools ?? current.tools,
    mcps: body.mcps ?? current.mcps,
    knowledge_base_ids: body.knowledge_base_ids ?? current.knowledge_base_ids,
    kb_config: body.kb_config ?? current.kb_config,
    components,
    default_dynamic_variables: body.default_dynamic_variables ?? current.default_dynamic_variables,
    notes: body.notes ?? current.notes,
    begin_tag_display_position:
      body.begin_tag_display_position === undefined
        ? current.begin_tag_display_position
        : body.begin_tag_display_position,
  }
}

function editModel(
  current: FlowDefinition['model_choice'],
  given: UpdateConversationFlowBody['model_choice'],
  defaultModel: string,
): FlowDefinition['model_choice'] {
  if (given === undefined) return current
  const model = given === null ? null : given.model
  return { type: 'cascading', model: model === undefined ? current.model : (model ?? defaultModel) }
}

/** Where a graph begins after an edit: without a word about it where it began, or at its first node when that is gone. */
export function editStart(current: string, given: string | null | undefined, nodes: readonly FlowNode[]): string {
  const startNodeId = given === undefined ? current : given
  if (startNodeId === null) return firstNode(nodes)
  return given === undefined && !nodes.some(({ id }) => id === startNodeId) ? firstNode(nodes) : startNodeId
}

/** Tells of a start that an edit moved without being asked to. */
export function startWarnings(before: string, after: string, given: string | null | undefined): string[] {
  if (given !== undefined || before === after) return []
  return [`The start node "${before}" was removed: conversations begin at "${after}".`]
}

/** The default start. */
export function firstNode(nodes: readonly FlowNode[]): string {
  return nodes[0]?.id ?? ''
}

export function toFlow(found: Versioned<FlowDefinition>): ConversationFlow {
  const definition = hideSecrets(completeFlow(found.definition))
  return {
    conversation_flow_id: found.id,
    version: found.version,
    workspaceId: found.workspaceId,
    display_name: definition.display_name,
    start_speaker: definition.start_speaker,
    global_prompt: definition.global_prompt,
    model_choice: definition.model_choice,
    model_temperature: definition.model_temperature,
    begin_after_user_silence_ms: definition.begin_after_user_silence_ms,
    max_hops_per_turn: definition.max_hops_per_turn,
    start_node_id: definition.start_node_id,
    nodes: definition.nodes,
    tools: definition.tools,
    mcps: definition.mcps,
    knowledge_base_ids: definition.knowledge_base_ids,
    kb_config: definition.kb_config,
    components: definition.components,
    default_dynamic_variables: definition.default_dynamic_variables,
    notes: definition.notes,
    begin_tag_display_position: definition.begin_tag_display_position,
    is_published: found.published,
    is_frozen: found.frozen,
    version_title: found.title,
    version_description: found.description,
    created_at: new Date(found.createdAt).toISOString(),
    updated_at: new Date(found.updatedAt).toISOString(),
  }
}

export function toFlowItem(found: Versioned<FlowDefinition>): ConversationFlowItem {
  const { display_name, start_speaker } = completeFlow(found.definition)
  return { conversation_flow_id: found.id, display_name, version: found.version, start_speaker }
}

export function toFlowVersion(found: VersionOutline): ConversationFlowVersion {
  return {
    conversation_flow_id: found.id,
    version: found.version,
    is_published: found.published,
    is_frozen: found.frozen,
    version_title: found.title,
    version_description: found.description,
    updated_at: new Date(found.updatedAt).toISOString(),
  }
}
