import { z } from 'zod'
import {
  bodyEditedVersion,
  bodyWorkspace,
  clearable,
  EditedVersionQuery,
  enumOrDecimal,
  id,
  integer,
  label,
  orDefault,
  PROMPT_LIMIT_BYTES,
  PublishBody,
  StringMap,
  text,
  Variables,
  VersionQuery,
  versionFields,
  versionItem,
  Warnings,
  WorkspaceQuery,
} from './fields.ts'
import { completeKbConfig, KbConfig, KbConfigInput, KNOWLEDGE_BASE_IDS, KnowledgeBaseIds } from './knowledge-use.ts'
import { LlmState, LlmStateList } from './llm-state.ts'
import { McpServerList, McpServerSetting } from './mcp-server.ts'
import { ModelName } from './model-name.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery, SPEC_LIST_LIMIT } from './pagination.ts'
import { secretsFrom } from './secrets-from.ts'
import { Tool, ToolList } from './tools.ts'

/** LLM configurations: prompt, model and tools that agents answer with. */

/** Prompts and tools need more room than other bodies. */
export const LLM_BODY_LIMIT_BYTES = 4 * 1024 * 1024

const DISPLAY_NAME = { description: 'Name to know it by; no model is told it.' }
const GENERAL_PROMPT = { description: 'Instructions for the model; may hold `{{variables}}`. Blank: a general prompt.' }
const BEGIN_MESSAGE = {
  description:
    'First words of the agent; may hold `{{variables}}`. "": the user begins. Null, never set: the user begins in chats, ' +
    'the model in calls.',
}
const SILENCE = {
  description:
    'Milliseconds: in a call that the user shall begin, the agent does after so long a silence; null waits without an end.',
}
const TEMPERATURE = { description: '0 to 1, how freely the model words its answers; null leaves it to the model.' }
const STATES = {
  description:
    'Parts of the conversation, each with a prompt and tools of its own beside the general ones; none: the general ones ' +
    'are all there is.',
}
const STARTING_STATE = { description: 'Name of the state that a conversation begins in; null: the first.' }
const MCPS = { description: 'MCP servers that tools name by `mcp_id` or name.' }
const DEFAULT_VARIABLES = {
  description: 'Values of `{{variables}}` for conversations that are not given any of that name.',
}

export const LlmSummary = z
  .object({
    llm_id: z.string(),
    display_name: z.string().meta(DISPLAY_NAME),
    version: z.int().meta({ description: 'The newest.' }),
  })
  .meta({ id: 'LlmSummary' })
export type LlmSummary = z.infer<typeof LlmSummary>

export const Llm = z
  .object({
    llm_id: z.string(),
    workspaceId: z.int(),
    display_name: z.string().meta(DISPLAY_NAME),
    version: z.int().meta({ description: 'Counts from 1.' }),
    model: z.string().meta({ description: 'Model in use: `provider/model` or a bare name.' }),
    model_temperature: z.number().nullable().meta(TEMPERATURE),
    general_prompt: z.string().meta(GENERAL_PROMPT),
    begin_message: z.string().nullable().meta(BEGIN_MESSAGE),
    begin_after_user_silence_ms: z.int().nullable().meta(SILENCE),
    responsiveness: z.string().meta({ description: '`slow`, `balanced`, `fast` or a decimal from 0 to 1.' }),
    general_tools: z.array(Tool).meta({ description: 'Tools that the model may use.' }),
    states: z.array(LlmState).meta(STATES),
    starting_state: z.string().nullable().meta(STARTING_STATE),
    mcps: z.array(McpServerSetting).meta(MCPS),
    knowledge_base_ids: z.array(z.string()).meta(KNOWLEDGE_BASE_IDS),
    kb_config: KbConfig,
    default_dynamic_variables: StringMap.meta(DEFAULT_VARIABLES),
    ...versionFields,
  })
  .meta({ id: 'Llm' })
export type Llm = z.infer<typeof Llm>

export const LlmWritten = Llm.extend({ warnings: Warnings }).meta({ id: 'LlmWritten' })
export type LlmWritten = z.infer<typeof LlmWritten>

export const LlmVersion = z.object({ llm_id: z.string(), ...versionItem }).meta({ id: 'LlmVersion' })
export type LlmVersion = z.infer<typeof LlmVersion>

/** How fast the agent answers. */
export const Responsiveness = enumOrDecimal(['slow', 'balanced', 'fast']).meta({
  description: 'How fast the agent answers in calls: `slow`, `balanced`, `fast` or a decimal from 0 to 1.',
})

const DisplayName = label().meta(DISPLAY_NAME)
const Model = ModelName.meta({
  description:
    '`provider/model` or a bare name. Null, or absent at the creation: the default model of the server then.',
})
const GeneralPrompt = text(PROMPT_LIMIT_BYTES).meta({ description: `${GENERAL_PROMPT.description} At most 128 KiB.` })
const BeginMessage = text(32 * 1024).meta({ description: `${BEGIN_MESSAGE.description} At most 32 KiB.` })
const SilenceMs = integer(0, 3_600_000).meta(SILENCE)
const Temperature = z.number().min(0).max(1).meta(TEMPERATURE)
const GeneralTools = ToolList.meta({ description: 'Tools that the model may use, each name once: the complete list.' })
const States = LlmStateList.meta({
  description: `${STATES.description} The complete list, each name once; edges lead to states of the list.`,
})
const StartingState = z.string().min(1).max(50).meta(STARTING_STATE)
const McpServers = McpServerList.meta({ description: `${MCPS.description} The complete list, each name and id once.` })
const KnowledgeBases = KnowledgeBaseIds.meta({ description: `${KNOWLEDGE_BASE_IDS.description} The complete list.` })
const DefaultVariables = Variables.meta({
  description: `${DEFAULT_VARIABLES.description} The complete set; numbers and booleans become text.`,
})

