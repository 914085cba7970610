import { z } from 'zod'
import { ActivateAgentBody, agentFields, agentVersionFields, Engine, EngineInput } from './agent.ts'
import { chatOutcomeFields, sharedSettingFields } from './agent-settings/agent-setting-fields.ts'
import {
  bodyEditedVersion,
  bodyWorkspace,
  EditedVersionQuery,
  id,
  PublishBody,
  VersionQuery,
  versionItem,
  Warnings,
  WorkspaceQuery,
} from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Chat agents: a response engine and how it behaves in written conversations. Versions work as those of agents. */

export const ChatAgent = z
  .object({
    ...agentFields,
    response_engine: Engine,
    ...chatOutcomeFields.response,
    ...sharedSettingFields.response,
    ...agentVersionFields,
  })
  .meta({ id: 'ChatAgent' })
export type ChatAgent = z.infer<typeof ChatAgent>

export const ChatAgentWritten = ChatAgent.extend({ warnings: Warnings }).meta({ id: 'ChatAgentWritten' })
export type ChatAgentWritten = z.infer<typeof ChatAgentWritten>

export const ChatAgentVersion = z.object({ agent_id: z.string(), ...versionItem }).meta({ id: 'ChatAgentVersion' })
export type ChatAgentVersion = z.infer<typeof ChatAgentVersion>

export const CreateChatAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    response_engine: EngineInput,
    ...sharedSettingFields.create,
    ...chatOutcomeFields.create,
  })
  .meta({ id: 'CreateChatAgentBody' })
export type CreateChatAgentBody = z.output<typeof CreateChatAgentBody>

export const UpdateChatAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: bodyEditedVersion(),
    response_engine: EngineInput.optional(),
    ...sharedSettingFields.update,
    ...chatOutcomeFields.update,
  })
  .meta({ id: 'UpdateChatAgentBody', description: 'Absent fields stay as they are, null returns one to its default.' })
export type UpdateChatAgentBody = z.output<typeof UpdateChatAgentBody>

const ChatAgentPath = z.object({ agentId: id().meta({ description: 'The chat agent, `chat_agent_…`.' }) })
const TAG = 'Chat Agents'

export const createChatAgent = defineOperation({
  name: 'createChatAgent',
  method: 'POST',
  path: '/api/chat-agents',
  tag: TAG,
  summary: 'Create a chat agent',
  description: 'Creates version 1, which chats can begin with at once: its id is an `agentId` of a chat.',
  access: 'write',
  workspace: 'body',
  body: CreateChatAgentBody,
  status: 201,
  result: ChatAgentWritten,
  features: ['etag'],
})

export const listChatAgents = defineOperation({
  name: 'listChatAgents',
  method: 'GET',
  path: '/api/chat-agents',
  tag: TAG,
  summary: 'List chat agents',
  description: 'Newest first, each with its newest version.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(ChatAgent),
  features: ['paged'],
})

export const getChatAgent = defineOperation({
  name: 'getChatAgent',
  method: 'GET',
  path: '/api/chat-agents/{agentId}',
  tag: TAG,
  summary: 'Read a chat agent',
  description: 'Answers the active version unless `version` names another.',
  access: 'read',
  workspace: 'query',
  pathParameters: ChatAgentPath,
  query: VersionQuery,
  status: 200,
  result: ChatAgent,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateChatAgent = defineOperation({
  name: 'updateChatAgent',
  method: 'PATCH',
  path: '/api/chat-agents/{agentId}',
  tag: TAG,
  summary: 'Change a chat agent',
  description: 'Edits the newest version while nothing has used it, otherwise makes the next version.',
  access: 'write',
  workspace: 'body',
  pathParameters: ChatAgentPath,
  query: EditedVersionQuery,
  body: UpdateChatAgentBody,
  status: 200,
  result: ChatAgentWritten,
  errors: ['not_found', 'version_frozen', 'version_conflict'],
  features: ['etag'],
})

export const listChatAgentVersions = defineOperation({
  name: 'listChatAgentVersions',
  method: 'GET',
  path: '/api/chat-agents/{agentId}/versions',
  tag: TAG,
  summary: 'List the versions of a chat agent',
  description: 'Newest version first.',
  access: 'read',
  workspace: 'query',
  pathParameters: ChatAgentPath,
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(ChatAgentVersion),
  errors: ['not_found'],
  features: ['paged'],
})

export const deleteChatAgent = defineOperation({
  name: 'deleteChatAgent',
  method: 'DELETE',
  path: '/api/chat-agents/{agentId}',
  tag: TAG,
  summary: 'Delete a chat agent',
  description:
    'Removes the chat agent and all its versions for good. Its ongoing chats are completed, and drafts of LLM ' +
    'configurations lose the tools that name it.',
  access: 'write',
  workspace: 'query',
  pathParameters: ChatAgentPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'version_conflict'],
})

export const publishChatAgent = defineOperation({
  name: 'publishChatAgent',
  method: 'POST',
  path: '/api/chat-agents/{agentId}/publish',
  tag: TAG,
  summary: 'Publish a version of a chat agent',
  description:
    'Marks a version, the newest by default, as published. A published version is never changed again. New chats use ' +
    'the highest published version unless another one was activated.',
  access: 'write',
  workspace: 'body',
  pathParameters: ChatAgentPath,
  body: PublishBody,
  status: 200,
  result: ChatAgent,
  errors: ['not_found', 'version_conflict', 'engine_unavailable'],
  features: ['etag'],
})

export const activateChatAgent = defineOperation({
  name: 'activateChatAgent',
  method: 'POST',
  path: '/api/chat-agents/{agentId}/activate',
  tag: TAG,
  summary: 'Activate a version of a chat agent',
  description:
    'New chats use this version from now on; going back to an earlier one is a rollback. With null the highest ' +
    'published version is used again, or the newest when none was published. Answers the active version.',
  access: 'write',
  workspace: 'body',
  pathParameters: ChatAgentPath,
  body: ActivateAgentBody,
  status: 200,
  result: ChatAgent,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})
