import { z } from 'zod'
import {
  AGENT_PUBLISH_NOTE,
  AGENT_UPDATE_DESCRIPTION,
  activateOperation,
  agentFields,
  agentVersionFields,
  Engine,
  EngineInput,
} from './agent.ts'
import { chatOutcomeFields, sharedSettingFields } from './agent-settings/agent-setting-fields.ts'
import { bodyEditedVersion, bodyWorkspace, id, versionItem, Warnings } from './fields.ts'
import { describedObject, namedObject, PATCH_DESCRIPTION } from './named-object.ts'
import { EXTENSION_LIST_LIMIT } from './pagination.ts'
import { versionedOperations } from './versioned-operations.ts'

/** Chat agents: a response engine and settings for written conversations. Their versions work like those of agents. */

export const ChatAgent = namedObject('ChatAgent', {
  ...agentFields,
  response_engine: Engine,
  ...chatOutcomeFields.response,
  ...sharedSettingFields.response,
  ...agentVersionFields,
})
export type ChatAgent = z.infer<typeof ChatAgent>

export const ChatAgentWritten = ChatAgent.extend({ warnings: Warnings }).meta({ id: 'ChatAgentWritten' })
export type ChatAgentWritten = z.infer<typeof ChatAgentWritten>

export const ChatAgentVersion = namedObject('ChatAgentVersion', { agent_id: z.string(), ...versionItem })
export type ChatAgentVersion = z.infer<typeof ChatAgentVersion>

export const CreateChatAgentBody = namedObject('CreateChatAgentBody', {
  workspaceId: bodyWorkspace(),
  response_engine: EngineInput,
  ...sharedSettingFields.create,
  ...chatOutcomeFields.create,
})
export type CreateChatAgentBody = z.output<typeof CreateChatAgentBody>

export const UpdateChatAgentBody = describedObject('UpdateChatAgentBody', PATCH_DESCRIPTION, {
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
} = versionedOperations({
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
    create: 'Creates version 1 of a chat agent. Pass its ID as the `agentId` of a chat.',
    update: AGENT_UPDATE_DESCRIPTION,
    delete:
      'Permanently deletes the chat agent and all its versions. Its ongoing chats are completed, and drafts of LLM ' +
      'configurations lose the tools that refer to it.',
  },
  publishNote: AGENT_PUBLISH_NOTE,
  errors: { publish: ['engine_unavailable'] },
})

export const activateChatAgent = activateOperation({
  name: 'activateChatAgent',
  route: 'POST /api/chat-agents/{agentId}/activate',
  tag: 'Chat Agents',
  summary: 'Activate a version of a chat agent',
  pathParameters,
  result: ChatAgent,
})
