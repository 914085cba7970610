import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, UpdateLlmBody } from '@parley/contract/llm'
import type { Versioned, VersionOutline } from '../../kernel/version-store.ts'

/** What a version of an LLM configuration stores: the contract object without what is derived. */
export type LlmDefinition = Pick<
  Llm,
  | 'display_name'
  | 'model'
  | 'model_temperature'
  | 'general_prompt'
  | 'begin_message'
  | 'responsiveness'
  | 'general_tools'
  | 'default_dynamic_variables'
>

/** The model is stored by name even when it is the default, so that another default later changes no existing LLM. */
export function defineLlm(body: Omit<CreateLlmBody, 'workspaceId'>, defaultModel: string): LlmDefinition {
  return {
    display_name: body.display_name,
    model: body.model ?? defaultModel,
    model_temperature: body.model_temperature,
    general_prompt: body.general_prompt,
    begin_message: body.begin_message,
    responsiveness: body.responsiveness,
    general_tools: body.general_tools,
    default_dynamic_variables: body.default_dynamic_variables,
  }
}

/** Applies a PATCH body: absent fields stay. */
export function editLlm(current: LlmDefinition, body: UpdateLlmBody, defaultModel: string): LlmDefinition {
  return {
    display_name: body.display_name ?? current.display_name,
    model: body.model === undefined ? current.model : (body.model ?? defaultModel),
    model_temperature: body.model_temperature === undefined ? current.model_temperature : body.model_temperature,
    general_prompt: body.general_prompt ?? current.general_prompt,
    begin_message: body.begin_message === undefined ? current.begin_message : body.begin_message,
    responsiveness: body.responsiveness ?? current.responsiveness,
    general_tools: body.general_tools ?? current.general_tools,
    default_dynamic_variables: body.default_dynamic_variables ?? current.default_dynamic_variables,
  }
}

export function toLlm(found: Versioned<LlmDefinition>): Llm {
  return {
    llm_id: found.id,
    workspaceId: found.workspaceId,
    display_name: found.definition.display_name,
    version: found.version,
    model: found.definition.model,
    model_temperature: found.definition.model_temperature,
    general_prompt: found.definition.general_prompt,
    begin_message: found.definition.begin_message,
    responsiveness: found.definition.responsiveness,
    general_tools: found.definition.general_tools,
    default_dynamic_variables: found.definition.default_dynamic_variables,
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
