import { z } from 'zod'
import {
  callOutcomeFields,
  sharedSettingFields,
  voiceIdField,
  voiceSettingFields,
} from './agent-settings/agent-setting-fields.ts'
import { bodyEditedVersion, bodyWorkspace, id, integer, versionFields, versionItem, Warnings } from './fields.ts'
import { describedObject, namedObject, PATCH_DESCRIPTION } from './named-object.ts'
import { type ApiPath, defineOperation } from './operation.ts'
import { SPEC_LIST_LIMIT } from './pagination.ts'
import { ResponseEngine, ResponseEngineInput } from './response-engine.ts'
import { versionedOperations } from './versioned-operations.ts'

/** Agents: a voice, a response engine and conversation settings. */

const ENGINE = 'Response engine: an LLM configuration, a conversation flow or your own server.'

/** The engine of any agent in a response and in a body. */
export const Engine = ResponseEngine.describe(ENGINE)
export const EngineInput = ResponseEngineInput.describe(ENGINE)

/** Fields of any agent in a response, before its settings. */
export const agentFields = {
  agent_id: z.string(),
  workspaceId: z.int(),
  version: z.int().describe('Version number, starting at 1.'),
  agent_name: sharedSettingFields.response.agent_name,
}

/** Version fields of any agent in a response, after its settings. */
export const agentVersionFields = {
  is_active: z.boolean().describe('Whether new conversations use this version.'),
  ...versionFields,
}

export const Agent = namedObject('Agent', {
  ...agentFields,
  ...voiceIdField.response,
  response_engine: Engine,
  responsiveness: z.string().describe('Responsiveness of the LLM configuration; `fast` for other engines.'),
  ...voiceSettingFields.response,
  ...callOutcomeFields.response,
  ...sharedSettingFields.response,
  ...agentVersionFields,
})
export type Agent = z.infer<typeof Agent>

export const AgentWritten = Agent.extend({ warnings: Warnings }).meta({ id: 'AgentWritten' })
export type AgentWritten = z.infer<typeof AgentWritten>

export const AgentVersion = namedObject('AgentVersion', { agent_id: z.string(), ...versionItem })
export type AgentVersion = z.infer<typeof AgentVersion>

export const CreateAgentBody = namedObject('CreateAgentBody', {
  workspaceId: bodyWorkspace(),
  response_engine: EngineInput,
  ...voiceIdField.create,
  ...sharedSettingFields.create,
  ...voiceSettingFields.create,
  ...callOutcomeFields.create,
})
export type CreateAgentBody = z.output<typeof CreateAgentBody>

export const UpdateAgentBody = describedObject('UpdateAgentBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  version: bodyEditedVersion(),
  response_engine: EngineInput.optional(),
  ...voiceIdField.update,
  ...sharedSettingFields.update,
  ...voiceSettingFields.update,
  ...callOutcomeFields.update,
})
export type UpdateAgentBody = z.output<typeof UpdateAgentBody>

/** Selects the version for new conversations. */
export const ActivateAgentBody = namedObject('ActivateAgentBody', {
  workspaceId: bodyWorkspace(),
  version: integer(1)
    .nullable()
    .describe(
      'Version for new conversations. If null, the highest published version is used, or the latest if none is ' +
        'published.',
    ),
})

/** The operation that selects the version for new conversations. */
export function activateOperation<Path extends z.ZodObject, Result extends z.ZodType>(operation: {
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
      'Uses a version for all new conversations; activate an earlier version to roll back. With null, new conversations use ' +
      'the highest published version, or the latest version if none is published. Returns the version in use.',
    access: 'write',
    body: ActivateAgentBody,
    errors: ['version_conflict'],
    features: ['etag'],
  })
}

/** Descriptions of the operations of agents of any kind. */
export const AGENT_UPDATE_DESCRIPTION =
  'Changes the latest version if it has been neither used nor published; otherwise creates the next version.'
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
} = versionedOperations({
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
      'Permanently deletes the agent and all its versions. Its ongoing chats are completed, and drafts of LLM ' +
      'configurations lose the tools that refer to it.',
  },
  publishNote: AGENT_PUBLISH_NOTE,
  errors: { create: ['not_found'], publish: ['engine_unavailable'] },
})

export const activateAgent = activateOperation({
  name: 'activateAgent',
  route: 'POST /api/agents/{agentId}/activate',
  tag: 'Agents',
  summary: 'Activate a version of an agent',
  pathParameters,
  result: Agent,
})
