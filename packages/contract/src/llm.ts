import { z } from 'zod'
import {
  bodyEditedVersion,
  bodyWorkspace,
  clearable,
  enumOrDecimal,
  id,
  integer,
  label,
  orDefault,
  PROMPT_LIMIT_BYTES,
  StringMap,
  text,
  Variables,
  versionFields,
  versionItem,
  Warnings,
} from './fields.ts'
import { completeKbConfig, KbConfig, KbConfigInput, KNOWLEDGE_BASE_IDS, KnowledgeBaseIds } from './knowledge-use.ts'
import { LlmState, LlmStateList } from './llm-state.ts'
import { McpServerList, McpServerSetting } from './mcp-server.ts'
import { ModelName } from './model-name.ts'
import { EXTENSION_LIST_LIMIT, SPEC_LIST_LIMIT } from './pagination.ts'
import { secretsFrom } from './secrets-from.ts'
import { Tool, ToolList } from './tools.ts'
import { versionedOperations } from './versioned-operations.ts'

/** LLM configurations: the prompts, models and tools of agents. */

/** How an update of an LLM configuration or a conversation flow reaches the agents that use it. */
export const ENGINE_UPDATE_DESCRIPTION =
  'Changes the latest version if it has been neither used nor published; otherwise creates the next version. Agents follow ' +
  'the next version unless they pin a version or are published or activated; `warnings` lists those that do not follow.'

/** Prompts and tools need more room than other bodies. */
export const LLM_BODY_LIMIT_BYTES = 4 * 1024 * 1024

const DISPLAY_NAME = { description: 'Display name; not sent to the model.' }
const GENERAL_PROMPT = {
  description: 'System prompt of the model; can contain `{{variables}}`. If blank, a general prompt is used.',
}
const BEGIN_MESSAGE = {
  description:
    'Opening message of the agent; can contain `{{variables}}`. If empty, the user starts. If null, the user ' +
    'starts chats and the model starts calls.',
}
const SILENCE = {
  description:
    'Silence in milliseconds after which the agent starts a call that the user should start. If null, the agent ' +
    'waits.',
}
const TEMPERATURE = { description: 'Sampling temperature, from 0 to 1. If null, the model uses its default.' }
const STATES = {
  description: 'States of the conversation, each with its own prompt and tools in addition to the general ones.',
}
const STARTING_STATE = { description: 'Name of the first state. If null, the first state of the list is used.' }
const MCPS = { description: 'MCP servers, which tools refer to by `mcp_id` or name.' }
const DEFAULT_VARIABLES = {
  description: 'Default values of `{{variables}}` that a conversation does not set.',
}

export const LlmSummary = z
  .object({
    llm_id: z.string(),
    display_name: z.string().meta(DISPLAY_NAME),
    version: z.int().meta({ description: 'Latest version.' }),
  })
  .meta({ id: 'LlmSummary' })
export type LlmSummary = z.infer<typeof LlmSummary>

export const Llm = z
  .object({
    llm_id: z.string(),
    workspaceId: z.int(),
    display_name: z.string().meta(DISPLAY_NAME),
    version: z.int().meta({ description: 'Version number, starting at 1.' }),
    model: z.string().meta({ description: 'Name of the model: `provider/model` or a bare name.' }),
    model_temperature: z.number().nullable().meta(TEMPERATURE),
    general_prompt: z.string().meta(GENERAL_PROMPT),
    begin_message: z.string().nullable().meta(BEGIN_MESSAGE),
    begin_after_user_silence_ms: z.int().nullable().meta(SILENCE),
    responsiveness: z.string().meta({ description: '`slow`, `balanced`, `fast` or a decimal from 0 to 1.' }),
    general_tools: z.array(Tool).meta({ description: 'Tools of the model.' }),
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

/** How fast the agent responds. */
export const Responsiveness = enumOrDecimal(['slow', 'balanced', 'fast']).meta({
  description: 'How fast the agent responds in calls: `slow`, `balanced`, `fast` or a decimal from 0 to 1.',
})

const DisplayName = label().meta(DISPLAY_NAME)
const Model = ModelName.meta({
  description:
    'Name of the model: `provider/model` or a bare name. If null, or omitted when creating, the current default ' +
    'model of the server is used.',
})
const GeneralPrompt = text(PROMPT_LIMIT_BYTES).meta({ description: `${GENERAL_PROMPT.description} At most 128 KiB.` })
const BeginMessage = text(32 * 1024).meta({ description: `${BEGIN_MESSAGE.description} At most 32 KiB.` })
const SilenceMs = integer(0, 3_600_000).meta(SILENCE)
const Temperature = z.number().min(0).max(1).meta(TEMPERATURE)
const GeneralTools = ToolList.meta({ description: 'Complete list of the tools of the model, with unique names.' })
const States = LlmStateList.meta({
  description: `${STATES.description} Complete list with unique names; edges lead to states of the list.`,
})
const StartingState = z.string().min(1).max(50).meta(STARTING_STATE)
const McpServers = McpServerList.meta({ description: `${MCPS.description} Complete list with unique names and IDs.` })
const KnowledgeBases = KnowledgeBaseIds.meta({ description: `${KNOWLEDGE_BASE_IDS.description} Complete list.` })
const DefaultVariables = Variables.meta({
  description: `${DEFAULT_VARIABLES.description} Complete set; numbers and booleans become strings.`,
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
  .meta({ id: 'UpdateLlmBody', description: 'Omitted fields keep their value; null resets a field to its default.' })
export type UpdateLlmBody = z.output<typeof UpdateLlmBody>

export const {
  list: listLlms,
  create: createLlm,
  get: getLlm,
  update: updateLlm,
  delete: deleteLlm,
  listVersions: listLlmVersions,
  publish: publishLlm,
} = versionedOperations({
  name: 'Llm',
  noun: 'an LLM configuration',
  tag: 'LLM Models',
  paths: { collection: '/api/v1/llms', item: '/api/llms/{llmId}' },
  pathParameters: z.object({ llmId: id().meta({ description: 'ID of the LLM configuration (`llm_…`).' }) }),
  bodies: { create: CreateLlmBody, update: UpdateLlmBody, limitBytes: LLM_BODY_LIMIT_BYTES },
  results: { item: LlmSummary, resource: Llm, written: LlmWritten, version: LlmVersion },
  limits: { list: SPEC_LIST_LIMIT, versions: EXTENSION_LIST_LIMIT },
  defaultVersion: 'latest',
  descriptions: {
    create: 'Creates version 1, which agents can use immediately. Every field except the workspace is optional.',
    update: ENGINE_UPDATE_DESCRIPTION,
    delete:
      'Permanently deletes the LLM configuration and all its versions. Fails with `in_use` while an agent uses it; the ' +
      'error lists these agents.',
  },
  errors: { delete: ['in_use'] },
})
