import { z } from 'zod'
import { ErrorDetail } from './errors.ts'
import {
  bodyEditedVersion,
  bodyWorkspace,
  clearable,
  EditedVersionQuery,
  id,
  integer,
  label,
  orDefault,
  PROMPT_LIMIT_BYTES,
  PublishBody,
  StringMap,
  text,
  Variables,
  VersionQuery,
  versionFields,
  versionItem,
  Warnings,
  WorkspaceQuery,
} from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { FLOW_NODE_LIMIT, FlowNode, FlowNodePatch } from './flow-node.ts'
import { ModelChoice } from './flow-node-fields.ts'
import { DisplayPosition, FlowNote, FlowNoteList } from './flow-note.ts'
import { flowSwitches, highPriority } from './flow-switches.ts'
import { FlowTool, FlowToolList } from './flow-tool.ts'
import { completeKbConfig, KbConfig, KbConfigInput, KNOWLEDGE_BASE_IDS, KnowledgeBaseIds } from './knowledge-use.ts'
import { LocalFlowComponent, LocalFlowComponentList } from './local-component.ts'
import { McpServerList, McpServerSetting } from './mcp-server.ts'
import { ModelName } from './model-name.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery, SPEC_LIST_LIMIT } from './pagination.ts'
import { secretsFrom } from './secrets-from.ts'

/** Conversation flows: dialog graphs that agents answer with. */

/** Graphs need more room than other bodies; a stored flow is bounded by the same. */
export const FLOW_LIMIT_BYTES = 4 * 1024 * 1024

const DISPLAY_NAME = { description: 'Name to know it by, of at most 200 characters; users never see it.' }
const StartSpeaker = z.enum(['agent', 'user']).meta({ description: 'Who speaks first.' })
const GLOBAL_PROMPT = { description: 'Instructions for the model that hold in every node; may hold `{{variables}}`.' }
const TEMPERATURE = { description: '0 to 1, how freely the model words its answers; null leaves it to the model.' }
const SILENCE = {
  description:
    'Milliseconds: when the user shall begin and stays silent this long, the agent does; null waits without an end.',
}
const TOOLS = { description: 'Tools that nodes name by `tool_id` or name.' }
const MCPS = { description: 'MCP servers that nodes and tools name by `mcp_id` or name.' }
const KNOWLEDGE_BASES = { description: `${KNOWLEDGE_BASE_IDS.description} Of nodes that name none of their own.` }
const COMPONENTS = { description: 'Local components: parts of this flow that nodes of type `component` run.' }
const NOTES = { description: 'Notes beside the graph, for the people who edit it.' }
const BEGIN_TAG = { description: 'Where an editor draws the beginning; null where it likes.' }
const DEFAULT_VARIABLES = {
  description: 'Values of `{{variables}}` for conversations that are not given any of that name.',
}
const MAX_HOPS = {
  description:
    'Most transitions in a row without the user that cost a model call or a tool, in one turn; then the node that was reached ' +
    'speaks. 1 to 100.',
}
/** Costly transitions of a turn in a flow that sets no limit. */
export const DEFAULT_MAX_HOPS = 8
const agentStarts = () => 'agent' as const

export const ConversationFlowItem = z
  .object({
    conversation_flow_id: z.string(),
    display_name: z.string().meta(DISPLAY_NAME),
    version: z.int().meta({ description: 'The newest.' }),
    start_speaker: StartSpeaker,
  })
  .meta({ id: 'ConversationFlowItem' })
export type ConversationFlowItem = z.output<typeof ConversationFlowItem>

