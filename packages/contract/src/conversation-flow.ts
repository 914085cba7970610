import { z } from 'zod'
import { ErrorDetail } from './errors.ts'
import {
  bodyEditedVersion,
  bodyWorkspace,
  clearable,
  id,
  integer,
  label,
  orDefault,
  PROMPT_LIMIT_BYTES,
  StringMap,
  text,
  Variables,
  versionFields,
  versionItem,
  Warnings,
} from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { FLOW_NODE_LIMIT, FlowNode, FlowNodePatch } from './flow-node.ts'
import { ModelChoice } from './flow-node-fields.ts'
import { DisplayPosition, FlowNote, FlowNoteList } from './flow-note.ts'
import { flowSwitches, highPriority } from './flow-switches.ts'
import { FlowTool, FlowToolList } from './flow-tool.ts'
import { completeKbConfig, KbConfig, KbConfigInput, KNOWLEDGE_BASE_IDS, KnowledgeBaseIds } from './knowledge-use.ts'
import { ENGINE_UPDATE_DESCRIPTION } from './llm.ts'
import { LocalFlowComponent, LocalFlowComponentList } from './local-component.ts'
import { McpServerList, McpServerSetting } from './mcp-server.ts'
import { ModelName } from './model-name.ts'
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, SPEC_LIST_LIMIT } from './pagination.ts'
import { secretsFrom } from './secrets-from.ts'
import { defineVersionedOperations } from './versioned-operations.ts'

/** Conversation flows: dialog graphs that agents follow. */

/** Body size limit. Graphs are larger than other bodies. Stored flows have the same limit. */
export const FLOW_LIMIT_BYTES = 4 * 1024 * 1024

const DISPLAY_NAME = 'Display name of at most 200 characters. It is not displayed to users.'
const StartSpeaker = z.enum(['agent', 'user']).describe('Who starts the conversation: the agent or the user.')
const GLOBAL_PROMPT = 'Prompt that applies to every node; can contain `{{variables}}`.'
const TEMPERATURE = 'Sampling temperature, from 0 to 1. If null, the model uses its default.'
const SILENCE =
  'Milliseconds of silence after which the agent starts a conversation that the user should start. If null, ' +
  'the agent keeps waiting.'
const TOOLS = 'Tools that nodes refer to by `tool_id` or name.'
const MCPS = 'MCP servers that nodes and tools refer to by `mcp_id` or name.'
const KNOWLEDGE_BASES = `${KNOWLEDGE_BASE_IDS} Used by nodes that do not have their own list.`
const COMPONENTS = 'Local components that nodes of type `component` run.'
const NOTES = 'Notes for editors of the graph.'
const BEGIN_TAG = 'Position of the start marker in an editor. If null, the editor chooses the position.'
const DEFAULT_VARIABLES = 'Default values of `{{variables}}` that a conversation does not set.'
const MAX_HOPS =
  'Maximum number of consecutive transitions in a turn that require a model call or a tool, from 1 to 100. At ' +
  'the limit, the current node speaks.'
/** Default value of `max_hops_per_turn`. */
export const DEFAULT_MAX_HOPS = 8
const getDefaultSpeaker = () => 'agent' as const

export const ConversationFlowItem = defineObject('ConversationFlowItem', {
  conversation_flow_id: z.string(),
  display_name: z.string().describe(DISPLAY_NAME),
  version: z.int().describe('Latest version.'),
  start_speaker: StartSpeaker,
})
export type ConversationFlowItem = z.output<typeof ConversationFlowItem>

