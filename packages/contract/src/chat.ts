import { z } from 'zod'
import { DataStorageSetting } from './after-conversation.ts'
import { ChatMessage } from './chat-message.ts'
import {
  bodyWorkspace,
  clearable,
  DateTime,
  freeObject,
  id,
  integer,
  OverrideMap,
  OverrideVariables,
  orDefault,
  StringMap,
  Variables,
  WorkspaceQuery,
} from './fields.ts'
import { Passage } from './knowledge-passage.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { EndDate, StartDate } from './query-dates.ts'
import { ENGINE_KINDS } from './response-engine.ts'

/** Chats: a written conversation with one agent version. */

export const CHAT_STATUSES = ['ongoing', 'completed', 'error'] as const
export const ChatStatus = z.enum(CHAT_STATUSES).meta({ id: 'ChatStatus' })
export type ChatStatus = z.infer<typeof ChatStatus>

export const CHAT_TYPES = ['web_chat', 'sms_chat', 'api_chat'] as const
export const ChatType = z.enum(CHAT_TYPES).meta({ id: 'ChatType' })
export type ChatType = z.infer<typeof ChatType>

const FreeObject = z.record(z.string(), z.unknown())

const TYPE = { description: 'Where it takes place; it changes nothing about the answers.' }
const METADATA = {
  description: 'Data of your own; custom tools with a JSON body get it, unless they take bare arguments.',
}
const CUSTOM_ATTRIBUTES = { description: 'More data of your own, kept and answered.' }

