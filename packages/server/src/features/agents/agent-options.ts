import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { POST_CONVERSATION_SETTINGS, WEBHOOK_SETTINGS } from '@parley/contract/agent-settings/conversation-settings'
import { CALL_OUTCOME_SETTINGS, CHAT_OUTCOME_SETTINGS } from '@parley/contract/agent-settings/outcome-settings'
import { optionsOf } from '@parley/contract/agent-settings/setting'
import type { AgentVoiceSettings } from '@parley/engine/voice/agent-voice-settings'
import type { AgentWebhook } from '../webhooks/public.ts'
import {
  agentSettings,
  chatAgentSettings,
  type StoredAgentSettings,
  type StoredChatAgentSettings,
  speaks,
} from './agent-settings.ts'
import type { CallEngineSettings } from './load-engine.ts'
import type { PostProcessingSettings } from './pinned-agent.ts'

/** Settings of an agent version as conversations read them. */

/** How the calls of an agent version are led, with all that its engine says about it. */
export function agentVoiceOf(definition: StoredAgentSettings, engine: CallEngineSettings): AgentVoiceSettings {
  const settings = agentSettings(definition)
  return {
    ...optionsOf(CALL_SETTINGS, settings),
    language: settings.language,
    responsiveness: engine.responsiveness,
    beginAfterUserSilenceMs: engine.beginAfterUserSilenceMs,
  }
}

/** What becomes of the conversations of an agent version. A chat with an agent that speaks is analysed as its calls are. */
export function postProcessingSettingsOf(
  definition: StoredAgentSettings | StoredChatAgentSettings,
): PostProcessingSettings {
  const { settings, outcome } = withOutcome(definition)
  const categories = settings.pii_config?.categories ?? []
  return {
    ...optionsOf(POST_CONVERSATION_SETTINGS, settings),
    ...outcome,
    piiCategories: categories.length === 0 ? PII_CATEGORIES : categories,
  }
}

function withOutcome(definition: StoredAgentSettings | StoredChatAgentSettings) {
  if (speaks(definition)) {
    const settings = agentSettings(definition)
    return { settings, outcome: optionsOf(CALL_OUTCOME_SETTINGS, settings) }
  }
  const settings = chatAgentSettings(definition)
  return { settings, outcome: optionsOf(CHAT_OUTCOME_SETTINGS, settings) }
}

/** Where an agent version wants the events of its conversations told. */
export function agentWebhookOf(definition: StoredAgentSettings | StoredChatAgentSettings): AgentWebhook {
  const { settings } = withOutcome(definition)
  return { ...optionsOf(WEBHOOK_SETTINGS, settings), events: settings.webhook_events }
}