export const CreateLlmBody = z
  .object({
    workspaceId: bodyWorkspace(),
    display_name: orDefault(DisplayName, () => ''),
    model: Model.nullable().optional(),
    model_temperature: Temperature.nullable().default(null),
    general_prompt: orDefault(GeneralPrompt, () => ''),
    begin_message: BeginMessage.nullable().default(null),
    begin_after_user_silence_ms: SilenceMs.nullable().default(null),
    responsiveness: orDefault(Responsiveness, () => 'fast'),
    general_tools: orDefault(GeneralTools, () => []),
    states: orDefault(States, () => []),
    starting_state: StartingState.nullable().default(null),
    mcps: orDefault(McpServers, () => []),
    knowledge_base_ids: orDefault(KnowledgeBases, () => []),
    kb_config: orDefault(KbConfigInput, () => completeKbConfig({})),
    default_dynamic_variables: orDefault(DefaultVariables, () => ({})),
    secrets_from: secretsFrom(),
  })
  .meta({ id: 'CreateLlmBody' })
export type CreateLlmBody = z.output<typeof CreateLlmBody>

export const UpdateLlmBody = z
  .object({
    workspaceId: bodyWorkspace(),
    version: bodyEditedVersion(),
    display_name: clearable(DisplayName, () => ''),
    model: Model.nullable().optional(),
    model_temperature: Temperature.nullable().optional(),
    general_prompt: clearable(GeneralPrompt, () => ''),
    begin_message: BeginMessage.nullable().optional(),
    begin_after_user_silence_ms: SilenceMs.nullable().optional(),
    responsiveness: clearable(Responsiveness, () => 'fast'),
    general_tools: clearable(GeneralTools, () => []),
    states: clearable(States, () => []),
    starting_state: StartingState.nullable().optional(),
    mcps: clearable(McpServers, () => []),
    knowledge_base_ids: clearable(KnowledgeBases, () => []),
    kb_config: clearable(KbConfigInput, () => completeKbConfig({})),
    default_dynamic_variables: clearable(DefaultVariables, () => ({})),
  })
  .meta({ id: 'UpdateLlmBody', description: 'Absent fields stay as they are, null returns one to its default.' })
export type UpdateLlmBody = z.output<typeof UpdateLlmBody>

const LlmPath = z.object({ llmId: id().meta({ description: 'The LLM configuration, `llm_…`.' }) })
const TAG = 'LLM Models'

export const listLlms = defineOperation({
  name: 'listLlms',
  method: 'GET',
  path: '/api/v1/llms',
  tag: TAG,
  summary: 'List LLM configurations',
  description: 'Newest first, each with its newest version.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(SPEC_LIST_LIMIT),
  status: 200,
  result: z.array(LlmSummary),
  features: ['paged'],
})

export const createLlm = defineOperation({
  name: 'createLlm',
  method: 'POST',
  path: '/api/v1/llms',
  tag: TAG,
  summary: 'Create an LLM configuration',
  description: 'Creates version 1, which agents can use at once. Everything but the workspace has a default.',
  access: 'write',
  workspace: 'body',
  body: CreateLlmBody,
  bodyLimitBytes: LLM_BODY_LIMIT_BYTES,
  status: 201,
  result: LlmWritten,
  features: ['etag'],
})

export const getLlm = defineOperation({
  name: 'getLlm',
  method: 'GET',
  path: '/api/llms/{llmId}',
  tag: TAG,
  summary: 'Read an LLM configuration',
  description: 'Answers the newest version unless `version` names another.',
  access: 'read',
  workspace: 'query',
  pathParameters: LlmPath,
  query: VersionQuery,
  status: 200,
  result: Llm,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateLlm = defineOperation({
  name: 'updateLlm',
  method: 'PATCH',
  path: '/api/llms/{llmId}',
  tag: TAG,
  summary: 'Change an LLM configuration',
  description:
    'Edits the newest version while nothing has used it, otherwise makes the next version, which agents that are not ' +
    'pinned, published or activated follow; `warnings` names those that stay.',
  access: 'write',
  workspace: 'body',
  pathParameters: LlmPath,
  query: EditedVersionQuery,
  body: UpdateLlmBody,
  bodyLimitBytes: LLM_BODY_LIMIT_BYTES,
  status: 200,
  result: LlmWritten,
  errors: ['not_found', 'version_frozen', 'version_conflict'],
  features: ['etag'],
})

export const deleteLlm = defineOperation({
  name: 'deleteLlm',
  method: 'DELETE',
  path: '/api/llms/{llmId}',
  tag: TAG,
  summary: 'Delete an LLM configuration',
  description: 'Removes it with all its versions for good. Refused while an agent uses it; the answer lists the users.',
  access: 'write',
  workspace: 'query',
  pathParameters: LlmPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'in_use', 'version_conflict'],
})

export const listLlmVersions = defineOperation({
  name: 'listLlmVersions',
  method: 'GET',
  path: '/api/llms/{llmId}/versions',
  tag: TAG,
  summary: 'List the versions of an LLM configuration',
  description: 'Newest version first.',
  access: 'read',
  workspace: 'query',
  pathParameters: LlmPath,
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(LlmVersion),
  errors: ['not_found'],
  features: ['paged'],
})

export const publishLlm = defineOperation({
  name: 'publishLlm',
  method: 'POST',
  path: '/api/llms/{llmId}/publish',
  tag: TAG,
  summary: 'Publish a version of an LLM configuration',
  description: 'Marks a version, the newest by default, as published. A published version is never changed again.',
  access: 'write',
  workspace: 'body',
  pathParameters: LlmPath,
  body: PublishBody,
  status: 200,
  result: Llm,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})
