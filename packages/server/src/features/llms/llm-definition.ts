import { completeKbConfig } from '@parley/contract/knowledge-use'
import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, UpdateLlmBody } from '@parley/contract/llm'
import type { Versioned, VersionOutline } from '../../kernel/versions/version-store.ts'
import { hideSecrets } from '../engines/public.ts'

/** What a version of an LLM configuration stores: the contract object without what is derived. */
export type LlmDefinition = Pick<
  Llm,
  | 'display_name'
  | 'model'
  | 'model_temperature'
  | 'general_prompt'
  | 'begin_message'
  | 'begin_after_user_silence_ms'
  | 'responsiveness'
  | 'general_tools'
  | 'states'
  | 'starting_state'
  | 'mcps'
  | 'knowledge_base_ids'
  | 'kb_config'
  | 'default_dynamic_variables'
>

type LaterFields =
  | 'begin_after_user_silence_ms'
  | 'states'
  | 'starting_state'
  | 'mcps'
  | 'knowledge_base_ids'
  | 'kb_config'
/** What was stored before there were states, servers, knowledge bases and calls lacks them. */
export type StoredLlm = Omit<LlmDefinition, LaterFields> & Partial<Pick<LlmDefinition, LaterFields>>

export function completeLlm(stored: StoredLlm): LlmDefinition {
  const laterDefaults = {
    states: [],
    starting_state: null,
    mcps: [],
    knowledge_base_ids: [],
    kb_config: completeKbConfig({}),
  }
  return { begin_after_user_silence_ms: null, ...laterDefaults, ...stored }
}

/** The model is stored by name even when it is the default, so that another default later changes no existing LLM. */
export function defineLlm(
  body: Omit<CreateLlmBody, 'workspaceId' | 'secrets_from'>,
  defaultModel: string,
): LlmDefinition {
  return {
    display_name: body.display_name,
    model: body.model ?? defaultModel,
    model_temperature: body.model_temperature,
    general_prompt: body.general_prompt,
    begin_message: body.begin_message,
    begin_after_user_silence_ms: body.begin_after_user_silence_ms,
    responsiveness: body.responsiveness,
    general_tools: body.general_tools,
    states: body.states,
    starting_state: body.starting_state,
    mcps: body.mcps,
    knowledge_base_ids: body.knowledge_base_ids,
    kb_config: body.kb_config,
    default_dynamic_variables: body.default_dynamic_variables,
  }
}

/** Applies a PATCH body: absent fields stay. */
export function editLlm(current: LlmDefinition, body: UpdateLlmBody, defaultModel: string): LlmDefinition {
  const states = body.states ?? current.states
  return {
    display_name: body.display_name ?? current.display_name,
    model: body.model === undefined ? current.model : (body.model ?? defaultModel),
    model_temperature: body.model_temperature === undefined ? current.model_temperature : body.model_temperature,
    general_prompt: body.general_prompt ?? current.general_prompt,
    begin_message: body.begin_message === undefined ? current.begin_message : body.begin_message,
    begin_after_user_silence_ms:
      body.begin_after_user_silence_ms === undefined
        ? current.begin_after_user_silence_ms
        : body.begin_after_user_silence_ms,
    responsiveness: body.responsiveness ?? current.responsiveness,
    general_tools: body.general_tools ?? current.general_tools,
    states,
    starting_state: editStart(current.starting_state, body.starting_state, states),
    mcps: body.mcps ?? current.mcps,
    knowledge_base_ids: body.knowledge_base_ids ?? current.knowledge_base_ids,
    kb_config: body.kb_config ?? current.kb_config,
    default_dynamic_variables: body.default_dynamic_variables ?? current.default_dynamic_variables,
  }
}

/** Where conversations begin after an edit: without a word about it where they began, or in the first state when that is gone. */
function editStart(
  current: string | null,
  given: string | null | undefined,
  states: LlmDefinition['states'],
): string | null {
  if (given !== undefined) return given
  return states.some(({ name }) => name === current) ? current : null
}

/** Tells of a start that an edit moved without being asked to. */
export function startWarnings(before: LlmDefinition, after: LlmDefinition, body: UpdateLlmBody): string[] {
  const [first] = after.states
  if (body.starting_state !== undefined || before.starting_state === after.starting_state || first === undefined)
    return []
  return [`The starting state "${before.starting_state}" was removed: conversations begin in "${first.name}".`]
}

export function toLlm(found: Versioned<LlmDefinition>): Llm {
  const definition = hideSecrets(completeLlm(found.definition))
  return {
    llm_id: found.id,
    workspaceId: found.workspaceId,
    display_name: definition.display_name,
    version: found.version,
    model: definition.model,
    model_temperature: definition.model_temperature,
    general_prompt: definition.general_prompt,
    begin_message: definition.begin_message,
    begin_after_user_silence_ms: definition.begin_after_user_silence_ms,
    responsiveness: definition.responsiveness,
    general_tools: definition.general_tools,
    states: definition.states,
    starting_state: definition.starting_state,
    mcps: definition.mcps,
    knowledge_base_ids: definition.knowledge_base_ids,
    kb_config: definition.kb_config,
    default_dynamic_variables: definition.default_dynamic_variables,
    is_published: found.published,
    is_frozen: found.frozen,
    version_title: found.title,
    version_description: found.description,
    created_at: new Date(found.createdAt).toISOString(),
    updated_at: new Date(found.updatedAt).toISOString(),
  }
}

export function toLlmSummary(found: Versioned<LlmDefinition>): LlmSummary {
  return { llm_id: found.id, display_name: found.definition.display_name, version: found.version }
}

export function toLlmVersion(found: VersionOutline): LlmVersion {
  return {
    llm_id: found.id,
    version: found.version,
    is_published: found.published,
    is_frozen: found.frozen,
    version_title: found.title,
    version_description: found.description,
    updated_at: new Date(found.updatedAt).toISOString(),
  }
}
