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
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { EXTENSION_LIST_LIMIT, SPEC_LIST_LIMIT } from './pagination.ts'
import { secretsFrom } from './secrets-from.ts'
import { Tool, ToolList } from './tools.ts'
import { defineVersionedOperations } from './versioned-operations.ts'

/** LLM configurations: prompts, models and tools of agents. */

/** How an update of an LLM configuration or a conversation flow affects the agents that use it. */
export const ENGINE_UPDATE_DESCRIPTION =
  'Updates the latest version if it is neither used nor published. Otherwise, creates a new version. Agents use the ' +
  'new version unless they pin a version or are published or activated; `warnings` lists the agents that do not use it.'

/** Body size limit. Prompts and tools are larger than other bodies. */
export const LLM_BODY_LIMIT_BYTES = 4 * 1024 * 1024

const DISPLAY_NAME = 'Display name. It is not sent to the model.'
const GENERAL_PROMPT = 'System prompt of the model; can contain `{{variables}}`. If blank, a default prompt is used.'
const BEGIN_MESSAGE =
  'Opening message of the agent; can contain `{{variables}}`. If empty, the user starts. If null, the user ' +
  'starts chats and the model generates the opening message of calls.'
const SILENCE =
  'Milliseconds of silence after which the agent starts a call that the user should start. If null, the agent keeps waiting.'
const TEMPERATURE = 'Sampling temperature, from 0 to 1. If null, the model uses its default.'
const STATES = 'States of the conversation. Each state adds its own prompt and tools to the general prompt and tools.'
const STARTING_STATE = 'Name of the first state. If null, the first state of the list is used.'
const MCPS = 'MCP servers that tools refer to by `mcp_id` or name.'
const DEFAULT_VARIABLES = 'Default values of `{{variables}}` that a conversation does not set.'

export const LlmSummary = defineObject('LlmSummary', {
  llm_id: z.string(),
  display_name: z.string().describe(DISPLAY_NAME),
  version: z.int().describe('Latest version.'),
})
export type LlmSummary = z.infer<typeof LlmSummary>

export const Llm = defineObject('Llm', {
  llm_id: z.string(),
  workspaceId: z.int(),
  display_name: z.string().describe(DISPLAY_NAME),
  version: z.int().describe('Version number, starting at 1.'),
  model: z.string().describe('Name of the model: `provider/model` or a bare name.'),
  model_temperature: z.number().nullable().describe(TEMPERATURE),
  general_prompt: z.string().describe(GENERAL_PROMPT),
  begin_message: z.string().nullable().describe(BEGIN_MESSAGE),
  begin_after_user_silence_ms: z.int().nullable().describe(SILENCE),
  responsiveness: z.string().describe('`slow`, `balanced`, `fast` or a decimal from 0 to 1.'),
  general_tools: z.array(Tool).describe('Tools of the model.'),
  states: z.array(LlmState).describe(STATES),
  starting_state: z.string().nullable().describe(STARTING_STATE),
  mcps: z.array(McpServerSetting).describe(MCPS),
  knowledge_base_ids: z.array(z.string()).describe(KNOWLEDGE_BASE_IDS),
  kb_config: KbConfig,
  default_dynamic_variables: StringMap.describe(DEFAULT_VARIABLES),
  ...versionFields,
})
export type Llm = z.infer<typeof Llm>

export const LlmWritten = Llm.extend({ warnings: Warnings }).meta({ id: 'LlmWritten' })
export type LlmWritten = z.infer<typeof LlmWritten>

export const LlmVersion = defineObject('LlmVersion', { llm_id: z.string(), ...versionItem })
export type LlmVersion = z.infer<typeof LlmVersion>

/** How quickly the agent responds. */
export const Responsiveness = enumOrDecimal(['slow', 'balanced', 'fast']).describe(
  'How quickly the agent responds in calls: `slow`, `balanced`, `fast` or a decimal from 0 to 1.',
)

