import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { Llm } from '@parley/contract/llm'
import { useCallback } from 'react'
import { message, useText } from '../../lib/language.ts'

const ENGINE_LABELS: Partial<Record<keyof Llm | 'response_engine', string>> = {
  display_name: message('Name'),
  response_engine: message('Response engine'),
  responsiveness: message('Response speed'),
  general_prompt: message('Instructions'),
  begin_message: message('Opening message'),
  begin_after_user_silence_ms: message('Speak after silence'),
  model: message('Model'),
  model_temperature: message('Temperature'),
  general_tools: message('Tools'),
  states: message('States'),
  starting_state: message('Starting state'),
  mcps: message('MCP servers'),
  knowledge_base_ids: message('Knowledge bases'),
  kb_config: message('Knowledge search'),
  default_dynamic_variables: message('Default variables'),
}

const FIELD_LABELS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ENGINE_LABELS),
  ...Object.entries({ ...AGENT_SETTINGS, ...CHAT_AGENT_SETTINGS }).map(([name, { label }]) => [name, label] as const),
])

/** Returns a function that maps a field to its label, or to the field name if it has no label. */
export function useFieldNames(): (field: string) => string {
  const t = useText()
  return useCallback(
    (field) => {
      const label = FIELD_LABELS.get(field)
      return label === undefined ? field : t(label)
    },
    [t],
  )
}
