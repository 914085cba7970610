import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { SETTING_GROUPS, type SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { ErrorDetail } from '@parley/contract/errors'
import type { LlmFields } from './agent-body.ts'

/** A part of the settings of agents. Chat agents have fewer of them. */
export type SettingsTab = SettingTab | 'functions' | 'knowledge'

/** Fields of an LLM configuration that are edited on its own page alone. */
type ElsewhereField = 'display_name' | 'states' | 'starting_state'

/** Which tab each field of what an agent answers with is in. */
const ENGINE_TABS = {
  response_engine: 'prompt',
  model: 'prompt',
  model_temperature: 'prompt',
  responsiveness: 'prompt',
  general_prompt: 'prompt',
  begin_message: 'prompt',
  begin_after_user_silence_ms: 'prompt',
  default_dynamic_variables: 'prompt',
  general_tools: 'functions',
  mcps: 'functions',
  knowledge_base_ids: 'knowledge',
  kb_config: 'knowledge',
} as const satisfies Readonly<Record<Exclude<keyof LlmFields, ElsewhereField> | 'response_engine', SettingsTab>>

const TABS: ReadonlyMap<string, SettingsTab> = new Map<string, SettingsTab>([
  ...Object.entries(ENGINE_TABS),
  ...Object.entries({ ...AGENT_SETTINGS, ...CHAT_AGENT_SETTINGS }).map(
    ([name, { group }]) => [name, SETTING_GROUPS[group].tab] as const,
  ),
])

/** The tab that holds the field of a path such as `general_tools[0].url`; null for a field that no tab holds. */
export function tabOfField(path: string): SettingsTab | null {
  const [name = ''] = path.split(/[.[]/, 1)
  return TABS.get(name) ?? null
}

/** The tabs with fields that the server refused, in the order of its objections. */
export function refusedTabs<Name extends string>(
  details: readonly Pick<ErrorDetail, 'path'>[],
  tabs: readonly Name[],
): Name[] {
  const found = details.flatMap(({ path }) => tabs.filter((tab) => tab === tabOfField(path)))
  return [...new Set(found)]
}

/** The tab to open: that of the first refused field. None where the one that is shown has a refused field itself. */
export function tabToOpen<Name extends string>(refused: readonly Name[], shown: Name): Name | null {
  return refused.includes(shown) ? null : (refused[0] ?? null)
}
