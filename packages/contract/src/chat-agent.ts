import { z } from 'zod'
import {
  AGENT_PUBLISH_NOTE,
  AGENT_UPDATE_DESCRIPTION,
  agentFields,
  agentVersionFields,
  defineActivateOperation,
  Engine,
  EngineInput,
} from './agent.ts'
import { chatOutcomeFields, sharedSettingFields } from './agent-settings/agent-setting-fields.ts'
import { bodyEditedVersion, bodyWorkspace, id, versionItem, Warnings } from './fields.ts'
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { EXTENSION_LIST_LIMIT } from './pagination.ts'
import { defineVersionedOperations } from './versioned-operations.ts'

/** Chat agents: a response engine and settings for written conversations. They are versioned like agents with a voice. */

export const ChatAgent = defineObject('ChatAgent', {
  ...agentFields,
  response_engine: Engine,
  ...chatOutcomeFields.response,
  ...sharedSettingFields.response,
  ...agentVersionFields,
})
export type ChatAgent = z.infer<typeof ChatAgent>

export const ChatAgentWritten = ChatAgent.extend({ warnings: Warnings }).meta({ id: 'ChatAgentWritten' })
export type ChatAgentWritten = z.infer<typeof ChatAgentWritten>

export const ChatAgentVersion = defineObject('ChatAgentVersion', { agent_id: z.string(), ...versionItem })
export type ChatAgentVersion = z.infer<typeof ChatAgentVersion>

export const CreateChatAgentBody = defineObject('CreateChatAgentBody', {
  workspaceId: bodyWorkspace(),
  response_engine: EngineInput,
  ...sharedSettingFields.create,
  ...chatOutcomeFields.create,
})
export type CreateChatAgentBody = z.output<typeof CreateChatAgentBody>

export const UpdateChatAgentBody = defineDescribedObject('UpdateChatAgentBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  version: bodyEditedVersion(),
  response_engine: EngineInput.optional(),
  ...sharedSettingFields.update,
  ...chatOutcomeFields.update,
})
export type UpdateChatAgentBody = z.output<typeof UpdateChatAgentBody>

const pathParameters = z.object({ agentId: id().describe('ID of the chat agent (`chat_agent_…`).') })

export const {
  create: createChatAgent,
  list: listChatAgents,
  get: getChatAgent,
  update: updateChatAgent,
  delete: deleteChatAgent,
  listVersions: listChatAgentVersions,
  publish: publishChatAgent,
} = defineVersionedOperations({
  name: 'ChatAgent',
  noun: 'a chat agent',
  tag: 'Chat Agents',
  paths: { collection: '/api/chat-agents', item: '/api/chat-agents/{agentId}' },
  pathParameters,
  bodies: { create: CreateChatAgentBody, update: UpdateChatAgentBody },
  results: { item: ChatAgent, resource: ChatAgent, written: ChatAgentWritten, version: ChatAgentVersion },
  limits: { list: EXTENSION_LIST_LIMIT, versions: EXTENSION_LIST_LIMIT },
  defaultVersion: 'active',
  descriptions: {
    create: 'Creates version 1 of a chat agent. To start a chat, pass the agent’s ID as `agentId`.',
    update: AGENT_UPDATE_DESCRIPTION,
    delete:
      'Permanently deletes the chat agent and all its versions. Its ongoing chats end, and drafts of LLM ' +
      'configurations lose the tools that refer to it.',
  },
  publishNote: AGENT_PUBLISH_NOTE,
  errors: { publish: ['engine_unavailable'] },
})

export const activateChatAgent = defineActivateOperation({
  name: 'activateChatAgent',
  route: 'POST /api/chat-agents/{agentId}/activate',
  tag: 'Chat Agents',
  summary: 'Activate a version of a chat agent',
  pathParameters,
  result: ChatAgent,
})