export const ConversationFlow = z
  .object({
    conversation_flow_id: z.string(),
    version: z.int().meta({ description: 'Counts from 1.' }),
    workspaceId: z.int(),
    display_name: z.string().meta(DISPLAY_NAME),
    start_speaker: StartSpeaker,
    global_prompt: z.string().meta(GLOBAL_PROMPT),
    model_choice: ModelChoice.meta({ description: 'The model of every node that does not choose its own.' }),
    model_temperature: z.number().nullable().meta(TEMPERATURE),
    begin_after_user_silence_ms: z.int().nullable().meta(SILENCE),
    max_hops_per_turn: z.int().meta(MAX_HOPS),
    start_node_id: z.string().meta({ description: 'The node that a conversation begins at.' }),
    nodes: z.array(FlowNode).meta({ description: 'The nodes of the graph; each carries the edges that leave it.' }),
    tools: z.array(FlowTool).meta(TOOLS),
    mcps: z.array(McpServerSetting).meta(MCPS),
    knowledge_base_ids: z.array(z.string()).meta(KNOWLEDGE_BASES),
    kb_config: KbConfig,
    components: z.array(LocalFlowComponent).meta(COMPONENTS),
    default_dynamic_variables: StringMap.meta(DEFAULT_VARIABLES),
    notes: z.array(FlowNote).meta(NOTES),
    begin_tag_display_position: DisplayPosition.nullable().meta(BEGIN_TAG),
    ...versionFields,
  })
  .meta({ id: 'ConversationFlow' })
export type ConversationFlow = z.output<typeof ConversationFlow>

export const ConversationFlowWritten = ConversationFlow.extend({ warnings: Warnings }).meta({
  id: 'ConversationFlowWritten',
})
export type ConversationFlowWritten = z.output<typeof ConversationFlowWritten>

export const ConversationFlowVersion = z
  .object({ conversation_flow_id: z.string(), ...versionItem })
  .meta({ id: 'ConversationFlowVersion' })
export type ConversationFlowVersion = z.output<typeof ConversationFlowVersion>

const ModelChoiceInput = z
  .object({
    type: ModelChoice.shape.type.optional(),
    model: ModelName.nullable().optional().meta({
      description:
        '`provider/model` or a bare name. Null, or absent in a new flow: the default model of the server then.',
    }),
    high_priority: highPriority,
  })
  .meta({ id: 'ModelChoiceInput' })

const DisplayName = label().meta(DISPLAY_NAME)
const FlowModel = ModelChoiceInput.meta({
  description:
    'The model of every node that does not choose its own. Null, or absent in a new flow: the default model of the server.',
})
const Temperature = z.number().min(0).max(1).meta(TEMPERATURE)
const SilenceMs = integer(0, 3_600_000).meta(SILENCE)
const MaxHops = integer(1, 100).meta({ description: `${MAX_HOPS.description} ${DEFAULT_MAX_HOPS} when absent.` })
const GlobalPrompt = text(PROMPT_LIMIT_BYTES).meta({ description: `${GLOBAL_PROMPT.description} At most 128 KiB.` })
const FlowTools = FlowToolList.meta({ description: `${TOOLS.description} The complete list, each name and id once.` })
const McpServers = McpServerList.meta({ description: `${MCPS.description} The complete list, each name and id once.` })
const KnowledgeBases = KnowledgeBaseIds.meta({ description: `${KNOWLEDGE_BASES.description} The complete list.` })
const LocalComponents = LocalFlowComponentList.meta({
  description: `${COMPONENTS.description} The complete list, each name and id once.`,
})
const Notes = FlowNoteList.meta({ description: `${NOTES.description} The complete list, each id once.` })
const BeginTagPosition = DisplayPosition.meta(BEGIN_TAG)
const DefaultVariables = Variables.meta({
  description: `${DEFAULT_VARIABLES.description} The complete set; numbers and booleans become text.`,
})

/** The nodes of a new flow or component. */
export const newNodes = z.array(FlowNode).min(1).max(FLOW_NODE_LIMIT).meta({
  description: 'The nodes of the graph; each carries the edges that leave it, which name the next node by its id.',
})
/** Where a new flow or component begins. */
export const newStart = FlowPartId.nullable()
  .optional()
  .meta({ description: 'Id of the node to begin at; the first node when absent or null.' })
/** Where a flow or component begins after a PATCH. */
export const changedStart = FlowPartId.nullable().optional().meta({
  description: 'Id of the node to begin at; null: the first node. A start that is removed becomes the first node too.',
})

