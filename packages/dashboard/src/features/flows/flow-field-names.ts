import { message, useText } from '../../lib/language.ts'
import type { FlowField } from './flow-document.ts'

/** What people call the fields of a flow. */
const NAMES = {
  display_name: message('Name'),
  start_speaker: message('Who speaks first'),
  begin_after_user_silence_ms: message('Begin after silence'),
  model_choice: message('Model'),
  model_temperature: message('Temperature'),
  global_prompt: message('Prompt for all nodes'),
  default_dynamic_variables: message('Default variables'),
  knowledge_base_ids: message('Knowledge bases'),
  kb_config: message('Search before each answer'),
  max_hops_per_turn: message('Steps per turn'),
  start_node_id: message('First node'),
  nodes: message('Nodes'),
  tools: message('Tools'),
  mcps: message('MCP servers'),
  components: message('Components'),
  notes: message('Notes'),
  begin_tag_display_position: message('Place of the beginning in the drawing'),
} satisfies Readonly<Record<FlowField, string>>

/** The name of a field in the language of the page. */
export function useFieldName(): (field: string) => string {
  const t = useText()
  return (field) => (field in NAMES ? t(NAMES[field as FlowField]) : field)
}
