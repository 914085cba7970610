import { z } from 'zod'
import {
  afterwardsFields,
  callAnalysisFields,
  changedAfterwards,
  changedVoiceAfterwards,
  newAfterwards,
  newVoiceAfterwards,
} from './agent-afterwards.ts'
import {
  bodyEditedVersion,
  bodyWorkspace,
  clearable,
  EditedVersionQuery,
  id,
  integer,
  label,
  orDefault,
  PublishBody,
  Timezone,
  text,
  VersionQuery,
  versionFields,
  versionItem,
  Warnings,
  WorkspaceQuery,
  wordOrDecimal,
} from './fields.ts'
import { ModelName } from './model-name.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPECIFIED_LIST_LIMIT } from './pagination.ts'
import { ResponseEngine, ResponseEngineInput } from './response-engine.ts'
import { changedVoiceSettings, newVoiceSettings, voiceSettingsFields } from './voice-settings.ts'

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

const AGENT_NAME = { description: 'Name to know it by; no model is told it.' }
const ENGINE = {
  description: 'What it answers with: an LLM configuration, a conversation flow or a server of your own.',
}
const LANGUAGE = {
  description: 'Language of the speech, as a tag such as `en-US`. No model is told it: prompts say what to write in.',
}
const TIMEZONE = { description: 'IANA time zone of `{{current_time}}`, `{{current_hour}}` and `{{current_calendar}}`.' }
const FALLBACK_MODELS = {
  description: 'Models to try in this order when that of the engine fails: `provider/model` or bare names.',
}
const FALLBACK_MESSAGE = {
  description: 'Said when every model fails; may hold `{{variables}}`. Null: the request for an answer fails then.',
}

/** The engine of an agent of any kind, as answers carry it. */
export const Engine = ResponseEngine.meta(ENGINE)

/** What answers tell of every kind of agent. */
export const conversationFields = {
  language: z.string().meta(LANGUAGE),
  timezone: z.string().meta(TIMEZONE),
  fallback_models: z.array(z.string()).meta(FALLBACK_MODELS),
  fallback_message: z.string().nullable().meta(FALLBACK_MESSAGE),
  ...afterwardsFields,
  is_active: z.boolean().meta({ description: 'New conversations start with this version.' }),
  ...versionFields,
}

/** What answers tell of an agent of any kind before its settings. */
export const agentFields = {
  agent_id: z.string(),
  workspaceId: z.int(),
  version: z.int().meta({ description: 'Counts from 1.' }),
  agent_name: z.string().meta(AGENT_NAME),
}

const VOICE_ID = { description: 'A `voiceId` of the catalogue of the workspace: the voice of its calls.' }
const RESPONSE_THRESHOLD = { description: 'Milliseconds of silence before the agent answers in calls.' }
const INTERRUPTION_SENSITIVITY = {
  description:
    'How easily a caller interrupts the agent: `none` (never), `low`, `medium`, `high` or a decimal from 0 to 1.',
}
const AMBIENT_SOUND = { description: 'Background sound of calls.' }
const MAX_CALL_DURATION = { description: 'Milliseconds after which a call is ended; 3600000, an hour, by default.' }

