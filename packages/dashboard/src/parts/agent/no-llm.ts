import type { Llm } from '@parley/contract/llm'
import type { Snapshot } from '../../lib/editing/draft-state.ts'

/** Stands where an agent answers with something else than an LLM configuration; nothing of it is ever shown or saved. */
export const NO_LLM: Snapshot<Llm> = {
  etag: null,
  value: {
    llm_id: '',
    workspaceId: 0,
    display_name: '',
    version: 1,
    model: '',
    model_temperature: null,
    general_prompt: '',
    begin_message: null,
    begin_after_user_silence_ms: null,
    responsiveness: 'fast',
    general_tools: [],
    states: [],
    starting_state: null,
    mcps: [],
    knowledge_base_ids: [],
    kb_config: { top_k: 3, filter_score: 0 },
    default_dynamic_variables: {},
    is_published: false,
    is_frozen: false,
    version_title: null,
    version_description: null,
    created_at: '',
    updated_at: '',
  },
}
