import type { Llm } from '@parley/contract/llm'
import { message, useText } from '../../lib/language.ts'

const NAMES: Readonly<Partial<Record<keyof Llm, string>>> = {
  display_name: message('Name'),
  model: message('Model'),
  model_temperature: message('Temperature'),
  general_prompt: message('Prompt'),
  begin_message: message('Opening line'),
  begin_after_user_silence_ms: message('Speak after so long a silence'),
  responsiveness: message('How fast it answers in calls'),
  general_tools: message('Tools'),
  states: message('States'),
  starting_state: message('A conversation begins in'),
  mcps: message('MCP servers'),
  knowledge_base_ids: message('Knowledge bases'),
  kb_config: message('Search before each answer'),
  default_dynamic_variables: message('Default values of variables'),
}

/** What people call a field of a configuration. */
export function useLlmFieldName(): (field: string) => string {
  const t = useText()
  return (field) => {
    const name = NAMES[field as keyof Llm]
    return name === undefined ? field : t(name)
  }
}
