/** Parts of the editor, as the address names them. */
export const LLM_TABS = ['prompt', 'model', 'functions', 'knowledge', 'states'] as const
export type LlmTab = (typeof LLM_TABS)[number]

export interface LlmSearch {
  readonly tab?: LlmTab
}

/** `validateSearch` of the editor. */
export function readLlmSearch({ tab }: Readonly<Record<string, unknown>>): LlmSearch {
  const known = LLM_TABS.find((one) => one === tab)
  return known === undefined ? {} : { tab: known }
}

const FIELDS: Readonly<Record<LlmTab, readonly string[]>> = {
  prompt: [
    'display_name',
    'general_prompt',
    'begin_message',
    'begin_after_user_silence_ms',
    'default_dynamic_variables',
  ],
  model: ['model', 'model_temperature', 'responsiveness'],
  functions: ['general_tools', 'mcps'],
  knowledge: ['knowledge_base_ids', 'kb_config'],
  states: ['states', 'starting_state'],
}

/** How many problems there are in each part. */
export function problemCounts(details: readonly { readonly path: string }[]): Readonly<Record<LlmTab, number>> {
  const count = (tab: LlmTab): number =>
    details.filter(({ path }) => FIELDS[tab].includes(path.split(/[.[]/, 1)[0] ?? '')).length
  return {
    prompt: count('prompt'),
    model: count('model'),
    functions: count('functions'),
    knowledge: count('knowledge'),
    states: count('states'),
  }
}
