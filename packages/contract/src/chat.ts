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

const TYPE = { description: 'Channel of the chat. Does not affect the answers.' }
/** Cost of a conversation. Unknown prices are null, never estimated. */
export const ChatCost = z
  .object({
    total: z
      .number()
      .nullable()
      .meta({ description: 'Total with the markup of the provider; null if a price is unknown.' }),
    currency: z.string(),
    items: z.array(
      z.object({
        product: z.string().meta({ description: 'Billed product, such as `llm`.' }),
        model: z.string().nullable(),
        inputTokens: z.int(),
        cachedInputTokens: z.int().meta({ description: 'Part of `inputTokens`.' }),
        outputTokens: z.int(),
        cost: z.number().nullable().meta({ description: 'Cost without markup; null if the price is unknown.' }),
      }),
    ),
  })
  .meta({ id: 'ChatCost' })
export type ChatCost = z.infer<typeof ChatCost>

export const ChatAnalysis = z
  .object({
    summary: z.string().nullable(),
    sentiment: z.enum(['Positive', 'Neutral', 'Negative', 'Unknown']).nullable(),
    successful: z.boolean().nullable(),
    customData: FreeObject,
  })
  .meta({ id: 'ChatAnalysis', description: 'Null until the chat is analyzed.' })
export type ChatAnalysis = z.infer<typeof ChatAnalysis>

/** A passage with the ID of its turn. */
const RetrievedPassage = Passage.extend({ turnId: z.string() }).meta({ id: 'RetrievedPassage' })

export const Chat = z
  .object({
    chatId: z.string(),
    workspaceId: z.int(),
    agentId: z.string(),
    agentName: z.string(),
    version: z.int().meta({ description: 'Version of the agent.' }),
    responseEngine: z
      .object({ type: z.enum(ENGINE_KINDS), id: z.string().nullable(), version: z.int().nullable() })
      .meta({ description: 'Version of the engine for the whole chat.' }),
    agentPath: AgentPath,
    status: ChatStatus,
    type: ChatType.meta(TYPE),
    ...customDataFields,
    startedAt: DateTime,
    endedAt: DateTime.nullable().meta({ description: 'Time when the chat ended; null while it is ongoing.' }),
    transcript: z.string().meta({ description: 'Transcript with lines `Agent: …` and `User: …`.' }),
    messages: z.array(ChatMessage).meta({ description: 'Newest 5000 messages, oldest first.' }),
    chatCost: ChatCost.meta({ description: 'Cost of the models so far.' }),
    latencyP50Ms: z.number().nullable().meta({
      description: 'Median of `firstTextMs` of the turns in milliseconds; null without answers.',
    }),
    chatAnalysis: ChatAnalysis.meta({
      description: 'Results of the analysis; all fields are null until the chat is analyzed.',
    }),
    retrievedPassages: z.array(RetrievedPassage).meta({
      description:
        'Passages that the agent answered from, in order, for the newest 100 turns that searched knowledge bases.',
    }),
    ...variableFields,
  })
  .meta({ id: 'Chat' })
export type Chat = z.infer<typeof Chat>

/** An item of a list, without messages, transcript and passages, which may be long. */
export const ChatSummary = Chat.omit({ messages: true, transcript: true, retrievedPassages: true }).meta({
  id: 'ChatSummary',
})
export type ChatSummary = z.infer<typeof ChatSummary>

export const CreateChatBody = z
  .object({
    workspaceId: bodyWorkspace(),
    agentId: id().meta({ description: 'ID of an agent or chat agent in the workspace.' }),
    type: orDefault(ChatType.meta(TYPE), () => 'web_chat' as const),
    ...newConversationFields,
  })
  .meta({ id: 'CreateChatBody' })
export type CreateChatBody = z.output<typeof CreateChatBody>

export const UpdateChatBody = z
  .object({
    workspaceId: bodyWorkspace(),
    metadata: changedMetadata,
    custom_attributes: changedCustomAttributes,
    override_dynamic_variables: changedOverrideVariables,
    data_storage_setting: strictDataStorage,
  })
  .meta({ id: 'UpdateChatBody', description: 'Each given object replaces the previous one; null clears it.' })
export type UpdateChatBody = z.output<typeof UpdateChatBody>

const ChatPath = z.object({ chatId: id().meta({ description: 'ID of the chat (`chat_…`).' }) })
const TAG = 'Chats'

export const createChat = defineOperation({
  name: 'createChat',
  method: 'POST',
  path: '/api/chats',
  tag: TAG,
  summary: 'Start a chat',
  description:
    'Starts a chat with an agent. If the agent has an opening message, it becomes the first message. No model is ' +
    'called yet.',
  access: 'calls',
  body: CreateChatBody,
  status: 201,
  result: Chat,
  errors: ['not_found', 'engine_unavailable'],
})

export const listChats = defineOperation({
  name: 'listChats',
  method: 'GET',
  path: '/api/chats',
  tag: TAG,
  summary: 'List chats',
  description: 'Returns chats without messages and transcripts, newest first.',
  access: 'read',
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    agentId: id().optional().meta({ description: 'Only chats of this agent.' }),
    status: ChatStatus.optional().meta({ description: 'Only chats with this status.' }),
    startDate: StartDate.optional(),
    endDate: EndDate.optional(),
    search: z.string().min(1).max(200).optional().meta({ description: 'Text to find in messages.' }),
  }),
  result: z.array(ChatSummary),
  features: ['paged'],
})

export const getChat = defineOperation({
  name: 'getChat',
  method: 'GET',
  path: '/api/chats/{chatId}',
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
  method: 'PATCH',
  path: '/api/chats/{chatId}',
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
  method: 'DELETE',
  path: '/api/chats/{chatId}',
  tag: TAG,
  summary: 'Delete a chat',
  description: 'Permanently deletes the chat and its messages.',
  access: 'write',
  pathParameters: ChatPath,
  query: WorkspaceQuery,
})

export const endChat = defineOperation({
  name: 'endChat',
  method: 'POST',
  path: '/api/chats/{chatId}/end',
  tag: TAG,
  summary: 'End a chat',
  description: 'Completes the chat. Ending a chat that has ended has no effect.',
  access: 'calls',
  pathParameters: ChatPath,
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'EndChatBody' }),
  result: Chat,
})
