import type { ErrorDetail } from '@parley/contract/errors'
import type { LlmFields, UpdateAgentFields, UpdateChatAgentFields } from './agent-body.ts'

/** A part of the settings of agents. Chat agents have fewer of them. */
export type SettingsTab = 'prompt' | 'voice' | 'speech' | 'functions' | 'knowledge' | 'analysis' | 'webhooks' | 'more'

/** Fields of an LLM configuration that are edited on its own page alone. */
type ElsewhereField = 'display_name' | 'states' | 'starting_state'
type Field = Exclude<keyof UpdateAgentFields | keyof UpdateChatAgentFields | keyof LlmFields, ElsewhereField>

/** Which tab each field of an agent and of its LLM configuration stands in. */
const TABS = {
  agent_name: 'prompt',
  language: 'prompt',
  timezone: 'prompt',
  response_engine: 'prompt',
  model: 'prompt',
  model_temperature: 'prompt',
  responsiveness: 'prompt',
  general_prompt: 'prompt',
  begin_message: 'prompt',
  begin_after_user_silence_ms: 'prompt',
  default_dynamic_variables: 'prompt',
  voice_id: 'voice',
  voice_model: 'voice',
  voice_temperature: 'voice',
  voice_speed: 'voice',
  voice_emotion: 'voice',
  volume: 'voice',
  fallback_voice_ids: 'voice',
  ambient_sound: 'voice',
  ambient_sound_volume: 'voice',
  response_threshold: 'speech',
  interruption_sensitivity: 'speech',
  enable_backchannel: 'speech',
  backchannel_frequency: 'speech',
  backchannel_words: 'speech',
  reminder_trigger_ms: 'speech',
  reminder_max_count: 'speech',
  begin_message_delay_ms: 'speech',
  end_call_after_silence_ms: 'speech',
  max_call_duration_ms: 'speech',
  boosted_keywords: 'speech',
  pronunciation_dictionary: 'speech',
  normalize_for_speech: 'speech',
  stt_mode: 'speech',
  custom_stt_config: 'speech',
  allow_user_dtmf: 'speech',
  allow_dtmf_interruption: 'speech',
  user_dtmf_options: 'speech',
  enable_dynamic_responsiveness: 'speech',
  general_tools: 'functions',
  mcps: 'functions',
  knowledge_base_ids: 'knowledge',
  kb_config: 'knowledge',
  post_call_analysis_data: 'analysis',
  post_call_analysis_model: 'analysis',
  post_chat_analysis_data: 'analysis',
  post_chat_analysis_model: 'analysis',
  data_storage_setting: 'analysis',
  data_storage_retention_days: 'analysis',
  pii_config: 'analysis',
  webhook_url: 'webhooks',
  webhook_events: 'webhooks',
  webhook_timeout_ms: 'webhooks',
  fallback_models: 'more',
  fallback_message: 'more',
  end_chat_after_silence_ms: 'more',
  auto_close_message: 'more',
} as const satisfies Readonly<Record<Field, SettingsTab>>

const isField = (name: string): name is Field => Object.hasOwn(TABS, name)

/** The tab that holds the field of a path such as `general_tools[0].url`; null where no field stands for it. */
export function tabOfField(path: string): SettingsTab | null {
  const [name = ''] = path.split(/[.[]/, 1)
  return isField(name) ? TABS[name] : null
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