export const CreateConversationFlowBody = z
  .object({
    workspaceId: bodyWorkspace(),
    display_name: orDefault(DisplayName, () => ''),
    start_speaker: orDefault(StartSpeaker, agentStarts),
    global_prompt: orDefault(GlobalPrompt, () => ''),
    model_choice: FlowModel.nullable().optional(),
    model_temperature: Temperature.nullable().default(null),
    begin_after_user_silence_ms: SilenceMs.nullable().default(null),
    max_hops_per_turn: orDefault(MaxHops, () => DEFAULT_MAX_HOPS),
    start_node_id: newStart,
    nodes: newNodes,
    tools: orDefault(FlowTools, () => []),
    mcps: orDefault(McpServers, () => []),
    knowledge_base_ids: orDefault(KnowledgeBases, () => []),
    kb_config: orDefault(KbConfigInput, () => completeKbConfig({})),
    components: orDefault(LocalComponents, () => []),
    default_dynamic_variables: orDefault(DefaultVariables, () => ({})),
    notes: orDefault(Notes, () => []),
    begin_tag_display_position: BeginTagPosition.nullable().default(null),
    ...flowSwitches,
    secrets_from: secretsFrom(),
  })
  .meta({ id: 'CreateConversationFlowBody' })
export type CreateConversationFlowBody = z.output<typeof CreateConversationFlowBody>

/** How a PATCH changes the nodes of a flow or component. */
export const nodeChangeFields = {
  nodes: z.array(FlowNodePatch).max(FLOW_NODE_LIMIT).optional().meta({
    description: 'Merged by id: given fields replace, `edges` and `instruction` as a whole; new ids are appended.',
  }),
  removeNodeIds: z
    .array(FlowPartId)
    .max(FLOW_NODE_LIMIT)
    .optional()
    .meta({ description: 'Ids of nodes to remove. Nothing else removes one, save `replaceNodes`.' }),
  replaceNodes: z.boolean().optional().meta({ description: 'Take `nodes` as the complete list; false when absent.' }),
}

export const UpdateConversationFlowBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: bodyEditedVersion(),
    display_name: clearable(DisplayName, () => ''),
    start_speaker: clearable(StartSpeaker, agentStarts),
    global_prompt: clearable(GlobalPrompt, () => ''),
    model_choice: FlowModel.nullable().optional(),
    model_temperature: Temperature.nullable().optional(),
    begin_after_user_silence_ms: SilenceMs.nullable().optional(),
    max_hops_per_turn: clearable(MaxHops, () => DEFAULT_MAX_HOPS),
    start_node_id: changedStart,
    ...nodeChangeFields,
    tools: clearable(FlowTools, () => []),
    mcps: clearable(McpServers, () => []),
    knowledge_base_ids: clearable(KnowledgeBases, () => []),
    kb_config: clearable(KbConfigInput, () => completeKbConfig({})),
    components: clearable(LocalComponents, () => []),
    default_dynamic_variables: clearable(DefaultVariables, () => ({})),
    notes: clearable(Notes, () => []),
    begin_tag_display_position: BeginTagPosition.nullable().optional(),
    ...flowSwitches,
  })
  .meta({
    id: 'UpdateConversationFlowBody',
    description: 'Absent fields stay as they are, null returns one to its default.',
  })
export type UpdateConversationFlowBody = z.output<typeof UpdateConversationFlowBody>

export const FlowValidation = z
  .object({
    valid: z.boolean().meta({ description: 'Whether it could be stored.' }),
    errors: z.array(ErrorDetail).meta({ description: 'Why it could not be stored, each with its path.' }),
    warnings: Warnings,
  })
  .meta({ id: 'FlowValidation' })
export type FlowValidation = z.output<typeof FlowValidation>

const FlowPath = z.object({
  conversationFlowId: id().meta({ description: 'The conversation flow, `conversation_flow_…`.' }),
})
const TAG = 'Conversation Flows'

