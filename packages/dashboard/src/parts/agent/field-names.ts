import type { Agent } from '@parley/contract/agent'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { Llm } from '@parley/contract/llm'
import { useCallback } from 'react'
import { message, useText } from '../../lib/language.ts'

type FieldName = keyof Agent | keyof ChatAgent | keyof Llm

/** What people call the settings of agents and of what they answer with. */
const NAMES: Partial<Record<FieldName, string>> = {
  agent_name: message('Name'),
  display_name: message('Name'),
  response_engine: message('What it answers with'),
  language: message('Language'),
  timezone: message('Time zone'),
  voice_id: message('Voice'),
  voice_model: message('Voice model'),
  voice_temperature: message('How freely it varies'),
  voice_speed: message('Speed'),
  voice_emotion: message('How it feels'),
  volume: message('Loudness'),
  fallback_voice_ids: message('Voices that take over'),
  ambient_sound: message('Background sound'),
  ambient_sound_volume: message('Loudness of the sound'),
  response_threshold: message('Silence before it answers'),
  interruption_sensitivity: message('How easily a caller interrupts it'),
  responsiveness: message('How fast it answers'),
  enable_backchannel: message('Say words such as “mhm”'),
  backchannel_frequency: message('In how many of the pauses'),
  backchannel_words: message('Words to say'),
  reminder_trigger_ms: message('Remind the caller after'),
  reminder_max_count: message('How often at most'),
  begin_message_delay_ms: message('Wait before its first words'),
  end_call_after_silence_ms: message('End a call after silence of'),
  max_call_duration_ms: message('Longest call'),
  boosted_keywords: message('Words to expect'),
  pronunciation_dictionary: message('Pronunciation'),
  normalize_for_speech: message('Write numbers, dates and addresses as words first'),
  stt_mode: message('Speech recognition'),
  custom_stt_config: message('Provider of speech recognition'),
  allow_user_dtmf: message('Hear the keys that the caller presses'),
  allow_dtmf_interruption: message('A key stops the agent'),
  user_dtmf_options: message('Keys of the phone'),
  enable_dynamic_responsiveness: message('Wait longer for callers who make longer pauses'),
  post_call_analysis_data: message('Analysis'),
  post_chat_analysis_data: message('Analysis'),
  post_call_analysis_model: message('Model that finds it out'),
  post_chat_analysis_model: message('Model that finds it out'),
  fallback_models: message('Models to try when the model fails'),
  fallback_message: message('What is said when all of them fail'),
  end_chat_after_silence_ms: message('End a chat after silence of'),
  auto_close_message: message('Last words of a chat that silence ended'),
  data_storage_setting: message('What is kept'),
  data_storage_retention_days: message('Days until it is deleted'),
  pii_config: message('Kinds of personal data'),
  webhook_url: message('Address of the webhook'),
  webhook_events: message('What the webhook is told'),
  webhook_timeout_ms: message('Longest wait for its answer'),
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

/** Names a field in words; one that has none keeps its own name. */
export function useFieldNames(): (field: string) => string {
  const t = useText()
  return useCallback(
    (field) => {
      const words = NAMES[field as FieldName]
      return words === undefined ? field : t(words)
    },
    [t],
  )
}
