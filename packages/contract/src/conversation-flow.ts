import { z } from 'zod'
import { ErrorDetail } from './errors.ts'
import {
  bodyWorkspace,
  clearable,
  DateTime,
  id,
  integer,
  orDefault,
  PROMPT_LIMIT_BYTES,
  PublishBody,
  queryInteger,
  StringMap,
  text,
  Variables,
  VersionQuery,
  versionItem,
  versionNotes,
  Warnings,
  WorkspaceQuery,
} from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { FLOW_NODE_LIMIT, FlowNode, FlowNodePatch } from './flow-node.ts'
import { ModelChoice } from './flow-node-fields.ts'
import { FlowTool, FlowToolList } from './flow-tool.ts'
import { ModelName } from './model-name.ts'
import { defineOperation } from './operation.ts'
import { ADDED_LIST_LIMIT, pagingQuery, SPECIFIED_LIST_LIMIT } from './pagination.ts'

/** Conversation flows: dialog graphs that agents answer with. */

/** Graphs need more room than other bodies; a stored flow is bounded by the same. */
export const FLOW_LIMIT_BYTES = 4 * 1024 * 1024

const StartSpeaker = z.enum(['agent', 'user'])
const agentStarts = () => 'agent' as const

export const ConversationFlowItem = z
  .object({ conversation_flow_id: z.string(), version: z.int(), start_speaker: StartSpeaker })
  .meta({ id: 'ConversationFlowItem' })
export type ConversationFlowItem = z.output<typeof ConversationFlowItem>

export const ConversationFlow = z
  .object({
    conversation_flow_id: z.string(),
    version: z.int(),
    workspaceId: z.int(),
    start_speaker: StartSpeaker.meta({ description: 'Who speaks first.' }),
    global_prompt: z.string().meta({ description: 'Holds in every node.' }),
    model_choice: ModelChoice,
    model_temperature: z.number().nullable().meta({ description: '0 to 1; null leaves it to the model.' }),
    begin_after_user_silence_ms: z
      .int()
      .nullable()
      .meta({ description: 'When the user shall begin and stays silent this long, the agent does; null waits.' }),
    start_node_id: z.string().meta({ description: 'The node that a conversation begins at.' }),
    nodes: z.array(FlowNode),
    tools: z.array(FlowTool).meta({ description: 'Tools that nodes name by `tool_id`.' }),
    default_dynamic_variables: StringMap,
    is_published: z.boolean(),
    is_frozen: z.boolean().meta({ description: 'Used or published: the next PATCH makes a new version.' }),
    ...versionNotes,
    created_at: DateTime,
    updated_at: DateTime,
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
    model: ModelName.nullable().optional().meta({ description: 'The default model of the server when absent.' }),
  })
  .meta({ id: 'ModelChoiceInput' })

const Temperature = z.number().min(0).max(1)
const SilenceMs = integer(0, 3_600_000)
const GlobalPrompt = text(PROMPT_LIMIT_BYTES)

export const CreateConversationFlowBody = z
  .object({
    workspaceId: bodyWorkspace(),
    start_speaker: orDefault(StartSpeaker, agentStarts),
    global_prompt: orDefault(GlobalPrompt, () => ''),
    model_choice: ModelChoiceInput.nullable().optional(),
    model_temperature: Temperature.nullable().default(null),
    begin_after_user_silence_ms: SilenceMs.nullable().default(null),
    start_node_id: FlowPartId.nullable().optional().meta({ description: 'The first node when absent.' }),
    nodes: z.array(FlowNode).min(1).max(FLOW_NODE_LIMIT),
    tools: orDefault(FlowToolList, () => []),
    default_dynamic_variables: orDefault(Variables, () => ({})),
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
    .meta({ description: 'Nodes to remove; nothing else removes one.' }),
  replaceNodes: z.boolean().optional().meta({ description: 'Take `nodes` as the complete list.' }),
}

export const UpdateConversationFlowBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: integer(1).optional().meta({ description: 'Version to edit; the newest when absent.' }),
    start_speaker: clearable(StartSpeaker, agentStarts),
    global_prompt: clearable(GlobalPrompt, () => ''),
    model_choice: ModelChoiceInput.nullable().optional(),
    model_temperature: Temperature.nullable().optional(),
    begin_after_user_silence_ms: SilenceMs.nullable().optional(),
    start_node_id: FlowPartId.nullable().optional(),
    ...nodeChangeFields,
    tools: clearable(FlowToolList, () => []),
    default_dynamic_variables: clearable(Variables, () => ({})),
  })
  .meta({
    id: 'UpdateConversationFlowBody',
    description: 'Absent fields stay as they are, null returns one to its default.',
  })
export type UpdateConversationFlowBody = z.output<typeof UpdateConversationFlowBody>

export const FlowValidation = z
  .object({
    valid: z.boolean().meta({ description: 'Whether it could be stored.' }),
    errors: z.array(ErrorDetail),
    warnings: Warnings,
  })
  .meta({ id: 'FlowValidation' })
export type FlowValidation = z.output<typeof FlowValidation>

const FlowPath = z.object({ conversationFlowId: id() })
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
  query: pagingQuery(SPECIFIED_LIST_LIMIT),
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
  query: z.object({ version: queryInteger(1, 2_147_483_647).optional() }),
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
  query: pagingQuery(ADDED_LIST_LIMIT),
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
  errors: ['not_found'],
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