export const createConversationFlow = defineOperation({
  name: 'createConversationFlow',
  method: 'POST',
  path: '/api/conversation-flows',
  tag: TAG,
  summary: 'Create a conversation flow',
  description: 'Creates version 1, which agents can use at once. Needs at least one node; all else has a default.',
  access: 'write',
  workspace: 'body',
  body: CreateConversationFlowBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  status: 201,
  result: ConversationFlowWritten,
  features: ['etag'],
})

export const listConversationFlows = defineOperation({
  name: 'listConversationFlows',
  method: 'GET',
  path: '/api/conversation-flows',
  tag: TAG,
  summary: 'List conversation flows',
  description: 'Newest first, each with its newest version.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(SPEC_LIST_LIMIT),
  status: 200,
  result: z.array(ConversationFlowItem),
  features: ['paged'],
})

export const getConversationFlow = defineOperation({
  name: 'getConversationFlow',
  method: 'GET',
  path: '/api/conversation-flows/{conversationFlowId}',
  tag: TAG,
  summary: 'Read a conversation flow',
  description: 'Answers the newest version unless `version` names another.',
  access: 'read',
  workspace: 'query',
  pathParameters: FlowPath,
  query: VersionQuery,
  status: 200,
  result: ConversationFlow,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateConversationFlow = defineOperation({
  name: 'updateConversationFlow',
  method: 'PATCH',
  path: '/api/conversation-flows/{conversationFlowId}',
  tag: TAG,
  summary: 'Change a conversation flow',
  description:
    'Edits the newest version while nothing has used it, otherwise makes the next version, which agents that are not ' +
    'pinned, published or activated follow; `warnings` names those that stay. Nodes are merged by id; the whole flow ' +
    'must be sound afterwards.',
  access: 'write',
  workspace: 'body',
  pathParameters: FlowPath,
  query: EditedVersionQuery,
  body: UpdateConversationFlowBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  status: 200,
  result: ConversationFlowWritten,
  errors: ['not_found', 'version_frozen', 'version_conflict'],
  features: ['etag'],
})

export const deleteConversationFlow = defineOperation({
  name: 'deleteConversationFlow',
  method: 'DELETE',
  path: '/api/conversation-flows/{conversationFlowId}',
  tag: TAG,
  summary: 'Delete a conversation flow',
  description: 'Removes it with all its versions for good. Refused while an agent uses it; the answer lists the users.',
  access: 'write',
  workspace: 'query',
  pathParameters: FlowPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'in_use', 'version_conflict'],
})

export const listConversationFlowVersions = defineOperation({
  name: 'listConversationFlowVersions',
  method: 'GET',
  path: '/api/conversation-flows/{conversationFlowId}/versions',
  tag: TAG,
  summary: 'List the versions of a conversation flow',
  description: 'Newest version first.',
  access: 'read',
  workspace: 'query',
  pathParameters: FlowPath,
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(ConversationFlowVersion),
  errors: ['not_found'],
  features: ['paged'],
})

export const publishConversationFlow = defineOperation({
  name: 'publishConversationFlow',
  method: 'POST',
  path: '/api/conversation-flows/{conversationFlowId}/publish',
  tag: TAG,
  summary: 'Publish a version of a conversation flow',
  description: 'Marks a version, the newest by default, as published. A published version is never changed again.',
  access: 'write',
  workspace: 'body',
  pathParameters: FlowPath,
  body: PublishBody,
  status: 200,
  result: ConversationFlow,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const validateConversationFlow = defineOperation({
  name: 'validateConversationFlow',
  method: 'POST',
  path: '/api/conversation-flows/validate',
  tag: TAG,
  summary: 'Check a conversation flow',
  description:
    'Tells what is wrong with a graph, and what may not work as expected, without storing it. A body whose fields are of ' +
    'the wrong form answers 400 like the creation.',
  access: 'write',
  workspace: 'body',
  body: CreateConversationFlowBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  status: 200,
  result: FlowValidation,
})
