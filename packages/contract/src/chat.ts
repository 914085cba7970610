import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import {
  AgentPath,
  changedCustomAttributes,
  changedMetadata,
  changedOverrideVariables,
  customDataFields,
  FreeObject,
  newConversationFields,
  strictDataStorage,
  variableFields,
} from './conversation-fields.ts'
import { bodyWorkspace, DateTime, id, orDefault, WorkspaceQuery } from './fields.ts'
import { Passage } from './knowledge-passage.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { EndDate, StartDate } from './query-dates.ts'
import { ENGINE_KINDS } from './response-engine.ts'

/** Chats: written conversations with one agent version. */

export const CHAT_STATUSES = ['ongoing', 'completed', 'error'] as const
export const ChatStatus = z.enum(CHAT_STATUSES).meta({ id: 'ChatStatus' })
export type ChatStatus = z.infer<typeof ChatStatus>

export const CHAT_TYPES = ['web_chat', 'sms_chat', 'api_chat'] as const
export const ChatType = z.enum(CHAT_TYPES).meta({ id: 'ChatType' })
export type ChatType = z.infer<typeof ChatType>

const TYPE = 'Channel of the chat. The channel does not affect the answers.'
/** Conversation costs. Unknown prices are null, never estimated. */
export const ChatCost = defineObject('ChatCost', {
  total: z.number().nullable().describe('Total including the provider’s markup, or null if a price is unknown.'),
  currency: z.string().describe('Always `USD`.'),
  items: z.array(
    z.object({
      product: z.string().describe('Billed product, such as `llm`.'),
      model: z.string().nullable().describe('Name of the model, or null for other products.'),
      inputTokens: z.int(),
      cachedInputTokens: z.int().describe('Part of `inputTokens`.'),
      outputTokens: z.int(),
      cost: z.number().nullable().describe('Cost without markup, or null if the price is unknown.'),
    }),
  ),
})
export type ChatCost = z.infer<typeof ChatCost>

export const ChatAnalysis = defineDescribedObject(
  'ChatAnalysis',
  'Analysis results. All fields are null until the chat is analyzed.',
  {
    summary: z.string().nullable().describe('Summary of the chat.'),
    sentiment: z.enum(['Positive', 'Neutral', 'Negative', 'Unknown']).nullable(),
    successful: z.boolean().nullable().describe('Whether the agent achieved the goal of the chat.'),
    customData: FreeObject.describe('Values of the analysis fields of the agent.'),
  },
)
export type ChatAnalysis = z.infer<typeof ChatAnalysis>

/** A passage with the ID of its turn. */
const RetrievedPassage = Passage.extend({ turnId: z.string().describe('ID of the turn that used the passage.') }).meta({
  id: 'RetrievedPassage',
})

export const Chat = defineObject('Chat', {
  chatId: z.string(),
  workspaceId: z.int(),
  agentId: z.string(),
  agentName: z.string(),
  version: z.int().describe('Version of the agent.'),
  responseEngine: z
    .object({ type: z.enum(ENGINE_KINDS), id: z.string().nullable(), version: z.int().nullable() })
    .describe('Response engine and its version, fixed for the whole chat.'),
  agentPath: AgentPath,
  status: ChatStatus,
  type: ChatType.describe(TYPE),
  ...customDataFields,
  startedAt: DateTime,
  endedAt: DateTime.nullable().describe('Time when the chat ended, or null while it is ongoing.'),
  transcript: z.string().describe('Transcript with lines `Agent: …` and `User: …`.'),
  messages: z.array(ChatMessage).describe('Newest 5000 messages, oldest first.'),
  chatCost: ChatCost.describe('Model costs of the chat so far.'),
  latencyP50Ms: z
    .number()
    .nullable()
    .describe('Median of the turns’ `firstTextMs` in milliseconds, or null if there are no answers.'),
  chatAnalysis: ChatAnalysis.describe('Analysis results. All fields are null until the chat is analyzed.'),
  retrievedPassages: z
    .array(RetrievedPassage)
    .describe(
      'Passages that the agent used for its answers, in order, for the latest 100 turns that searched knowledge bases.',
    ),
  ...variableFields,
})
export type Chat = z.infer<typeof Chat>