export const Agent = z
  .object({
    ...agentFields,
    voice_id: z.string().meta(VOICE_ID),
    response_engine: Engine,
    response_threshold: z.int().meta(RESPONSE_THRESHOLD),
    interruption_sensitivity: z.string().meta(INTERRUPTION_SENSITIVITY),
    ambient_sound: z.enum(AMBIENT_SOUNDS).meta(AMBIENT_SOUND),
    responsiveness: z.string().meta({ description: 'That of the LLM configuration; `fast` with other engines.' }),
    max_call_duration_ms: z.int().meta(MAX_CALL_DURATION),
    ...voiceSettingsFields,
    ...callAnalysisFields,
    ...conversationFields,
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

export const AgentWritten = Agent.extend({ warnings: Warnings }).meta({ id: 'AgentWritten' })
export type AgentWritten = z.infer<typeof AgentWritten>

export const AgentVersion = z.object({ agent_id: z.string(), ...versionItem }).meta({ id: 'AgentVersion' })
export type AgentVersion = z.infer<typeof AgentVersion>

const AgentName = label().meta(AGENT_NAME)
const Language = z
  .string()
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/, 'must be a language tag such as "en-US"')
  .meta(LANGUAGE)
const AgentTimezone = Timezone.meta(TIMEZONE)
const FallbackModels = z.array(ModelName).max(5).meta(FALLBACK_MODELS)
const FallbackMessage = text(8 * 1024)
  .nullable()
  .meta(FALLBACK_MESSAGE)

/** The engine of an agent of any kind, as bodies carry it. */
export const EngineInput = ResponseEngineInput.meta(ENGINE)

/** Settings of a conversation with any kind of agent, as the bodies that create one carry them. */
export const newConversationSettings = {
  agent_name: orDefault(AgentName, () => AGENT_DEFAULTS.agent_name),
  language: orDefault(Language, () => AGENT_DEFAULTS.language),
  timezone: orDefault(AgentTimezone, () => AGENT_DEFAULTS.timezone),
  fallback_models: orDefault(FallbackModels, () => []),
  fallback_message: FallbackMessage.default(null),
  ...newAfterwards,
}

/** The same settings as PATCH bodies carry them. */
export const changedConversationSettings = {
  agent_name: clearable(AgentName, () => AGENT_DEFAULTS.agent_name),
  language: clearable(Language, () => AGENT_DEFAULTS.language),
  timezone: clearable(AgentTimezone, () => AGENT_DEFAULTS.timezone),
  fallback_models: clearable(FallbackModels, () => []),
  fallback_message: FallbackMessage.optional(),
  ...changedAfterwards,
}

const settings = {
  voice_id: id().meta(VOICE_ID),
  response_threshold: integer(0, 5_000).meta(RESPONSE_THRESHOLD),
  interruption_sensitivity: wordOrDecimal(['none', 'low', 'medium', 'high']).meta(INTERRUPTION_SENSITIVITY),
  ambient_sound: z.enum(AMBIENT_SOUNDS).meta(AMBIENT_SOUND),
  max_call_duration_ms: integer(60_000, 7_200_000).meta(MAX_CALL_DURATION),
}

export const CreateAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    response_engine: EngineInput,
    voice_id: settings.voice_id,
    ...newConversationSettings,
    response_threshold: orDefault(settings.response_threshold, () => AGENT_DEFAULTS.response_threshold),
    interruption_sensitivity: orDefault(
      settings.interruption_sensitivity,
      () => AGENT_DEFAULTS.interruption_sensitivity,
    ),
    ambient_sound: orDefault(settings.ambient_sound, () => AGENT_DEFAULTS.ambient_sound),
    ...newVoiceSettings,
    ...newVoiceAfterwards,
  })
  .meta({ id: 'CreateAgentBody' })
export type CreateAgentBody = z.output<typeof CreateAgentBody>

export const UpdateAgentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: bodyEditedVersion(),
    response_engine: EngineInput.optional(),
    voice_id: settings.voice_id.optional(),
    ...changedConversationSettings,
    response_threshold: clearable(settings.response_threshold, () => AGENT_DEFAULTS.response_threshold),
    interruption_sensitivity: clearable(
      settings.interruption_sensitivity,
      () => AGENT_DEFAULTS.interruption_sensitivity,
    ),
    ambient_sound: clearable(settings.ambient_sound, () => AGENT_DEFAULTS.ambient_sound),
    max_call_duration_ms: clearable(settings.max_call_duration_ms, () => AGENT_DEFAULTS.max_call_duration_ms),
    ...changedVoiceSettings,
    ...changedVoiceAfterwards,
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
