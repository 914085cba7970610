import { z } from 'zod'
import {
  callOutcomeFields,
  sharedSettingFields,
  voiceIdField,
  voiceSettingFields,
} from './agent-settings/agent-setting-fields.ts'
import {
  bodyEditedVersion,
  bodyWorkspace,
  EditedVersionQuery,
  id,
  integer,
  PublishBody,
  VersionQuery,
  versionFields,
  versionItem,
  Warnings,
  WorkspaceQuery,
} from './fields.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPEC_LIST_LIMIT } from './pagination.ts'
import { ResponseEngine, ResponseEngineInput } from './response-engine.ts'

/** Agents: a voice, a response engine and how they behave in a conversation. */

const ENGINE = {
  description: 'What it answers with: an LLM configuration, a conversation flow or a server of your own.',
}

/** The engine of an agent of any kind, as answers and as bodies carry it. */
export const Engine = ResponseEngine.meta(ENGINE)
export const EngineInput = ResponseEngineInput.meta(ENGINE)

/** What answers say of an agent of any kind before its settings. */
export const agentFields = {
  agent_id: z.string(),
  workspaceId: z.int(),
  version: z.int().meta({ description: 'Counts from 1.' }),
  agent_name: sharedSettingFields.response.agent_name,
}

/** What answers say of the version of an agent of any kind, behind its settings. */
export const agentVersionFields = {
  is_active: z.boolean().meta({ description: 'New conversations start with this version.' }),
  ...versionFields,
}

export const Agent = z
  .object({
    ...agentFields,
    ...voiceIdField.response,
    response_engine: Engine,
    responsiveness: z.string().meta({ description: 'That of the LLM configuration; `fast` with other engines.' }),
    ...voiceSettingFields.response,
    ...callOutcomeFields.response,
    ...sharedSettingFields.response,
    ...agentVersionFields,
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentWritten = Agent.extend({ warnings: Warnings }).meta({ id: 'AgentWritten' })
export type AgentWritten = z.infer<typeof AgentWritten>

export const AgentVersion = z.object({ agent_id: z.string(), ...versionItem }).meta({ id: 'AgentVersion' })
export type AgentVersion = z.infer<typeof AgentVersion>

export const CreateAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    response_engine: EngineInput,
    ...voiceIdField.create,
    ...sharedSettingFields.create,
    ...voiceSettingFields.create,
    ...callOutcomeFields.create,
  })
  .meta({ id: 'CreateAgentBody' })
export type CreateAgentBody = z.output<typeof CreateAgentBody>

export const UpdateAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: bodyEditedVersion(),
    response_engine: EngineInput.optional(),
    ...voiceIdField.update,
    ...sharedSettingFields.update,
    ...voiceSettingFields.update,
    ...callOutcomeFields.update,
  })
  .meta({ id: 'UpdateAgentBody', description: 'Absent fields stay as they are, null returns one to its default.' })
export type UpdateAgentBody = z.output<typeof UpdateAgentBody>

/** Moves the active pointer, or clears it with null. */
export const ActivateAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: integer(1).nullable().meta({
      description: 'Version that new conversations begin with; null: the highest published one, else the newest.',
    }),
  })
  .meta({ id: 'ActivateAgentBody' })

const AgentPath = z.object({ agentId: id().meta({ description: 'The agent, `agent_…`.' }) })
const TAG = 'Agents'

export const createAgent = defineOperation({
  name: 'createAgent',
  method: 'POST',
  path: '/api/agents',
  tag: TAG,
  summary: 'Create an agent',
  description: 'Creates version 1, which can be talked to at once.',
  access: 'write',
  workspace: 'body',
  body: CreateAgentBody,
  status: 201,
  result: AgentWritten,
  errors: ['not_found'],
  features: ['etag'],
})

export const listAgents = defineOperation({
  name: 'listAgents',
  method: 'GET',
  path: '/api/agents',
  tag: TAG,
  summary: 'List agents',
  description: 'Newest first, each with its newest version.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(SPEC_LIST_LIMIT),
  status: 200,
  result: z.array(Agent),
  features: ['paged'],
})

export const getAgent = defineOperation({
  name: 'getAgent',
  method: 'GET',
  path: '/api/agents/{agentId}',
  tag: TAG,
  summary: 'Read an agent',
  description: 'Answers the active version unless `version` names another.',
  access: 'read',
  workspace: 'query',
  pathParameters: AgentPath,
  query: VersionQuery,
  status: 200,
  result: Agent,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateAgent = defineOperation({
  name: 'updateAgent',
  method: 'PATCH',
  path: '/api/agents/{agentId}',
  tag: TAG,
  summary: 'Change an agent',
  description: 'Edits the newest version while nothing has used it, otherwise makes the next version.',
  access: 'write',
  workspace: 'body',
  pathParameters: AgentPath,
  query: EditedVersionQuery,
  body: UpdateAgentBody,
  status: 200,
  result: AgentWritten,
  errors: ['not_found', 'version_frozen', 'version_conflict'],
  features: ['etag'],
})

export const listAgentVersions = defineOperation({
  name: 'listAgentVersions',
  method: 'GET',
  path: '/api/agents/{agentId}/versions',
  tag: TAG,
  summary: 'List the versions of an agent',
  description: 'Newest version first.',
  access: 'read',
  workspace: 'query',
  pathParameters: AgentPath,
  query: pagingQuery(SPEC_LIST_LIMIT),
  status: 200,
  result: z.array(AgentVersion),
  errors: ['not_found'],
  features: ['paged'],
})

export const deleteAgent = defineOperation({
  name: 'deleteAgent',
  method: 'DELETE',
  path: '/api/agents/{agentId}',
  tag: TAG,
  summary: 'Delete an agent',
  description:
    'Removes the agent and all its versions for good. Its ongoing chats are completed, and drafts of LLM configurations ' +
    'lose the tools that name it.',
  access: 'write',
  workspace: 'query',
  pathParameters: AgentPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'version_conflict'],
})

export const publishAgent = defineOperation({
  name: 'publishAgent',
  method: 'POST',
  path: '/api/agents/{agentId}/publish',
  tag: TAG,
  summary: 'Publish a version of an agent',
  description:
    'Marks a version, the newest by default, as published. A published version is never changed again. New ' +
    'conversations use the highest published version unless another one was activated.',
  access: 'write',
  workspace: 'body',
  pathParameters: AgentPath,
  body: PublishBody,
  status: 200,
  result: Agent,
  errors: ['not_found', 'version_conflict', 'engine_unavailable'],
  features: ['etag'],
})

export const activateAgent = defineOperation({
  name: 'activateAgent',
  method: 'POST',
  path: '/api/agents/{agentId}/activate',
  tag: TAG,
  summary: 'Activate a version of an agent',
  description:
    'New conversations use this version from now on; going back to an earlier one is a rollback. With null the ' +
    'highest published version is used again, or the newest when none was published. Answers the active version.',
  access: 'write',
  workspace: 'body',
  pathParameters: AgentPath,
  body: ActivateAgentBody,
  status: 200,
  result: Agent,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})