/** What a conversation cost; prices that nobody knows are null, never guessed. */
export const ChatCost = z
  .object({
    total: z.number().nullable().meta({ description: 'With the provider’s markup; null while a price is unknown.' }),
    currency: z.string(),
    items: z.array(
      z.object({
        product: z.string().meta({ description: 'What was used, for example `llm`.' }),
        model: z.string().nullable(),
        inputTokens: z.int(),
        cachedInputTokens: z.int().meta({ description: 'Part of `inputTokens`.' }),
        outputTokens: z.int(),
        cost: z.number().nullable().meta({ description: 'Without the markup; null where the price is not known.' }),
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
  .meta({ id: 'ChatAnalysis', description: 'Null until the chat was analysed.' })
export type ChatAnalysis = z.infer<typeof ChatAnalysis>

/** A passage with the turn that it was found for. */
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
      .meta({ description: 'The engine version that the chat stays on.' }),
    agentPath: z
      .array(z.object({ agentId: z.string(), agentVersion: z.int(), at: DateTime }))
      .meta({ description: 'Agents that held the chat, in order.' }),
    status: ChatStatus,
    type: ChatType.meta(TYPE),
    metadata: FreeObject.meta(METADATA),
    customAttributes: FreeObject.meta(CUSTOM_ATTRIBUTES),
    startedAt: DateTime,
    endedAt: DateTime.nullable().meta({ description: 'Null while it is ongoing.' }),
    transcript: z.string().meta({ description: 'Lines `Agent: …` and `User: …`.' }),
    messages: z.array(ChatMessage).meta({ description: 'Oldest first: the newest 5000 of a longer chat.' }),
    chatCost: ChatCost.meta({ description: 'What its models cost so far.' }),
    chatAnalysis: ChatAnalysis.meta({ description: 'Its fields are null until the chat was analysed.' }),
    retrievedPassages: z.array(RetrievedPassage).meta({
      description: 'What answers were given from, in order: of the newest 100 turns that searched knowledge bases.',
    }),
    collectedDynamicVariables: StringMap.meta({ description: 'Collected during the chat.' }),
    service_dynamic_variables: StringMap.meta({ description: 'Given when the chat was created.' }),
    overrideDynamicVariables: OverrideMap.meta({
      description: 'Set later; they win over all others. Null: without a value.',
    }),
  })
  .meta({ id: 'Chat' })
export type Chat = z.infer<typeof Chat>

/** A chat in a list: without its messages, transcript and passages, which may be long. */
export const ChatSummary = Chat.omit({ messages: true, transcript: true, retrievedPassages: true }).meta({
  id: 'ChatSummary',
})
export type ChatSummary = z.infer<typeof ChatSummary>

const Metadata = freeObject().meta({ description: `${METADATA.description} At most 50 KiB of JSON.` })
const CustomAttributes = freeObject().meta({ description: `${CUSTOM_ATTRIBUTES.description} At most 50 KiB of JSON.` })

export const CreateChatBody = z
  .object({
    workspaceId: bodyWorkspace(),
    agentId: id().meta({ description: 'An agent or chat agent of the workspace.' }),
    agentVersion: integer(1).nullable().optional().meta({
      description: 'Version that the chat stays on; the active one when absent or null.',
    }),
    type: orDefault(ChatType.meta(TYPE), () => 'web_chat' as const),
    metadata: orDefault(Metadata, () => ({})),
    customAttributes: orDefault(CustomAttributes, () => ({})),
    dynamicVariables: orDefault(
      Variables.meta({
        description:
          'Values of `{{variables}}`, instead of the defaults of the engine; numbers and booleans become text.',
      }),
      () => ({}),
    ),
    serviceDynamicVariables: Variables.nullable()
      .optional()
      .meta({ description: 'Another name of `dynamicVariables`.' }),
  })
  .meta({ id: 'CreateChatBody' })
export type CreateChatBody = z.output<typeof CreateChatBody>

export const UpdateChatBody = z
  .object({
    workspaceId: bodyWorkspace(),
    metadata: clearable(Metadata, () => ({})),
    custom_attributes: clearable(CustomAttributes, () => ({})),
    override_dynamic_variables: clearable(
      OverrideVariables.meta({
        description:
          'Values of `{{variables}}` that win over all others from the next turn on; numbers and booleans become text, ' +
          'null leaves a name without a value.',
      }),
      () => ({}),
    ),
    data_storage_setting: DataStorageSetting.optional().meta({
      description: 'What is kept of the chat once it is over, stricter than its agents have it; it cannot be relaxed.',
    }),
  })
  .meta({ id: 'UpdateChatBody', description: 'Each object given replaces the one before; null clears it.' })
export type UpdateChatBody = z.output<typeof UpdateChatBody>

const ChatPath = z.object({ chatId: id().meta({ description: 'The chat, `chat_…`.' }) })
const TAG = 'Chats'

export const createChat = defineOperation({
  name: 'createChat',
  method: 'POST',
  path: '/api/chats',
  tag: TAG,
  summary: 'Start a chat',
  description:
    'Starts a chat with an agent. When the agent has an opening message, it stands as the first message. No model is ' +
    'asked yet.',
  access: 'calls',
  workspace: 'body',
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
  description: 'Newest first, without messages and transcripts.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    agentId: id().optional().meta({ description: 'Only chats with this `agentId`.' }),
    status: ChatStatus.optional().meta({ description: 'Only chats in this status.' }),
    startDate: StartDate.optional(),
    endDate: EndDate.optional(),
    search: z.string().min(1).max(200).optional().meta({ description: 'Text in messages.' }),
  }),
  status: 200,
  result: z.array(ChatSummary),
  features: ['paged'],
})

export const getChat = defineOperation({
  name: 'getChat',
  method: 'GET',
  path: '/api/chats/{chatId}',
  tag: TAG,
  summary: 'Read a chat',
  description: 'The chat with its messages and transcript.',
  access: 'read',
  workspace: 'query',
  pathParameters: ChatPath,
  query: WorkspaceQuery,
  status: 200,
  result: Chat,
  errors: ['not_found'],
})

export const updateChat = defineOperation({
  name: 'updateChat',
  method: 'PATCH',
  path: '/api/chats/{chatId}',
  tag: TAG,
  summary: 'Change what is stored with a chat',
  description: 'Replaces metadata, custom attributes or the variables that override all others from the next turn on.',
  access: 'calls',
  workspace: 'body',
  pathParameters: ChatPath,
  body: UpdateChatBody,
  status: 200,
  result: Chat,
  errors: ['not_found'],
})

export const deleteChat = defineOperation({
  name: 'deleteChat',
  method: 'DELETE',
  path: '/api/chats/{chatId}',
  tag: TAG,
  summary: 'Delete a chat',
  description: 'Removes the chat and its messages for good.',
  access: 'write',
  workspace: 'query',
  pathParameters: ChatPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found'],
})

export const endChat = defineOperation({
  name: 'endChat',
  method: 'POST',
  path: '/api/chats/{chatId}/end',
  tag: TAG,
  summary: 'End a chat',
  description: 'Marks the chat as completed. Ending it twice does no harm.',
  access: 'calls',
  workspace: 'body',
  pathParameters: ChatPath,
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'EndChatBody' }),
  status: 200,
  result: Chat,
  errors: ['not_found'],
})
