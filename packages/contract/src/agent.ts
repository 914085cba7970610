import { z } from 'zod'
import {
  bodyWorkspace,
  clearable,
  DateTime,
  id,
  integer,
  label,
  orDefault,
  PublishBody,
  queryInteger,
  Timezone,
  text,
  VersionQuery,
  versionItem,
  versionNotes,
  Warnings,
  WorkspaceQuery,
  wordOrDecimal,
} from './fields.ts'
import { ModelName } from './model-name.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPECIFIED_LIST_LIMIT } from './pagination.ts'
import { ResponseEngine, ResponseEngineInput } from './response-engine.ts'

/** Agents: a voice, a response engine and how they behave in a conversation. */

export const AMBIENT_SOUNDS = [
  'none',
  'coffee-shop',
  'convention-hall',
  'summer-outdoor',
  'mountain-outdoor',
  'static-noise',
  'call-center',
] as const

/** What an agent has when its creator said nothing. */
export const AGENT_DEFAULTS = {
  agent_name: '',
  response_threshold: 400,
  interruption_sensitivity: 'high',
  ambient_sound: 'none',
  max_call_duration_ms: 3_600_000,
  language: 'en-US',
  timezone: 'UTC',
} as const

/** What answers tell of every kind of agent. */
export const conversationFields = {
  language: z.string(),
  timezone: z.string().meta({ description: 'IANA time zone of `{{current_time}}`.' }),
  fallback_models: z.array(z.string()).meta({ description: 'Models to try when the engine’s own fails, in order.' }),
  fallback_message: z.string().nullable().meta({ description: 'Said when every model fails.' }),
  is_published: z.boolean(),
  is_frozen: z.boolean().meta({ description: 'Used or published: the next PATCH makes a new version.' }),
  is_active: z.boolean().meta({ description: 'New conversations start with this version.' }),
  ...versionNotes,
  created_at: DateTime,
  updated_at: DateTime,
}

export const Agent = z
  .object({
    agent_id: z.string(),
    workspaceId: z.int(),
    version: z.int(),
    agent_name: z.string(),
    voice_id: z.string(),
    response_engine: ResponseEngine,
    response_threshold: z.int().meta({ description: 'Milliseconds of silence before the agent answers.' }),
    interruption_sensitivity: z
      .string()
      .meta({ description: '`none`, `low`, `medium`, `high` or a decimal from 0 to 1; `none` is never interrupted.' }),
    ambient_sound: z.enum(AMBIENT_SOUNDS),
    responsiveness: z.string().meta({ description: 'The response engine’s value.' }),
    max_call_duration_ms: z.int(),
    ...conversationFields,
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentWritten = Agent.extend({ warnings: Warnings }).meta({ id: 'AgentWritten' })
export type AgentWritten = z.infer<typeof AgentWritten>

export const AgentVersion = z.object({ agent_id: z.string(), ...versionItem }).meta({ id: 'AgentVersion' })
export type AgentVersion = z.infer<typeof AgentVersion>

const Language = z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/, 'must be a language tag such as "en-US"')
const FallbackModels = z.array(ModelName).max(5)
const FallbackMessage = text(8 * 1024).nullable()

/** Settings of a conversation with any kind of agent, as the bodies that create one carry them. */
export const newConversationSettings = {
  agent_name: orDefault(label(), () => AGENT_DEFAULTS.agent_name),
  language: orDefault(Language, () => AGENT_DEFAULTS.language),
  timezone: orDefault(Timezone, () => AGENT_DEFAULTS.timezone),
  fallback_models: orDefault(FallbackModels, () => []),
  fallback_message: FallbackMessage.default(null),
}

/** The same settings as PATCH bodies carry them. */
export const changedConversationSettings = {
  agent_name: clearable(label(), () => AGENT_DEFAULTS.agent_name),
  language: clearable(Language, () => AGENT_DEFAULTS.language),
  timezone: clearable(Timezone, () => AGENT_DEFAULTS.timezone),
  fallback_models: clearable(FallbackModels, () => []),
  fallback_message: FallbackMessage.optional(),
}

const settings = {
  response_threshold: integer(0, 5_000),
  interruption_sensitivity: wordOrDecimal(['none', 'low', 'medium', 'high']),
  ambient_sound: z.enum(AMBIENT_SOUNDS),
}

export const CreateAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    response_engine: ResponseEngineInput,
    voice_id: id(),
    ...newConversationSettings,
    response_threshold: orDefault(settings.response_threshold, () => AGENT_DEFAULTS.response_threshold),
    interruption_sensitivity: orDefault(
      settings.interruption_sensitivity,
      () => AGENT_DEFAULTS.interruption_sensitivity,
    ),
    ambient_sound: orDefault(settings.ambient_sound, () => AGENT_DEFAULTS.ambient_sound),
  })
  .meta({ id: 'CreateAgentBody' })
export type CreateAgentBody = z.output<typeof CreateAgentBody>

export const UpdateAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: integer(1).optional().meta({ description: 'Version to edit; the newest when absent.' }),
    response_engine: ResponseEngineInput.optional(),
    voice_id: id().optional(),
    ...changedConversationSettings,
    response_threshold: clearable(settings.response_threshold, () => AGENT_DEFAULTS.response_threshold),
    interruption_sensitivity: clearable(
      settings.interruption_sensitivity,
      () => AGENT_DEFAULTS.interruption_sensitivity,
    ),
    ambient_sound: clearable(settings.ambient_sound, () => AGENT_DEFAULTS.ambient_sound),
    max_call_duration_ms: clearable(integer(60_000, 7_200_000), () => AGENT_DEFAULTS.max_call_duration_ms),
  })
  .meta({ id: 'UpdateAgentBody', description: 'Absent fields stay as they are, null returns one to its default.' })
export type UpdateAgentBody = z.output<typeof UpdateAgentBody>

/** Moves the active pointer, or clears it with null. */
export const ActivateAgentBody = z
  .object({ workspaceId: bodyWorkspace(), version: integer(1).nullable() })
  .meta({ id: 'ActivateAgentBody' })

const AgentPath = z.object({ agentId: id() })
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
  query: pagingQuery(SPECIFIED_LIST_LIMIT),
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
  query: z.object({ version: queryInteger(1, 2_147_483_647).optional() }),
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
  query: pagingQuery(SPECIFIED_LIST_LIMIT),
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