const DisplayName = label().describe(DISPLAY_NAME)
const Model = ModelName.describe(
  'Name of the model: `provider/model` or a bare name. If null, or omitted when creating, the current default ' +
    'model of the server is used.',
)
const GeneralPrompt = text(PROMPT_LIMIT_BYTES).describe(`${GENERAL_PROMPT} At most 128 KiB.`)
const BeginMessage = text(32 * 1024).describe(`${BEGIN_MESSAGE} At most 32 KiB.`)
const SilenceMs = integer(0, 3_600_000).describe(SILENCE)
const Temperature = z.number().min(0).max(1).describe(TEMPERATURE)
const GeneralTools = ToolList.describe('Complete list of the tools of the model, with unique names.')
const States = LlmStateList.describe(`${STATES} Complete list with unique names; edges lead to states of the list.`)
const StartingState = z.string().min(1).max(50).describe(STARTING_STATE)
const McpServers = McpServerList.describe(`${MCPS} Complete list with unique names and IDs.`)
const KnowledgeBases = KnowledgeBaseIds.describe(`${KNOWLEDGE_BASE_IDS} Complete list.`)
const DefaultVariables = Variables.describe(`${DEFAULT_VARIABLES} Complete set; numbers and booleans become strings.`)

export const CreateLlmBody = defineObject('CreateLlmBody', {
  workspaceId: bodyWorkspace(),
  display_name: orDefault(DisplayName, () => ''),
  model: Model.nullable().optional(),
  model_temperature: Temperature.nullable().default(null),
  general_prompt: orDefault(GeneralPrompt, () => ''),
  begin_message: BeginMessage.nullable().default(null),
  begin_after_user_silence_ms: SilenceMs.nullable().default(null),
  responsiveness: orDefault(Responsiveness, () => 'balanced'),
  general_tools: orDefault(GeneralTools, () => []),
  states: orDefault(States, () => []),
  starting_state: StartingState.nullable().default(null),
  mcps: orDefault(McpServers, () => []),
  knowledge_base_ids: orDefault(KnowledgeBases, () => []),
  kb_config: orDefault(KbConfigInput, () => completeKbConfig({})),
  default_dynamic_variables: orDefault(DefaultVariables, () => ({})),
  secrets_from: secretsFrom(),
})
export type CreateLlmBody = z.output<typeof CreateLlmBody>

export const UpdateLlmBody = defineDescribedObject('UpdateLlmBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  version: bodyEditedVersion(),
  display_name: clearable(DisplayName, () => ''),
  model: Model.nullable().optional(),
  model_temperature: Temperature.nullable().optional(),
  general_prompt: clearable(GeneralPrompt, () => ''),
  begin_message: BeginMessage.nullable().optional(),
  begin_after_user_silence_ms: SilenceMs.nullable().optional(),
  responsiveness: clearable(Responsiveness, () => 'balanced'),
  general_tools: clearable(GeneralTools, () => []),
  states: clearable(States, () => []),
  starting_state: StartingState.nullable().optional(),
  mcps: clearable(McpServers, () => []),
  knowledge_base_ids: clearable(KnowledgeBases, () => []),
  kb_config: clearable(KbConfigInput, () => completeKbConfig({})),
  default_dynamic_variables: clearable(DefaultVariables, () => ({})),
})
export type UpdateLlmBody = z.output<typeof UpdateLlmBody>

export const {
  list: listLlms,
  create: createLlm,
  get: getLlm,
  update: updateLlm,
  delete: deleteLlm,
  listVersions: listLlmVersions,
  publish: publishLlm,
} = defineVersionedOperations({
  name: 'Llm',
  noun: 'an LLM configuration',
  tag: 'LLM Models',
  paths: { collection: '/api/v1/llms', item: '/api/llms/{llmId}' },
  pathParameters: z.object({ llmId: id().describe('ID of the LLM configuration (`llm_…`).') }),
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