/** A list item, which omits messages, transcript and passages because of their size. */
export const ChatSummary = Chat.omit({ messages: true, transcript: true, retrievedPassages: true }).meta({
  id: 'ChatSummary',
})
export type ChatSummary = z.infer<typeof ChatSummary>

export const CreateChatBody = defineObject('CreateChatBody', {
  workspaceId: bodyWorkspace(),
  agentId: id().describe('ID of an agent or chat agent in the workspace.'),
  type: orDefault(ChatType.describe(TYPE), () => 'web_chat' as const),
  ...newConversationFields,
})
export type CreateChatBody = z.output<typeof CreateChatBody>

export const UpdateChatBody = defineDescribedObject(
  'UpdateChatBody',
  'Each object in the request replaces the stored object; null clears it.',
  {
    workspaceId: bodyWorkspace(),
    metadata: changedMetadata,
    custom_attributes: changedCustomAttributes,
    override_dynamic_variables: changedOverrideVariables,
    data_storage_setting: strictDataStorage,
  },
)
export type UpdateChatBody = z.output<typeof UpdateChatBody>

export const ChatPath = z.object({ chatId: id().describe('ID of the chat (`chat_…`).') })
const TAG = 'Chats'

export const createChat = defineOperation({
  name: 'createChat',
  route: 'POST /api/chats',
  tag: TAG,
  summary: 'Start a chat',
  description:
    'Starts a chat with an agent. If the agent has an opening message, it becomes the first message. No model is ' +
    'called until the user sends a message.',
  access: 'calls',
  body: CreateChatBody,
  status: 201,
  result: Chat,
  errors: ['not_found', 'engine_unavailable'],
})

export const listChats = defineOperation({
  name: 'listChats',
  route: 'GET /api/chats',
  tag: TAG,
  summary: 'List chats',
  description: 'Returns chats without messages and transcripts, newest first.',
  access: 'read',
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    agentId: id().optional().describe('Return only chats of this agent.'),
    status: ChatStatus.optional().describe('Return only chats with this status.'),
    startDate: StartDate.optional(),
    endDate: EndDate.optional(),
    search: z.string().min(1).max(200).optional().describe('Text to find in messages.'),
  }),
  result: z.array(ChatSummary),
  features: ['paged'],
})

export const getChat = defineOperation({
  name: 'getChat',
  route: 'GET /api/chats/{chatId}',
  tag: TAG,
  summary: 'Get a chat',
  description: 'Returns a chat with its messages and transcript.',
  access: 'read',
  pathParameters: ChatPath,
  query: WorkspaceQuery,
  result: Chat,
})

export const updateChat = defineOperation({
  name: 'updateChat',
  route: 'PATCH /api/chats/{chatId}',
  tag: TAG,
  summary: 'Update a chat',
  description:
    'Replaces the metadata, custom attributes or variable overrides of a chat. Overrides take effect from the next ' +
    'turn.',
  access: 'calls',
  pathParameters: ChatPath,
  body: UpdateChatBody,
  result: Chat,
})

export const deleteChat = defineOperation({
  name: 'deleteChat',
  route: 'DELETE /api/chats/{chatId}',
  tag: TAG,
  summary: 'Delete a chat',
  description: 'Permanently deletes the chat and its messages.',
  access: 'write',
  pathParameters: ChatPath,
  query: WorkspaceQuery,
})

export const endChat = defineOperation({
  name: 'endChat',
  route: 'POST /api/chats/{chatId}/end',
  tag: TAG,
  summary: 'End a chat',
  description: 'Ends the chat. Ending a chat that has already ended has no effect.',
  access: 'calls',
  pathParameters: ChatPath,
  body: defineObject('EndChatBody', { workspaceId: bodyWorkspace() }),
  result: Chat,
})

export const analyseChat = defineOperation({
  name: 'analyseChat',
  route: 'POST /api/chats/{chatId}/analysis',
  tag: TAG,
  summary: 'Analyze a chat again',
  description:
    'Repeats the analysis of a chat that has ended, with the stored data and the settings of its agent, and ' +
    'sends `chat_analyzed` again. If no model responds, the chat keeps its previous results.',
  access: 'calls',
  pathParameters: ChatPath,
  body: defineObject('AnalyseChatBody', { workspaceId: bodyWorkspace() }),
  result: Chat,
  errors: ['chat_ongoing', 'chat_not_stored', 'provider_error', 'provider_timeout'],
})
