import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { Llm } from '@parley/contract/llm'
import { useCallback } from 'react'
import { message, useText } from '../../lib/language.ts'

/** What people call the fields of what agents answer with. */
const ENGINE_NAMES: Partial<Record<keyof Llm | 'response_engine', string>> = {
  display_name: message('Name'),
  response_engine: message('What it answers with'),
  responsiveness: message('How fast it answers'),
  general_prompt: message('Prompt'),
  begin_message: message('First words'),
  begin_after_user_silence_ms: message('Silence until the agent begins'),
  model: message('Model'),
  model_temperature: message('Temperature of the model'),
  general_tools: message('Functions'),
  states: message('States'),
  starting_state: message('First state'),
  mcps: message('MCP servers'),
  knowledge_base_ids: message('Knowledge bases'),
  kb_config: message('Search in knowledge bases'),
  default_dynamic_variables: message('Values of variables'),
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ENGINE_NAMES),
  ...Object.entries({ ...AGENT_SETTINGS, ...CHAT_AGENT_SETTINGS }).map(([name, { label }]) => [name, label] as const),
])

/** Names a field in words; one that has none keeps its own name. */
export function useFieldNames(): (field: string) => string {
  const t = useText()
  return useCallback(
    (field) => {
      const words = NAMES.get(field)
      return words === undefined ? field : t(words)
    },
    [t],
  )
}
