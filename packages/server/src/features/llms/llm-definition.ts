import { completeKbConfig } from '@parley/contract/knowledge-use'
import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, UpdateLlmBody } from '@parley/contract/llm'
import { editFields, pickFields } from '../../kernel/api/edits.ts'
import type { Versioned, VersionMetadata } from '../../kernel/versions/version-store.ts'
import { buildMetadataFields, buildVersionFields, hideSecrets } from '../engines/public.ts'

const FIELDS = [
  'display_name',
  'model',
  'model_temperature',
  'general_prompt',
  'begin_message',
  'begin_after_user_silence_ms',
  'responsiveness',
  'general_tools',
  'states',
  'starting_state',
  'mcps',
  'knowledge_base_ids',
  'kb_config',
  'default_dynamic_variables',
] as const satisfies readonly (keyof Llm)[]

/** Stored fields of an LLM configuration version: the contract object without derived fields. */
export type LlmDefinition = Pick<Llm, (typeof FIELDS)[number]>

type LaterFields =
  | 'begin_after_user_silence_ms'
  | 'states'
  | 'starting_state'
  | 'mcps'
  | 'knowledge_base_ids'
  | 'kb_config'
/** A stored definition. Older rows lack states, MCP servers, knowledge bases and call settings. */
type StoredLlm = Omit<LlmDefinition, LaterFields> & Partial<Pick<LlmDefinition, LaterFields>>

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

/**
 * Creates a definition. Stores the default model by name, so that changing the default does not affect existing configurations.
 */
export function defineLlm(
  body: Omit<CreateLlmBody, 'workspaceId' | 'secrets_from'>,
  defaultModel: string,
): LlmDefinition {
  return pickFields(FIELDS, { ...body, model: body.model ?? defaultModel })
}

/** Applies a PATCH body. If the starting state is removed, conversations start in the first state. */
export function editLlm(current: LlmDefinition, body: UpdateLlmBody, defaultModel: string): LlmDefinition {
  const { model, starting_state } = body
  const edited = editFields(FIELDS, current, { ...body, model: model === null ? defaultModel : model })
  if (starting_state !== undefined || edited.states.some(({ name }) => name === current.starting_state)) return edited
  return { ...edited, starting_state: null }
}

/** Returns a warning if an edit changed the starting state implicitly. */
export function findStartWarnings(before: LlmDefinition, after: LlmDefinition, body: UpdateLlmBody): string[] {
  const [firstState] = after.states
  if (body.starting_state !== undefined || before.starting_state === after.starting_state || firstState === undefined)
    return []
  return [`The starting state "${before.starting_state}" was removed: conversations start in "${firstState.name}".`]
}

export function toLlm(version: Versioned<LlmDefinition>): Llm {
  const definition = hideSecrets(completeLlm(version.definition))
  return { llm_id: version.id, ...buildVersionFields(version), ...pickFields(FIELDS, definition) }
}

export function toLlmSummary(version: Versioned<LlmDefinition>): LlmSummary {
  return { llm_id: version.id, display_name: version.definition.display_name, version: version.version }
}

export function toLlmVersion(version: VersionMetadata): LlmVersion {
  return { llm_id: version.id, ...buildMetadataFields(version) }
}
