import { readChoice, removeUndefined } from '../../parts/transcript/search-params.ts'

const TAB_FIELDS = {
  prompt: [
    'display_name',
    'general_prompt',
    'begin_message',
    'begin_after_user_silence_ms',
    'default_dynamic_variables',
  ],
  model: ['model', 'model_temperature', 'responsiveness'],
  tools: ['general_tools', 'mcps'],
  knowledge: ['knowledge_base_ids', 'kb_config'],
  states: ['states', 'starting_state'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type LlmTab = keyof typeof TAB_FIELDS
const LLM_TABS = Object.keys(TAB_FIELDS) as readonly LlmTab[]

export interface LlmSearch {
  readonly tab?: LlmTab
}

export function readLlmSearch({ tab }: Readonly<Record<string, unknown>>): LlmSearch {
  return removeUndefined({ tab: readChoice(tab, LLM_TABS) })
}

export function countProblemsByTab(details: readonly { readonly path: string }[]): Readonly<Record<LlmTab, number>> {
  const fieldNames = details.map(({ path }) => path.split(/[.[]/, 1)[0] ?? '')
  const countFields = (fields: readonly string[]): number => fieldNames.filter((name) => fields.includes(name)).length
  return Object.fromEntries(Object.entries(TAB_FIELDS).map(([tab, fields]) => [tab, countFields(fields)])) as Record<
    LlmTab,
    number
  >
}