export const ConversationFlow = defineObject('ConversationFlow', {
  conversation_flow_id: z.string(),
  version: z.int().describe('Version number, starting at 1.'),
  workspaceId: z.int(),
  display_name: z.string().describe(DISPLAY_NAME),
  start_speaker: StartSpeaker,
  global_prompt: z.string().describe(GLOBAL_PROMPT),
  model_choice: ModelChoice.describe('Model of nodes that do not specify their own.'),
  model_temperature: z.number().nullable().describe(TEMPERATURE),
  begin_after_user_silence_ms: z.int().nullable().describe(SILENCE),
  max_hops_per_turn: z.int().describe(MAX_HOPS),
  start_node_id: z.string().describe('ID of the first node.'),
  nodes: z.array(FlowNode).describe('Nodes of the graph with their outgoing edges.'),
  tools: z.array(FlowTool).describe(TOOLS),
  mcps: z.array(McpServerSetting).describe(MCPS),
  knowledge_base_ids: z.array(z.string()).describe(KNOWLEDGE_BASES),
  kb_config: KbConfig,
  components: z.array(LocalFlowComponent).describe(COMPONENTS),
  default_dynamic_variables: StringMap.describe(DEFAULT_VARIABLES),
  notes: z.array(FlowNote).describe(NOTES),
  begin_tag_display_position: DisplayPosition.nullable().describe(BEGIN_TAG),
  ...versionFields,
})
export type ConversationFlow = z.output<typeof ConversationFlow>

export const ConversationFlowWritten = ConversationFlow.extend({ warnings: Warnings }).meta({
  id: 'ConversationFlowWritten',
})
export type ConversationFlowWritten = z.output<typeof ConversationFlowWritten>

export const ConversationFlowVersion = defineObject('ConversationFlowVersion', {
  conversation_flow_id: z.string(),
  ...versionItem,
})
export type ConversationFlowVersion = z.output<typeof ConversationFlowVersion>

const ModelChoiceInput = defineObject('ModelChoiceInput', {
  type: ModelChoice.shape.type.optional(),
  model: ModelName.nullable()
    .optional()
    .describe(
      'Name of the model: `provider/model` or a bare name. If null, or omitted in a new flow, the current ' +
        'default model of the server is used.',
    ),
  high_priority: highPriority,
})

const DisplayName = label().describe(DISPLAY_NAME)
const FlowModel = ModelChoiceInput.describe(
  'Model of nodes that do not specify their own. If null, or omitted in a new flow, the current default model of the ' +
    'server is used.',
)
const Temperature = z.number().min(0).max(1).describe(TEMPERATURE)
const SilenceMs = integer(0, 3_600_000).describe(SILENCE)
const MaxHops = integer(1, 100).describe(`${MAX_HOPS} Defaults to ${DEFAULT_MAX_HOPS}.`)
const GlobalPrompt = text(PROMPT_LIMIT_BYTES).describe(`${GLOBAL_PROMPT} At most 128 KiB.`)
const FlowTools = FlowToolList.describe(`${TOOLS} Complete list with unique names and IDs.`)
const McpServers = McpServerList.describe(`${MCPS} Complete list with unique names and IDs.`)
const KnowledgeBases = KnowledgeBaseIds.describe(`${KNOWLEDGE_BASES} Complete list.`)
const LocalComponents = LocalFlowComponentList.describe(`${COMPONENTS} Complete list with unique names and IDs.`)
const Notes = FlowNoteList.describe(`${NOTES} Complete list with unique IDs.`)
const BeginTagPosition = DisplayPosition.describe(BEGIN_TAG)
const DefaultVariables = Variables.describe(`${DEFAULT_VARIABLES} Complete set; numbers and booleans become strings.`)

/** Nodes of a new flow or component. */
export const newNodes = z
  .array(FlowNode)
  .min(1)
  .max(FLOW_NODE_LIMIT)
  .describe('Nodes of the graph with their outgoing edges, which identify the next node by ID.')
/** First node of a new flow or component. */
export const newStart = FlowPartId.nullable()
  .optional()
  .describe('ID of the first node. Defaults to the first node of the list.')
/** First node of a flow or component in a PATCH. */
export const changedStart = FlowPartId.nullable()
  .optional()
  .describe('ID of the first node. If null, or if that node is removed, the first node of the list is used.')

