import { z } from 'zod'
import {
  callOutcomeFields,
  sharedSettingFields,
  voiceIdField,
  voiceSettingFields,
} from './agent-settings/agent-setting-fields.ts'
import { bodyEditedVersion, bodyWorkspace, id, integer, versionFields, versionItem, Warnings } from './fields.ts'
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { type ApiPath, defineOperation } from './operation.ts'
import { SPEC_LIST_LIMIT } from './pagination.ts'
import { ResponseEngine, ResponseEngineInput } from './response-engine.ts'
import { defineVersionedOperations } from './versioned-operations.ts'

/** Agents, which combine a voice, a response engine and conversation settings. */

const ENGINE = 'Response engine: an LLM configuration, a conversation flow or your own server.'

/** Response engine in responses and request bodies. */
export const Engine = ResponseEngine.describe(ENGINE)
export const EngineInput = ResponseEngineInput.describe(ENGINE)

/** Response fields of all agents that precede the settings. */
export const agentFields = {
  agent_id: z.string(),
  workspaceId: z.int(),
  version: z.int().describe('Version number, starting at 1.'),
  agent_name: sharedSettingFields.response.agent_name,
}

/** Version fields of all agents that follow the settings in a response. */
export const agentVersionFields = {
  is_active: z.boolean().describe('Whether new conversations use this version.'),
  ...versionFields,
}

export const Agent = defineObject('Agent', {
  ...agentFields,
  ...voiceIdField.response,
  response_engine: Engine,
  responsiveness: z.string().describe('Responsiveness of the LLM configuration, or `balanced` for other engines.'),
  ...voiceSettingFields.response,
  ...callOutcomeFields.response,
  ...sharedSettingFields.response,
  ...agentVersionFields,
})
export type Agent = z.infer<typeof Agent>

export const AgentWritten = Agent.extend({ warnings: Warnings }).meta({ id: 'AgentWritten' })
export type AgentWritten = z.infer<typeof AgentWritten>

export const AgentVersion = defineObject('AgentVersion', { agent_id: z.string(), ...versionItem })
export type AgentVersion = z.infer<typeof AgentVersion>

export const CreateAgentBody = defineObject('CreateAgentBody', {
  workspaceId: bodyWorkspace(),
  response_engine: EngineInput,
  ...voiceIdField.create,
  ...sharedSettingFields.create,
  ...voiceSettingFields.create,
  ...callOutcomeFields.create,
})
export type CreateAgentBody = z.output<typeof CreateAgentBody>

export const UpdateAgentBody = defineDescribedObject('UpdateAgentBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  version: bodyEditedVersion(),
  response_engine: EngineInput.optional(),
  ...voiceIdField.update,
  ...sharedSettingFields.update,
  ...voiceSettingFields.update,
  ...callOutcomeFields.update,
})
export type UpdateAgentBody = z.output<typeof UpdateAgentBody>

/** Body that selects the version for new conversations. */
export const ActivateAgentBody = defineObject('ActivateAgentBody', {
  workspaceId: bodyWorkspace(),
  version: integer(1)
    .nullable()
    .describe(
      'Version that new conversations use. If null, they use the highest published version, or the latest version if none is ' +
        'published.',
    ),
})

/** Defines the operation that selects the version for new conversations. */
export function defineActivateOperation<Path extends z.ZodObject, Result extends z.ZodType>(operation: {
  readonly name: string
  readonly route: `POST ${ApiPath}`
  readonly tag: string
  readonly summary: string
  readonly pathParameters: Path
  readonly result: Result
}) {
  return defineOperation({
    ...operation,
    description:
      'Selects the version that new conversations use. To roll back, activate an earlier version. If `version` is null, they use ' +
      'the highest published version, or the latest version if none is published. Returns the selected version.',
    access: 'write',
    body: ActivateAgentBody,
    errors: ['version_conflict'],
    features: ['etag'],
  })
}

/** Operation descriptions that agents and chat agents share. */
export const AGENT_UPDATE_DESCRIPTION =
  'Updates the latest version if it is neither used nor published. Otherwise, creates the next version.'
export const AGENT_PUBLISH_NOTE =
  'New conversations use the highest published version unless another version is activated.'

const pathParameters = z.object({ agentId: id().describe('ID of the agent (`agent_…`).') })

export const {
  create: createAgent,
  list: listAgents,
  get: getAgent,
  update: updateAgent,
  delete: deleteAgent,
  listVersions: listAgentVersions,
  publish: publishAgent,
} = defineVersionedOperations({
  name: 'Agent',
  noun: 'an agent',
  tag: 'Agents',
  paths: { collection: '/api/agents', item: '/api/agents/{agentId}' },
  pathParameters,
  bodies: { create: CreateAgentBody, update: UpdateAgentBody },
  results: { item: Agent, resource: Agent, written: AgentWritten, version: AgentVersion },
  limits: { list: SPEC_LIST_LIMIT, versions: SPEC_LIST_LIMIT },
  defaultVersion: 'active',
  descriptions: {
    create: 'Creates version 1 of an agent, which can take conversations immediately.',
    update: AGENT_UPDATE_DESCRIPTION,
    delete:
      'Permanently deletes the agent and all its versions. Its ongoing chats end, and drafts of LLM ' +
      'configurations lose the tools that refer to it.',
  },
  publishNote: AGENT_PUBLISH_NOTE,
  errors: { create: ['not_found'], publish: ['engine_unavailable'] },
})

export const activateAgent = defineActivateOperation({
  name: 'activateAgent',
  route: 'POST /api/agents/{agentId}/activate',
  tag: 'Agents',
  summary: 'Activate a version of an agent',
  pathParameters,
  result: Agent,
})