export const CreateConversationFlowBody = defineObject('CreateConversationFlowBody', {
  workspaceId: bodyWorkspace(),
  display_name: orDefault(DisplayName, () => ''),
  start_speaker: orDefault(StartSpeaker, getDefaultSpeaker),
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
export type CreateConversationFlowBody = z.output<typeof CreateConversationFlowBody>

/** Changes to the nodes of a flow or component in a PATCH. */
export const nodeChangeFields = {
  nodes: z
    .array(FlowNodePatch)
    .max(FLOW_NODE_LIMIT)
    .optional()
    .describe(
      'Nodes to change or add, merged by ID. Fields in the request replace existing fields, including `edges` and ' +
        '`instruction` as a whole. New nodes are appended.',
    ),
  removeNodeIds: z
    .array(FlowPartId)
    .max(FLOW_NODE_LIMIT)
    .optional()
    .describe('IDs of nodes to remove. Other nodes are kept unless `replaceNodes` is true.'),
  replaceNodes: z.boolean().optional().describe('Whether to remove nodes not in `nodes`. Defaults to false.'),
}

export const UpdateConversationFlowBody = defineDescribedObject('UpdateConversationFlowBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  version: bodyEditedVersion(),
  display_name: clearable(DisplayName, () => ''),
  start_speaker: clearable(StartSpeaker, getDefaultSpeaker),
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
export type UpdateConversationFlowBody = z.output<typeof UpdateConversationFlowBody>

export const FlowValidation = defineObject('FlowValidation', {
  valid: z.boolean().describe('Whether the flow can be stored.'),
  errors: z.array(ErrorDetail).describe('Problems that prevent the flow from being stored, with their paths.'),
  warnings: Warnings,
})
export type FlowValidation = z.output<typeof FlowValidation>

export const {
  create: createConversationFlow,
  list: listConversationFlows,
  get: getConversationFlow,
  update: updateConversationFlow,
  delete: deleteConversationFlow,
  listVersions: listConversationFlowVersions,
  publish: publishConversationFlow,
} = defineVersionedOperations({
  name: 'ConversationFlow',
  noun: 'a conversation flow',
  tag: 'Conversation Flows',
  paths: { collection: '/api/conversation-flows', item: '/api/conversation-flows/{conversationFlowId}' },
  pathParameters: z.object({
    conversationFlowId: id().describe('ID of the conversation flow (`conversation_flow_…`).'),
  }),
  bodies: { create: CreateConversationFlowBody, update: UpdateConversationFlowBody, limitBytes: FLOW_LIMIT_BYTES },
  results: {
    item: ConversationFlowItem,
    resource: ConversationFlow,
    written: ConversationFlowWritten,
    version: ConversationFlowVersion,
  },
  limits: { list: SPEC_LIST_LIMIT, versions: EXTENSION_LIST_LIMIT },
  defaultVersion: 'latest',
  descriptions: {
    create:
      'Creates version 1, which agents can use immediately. Requires at least one node; every other field except the ' +
      'workspace is optional.',
    update: `${ENGINE_UPDATE_DESCRIPTION} Nodes are merged by ID, and the resulting flow must be valid.`,
    delete:
      'Permanently deletes the conversation flow and all its versions. Fails with `in_use` while an agent uses it; the ' +
      'error lists these agents.',
  },
  errors: { delete: ['in_use'] },
})

export const validateConversationFlow = defineOperation({
  name: 'validateConversationFlow',
  route: 'POST /api/conversation-flows/validate',
  tag: 'Conversation Flows',
  summary: 'Validate a conversation flow',
  description:
    'Returns the errors and warnings of a flow without storing it. A request with malformed fields fails with 400, just as ' +
    'when creating a flow.',
  access: 'write',
  body: CreateConversationFlowBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  result: FlowValidation,
})
