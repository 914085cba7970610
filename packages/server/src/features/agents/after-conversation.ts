import { CALL_ANALYSIS_PRESETS, CHAT_ANALYSIS_PRESETS, PII_CATEGORIES } from '@parley/contract/after-conversation'
import type { Agent } from '@parley/contract/agent'
import { AFTERWARDS_DEFAULTS, CALL_WEBHOOK_EVENTS, CHAT_WEBHOOK_EVENTS } from '@parley/contract/agent-afterwards'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { AfterConversation } from '../../kernel/pinned-agent.ts'
import type { AgentWebhook } from '../../kernel/webhook-events.ts'

/**
 * What agents say about the time after a conversation. Definitions from before these settings lack them: whoever reads one
 * gets the defaults, and an edit stores only what it names, so that an edit of nothing changes nothing.
 */

const SETTINGS = [
  'end_chat_after_silence_ms',
  'auto_close_message',
  'data_storage_setting',
  'data_storage_retention_days',
  'pii_config',
  'webhook_url',
  'webhook_events',
  'webhook_timeout_ms',
] as const

/** What agents of every kind say. */
export type AfterwardsSettings = Pick<ChatAgent, (typeof SETTINGS)[number]>
export type ChatAnalysisSettings = Pick<ChatAgent, 'post_chat_analysis_data' | 'post_chat_analysis_model'>
export type CallAnalysisSettings = Pick<Agent, 'post_call_analysis_data' | 'post_call_analysis_model'>

/** What is stored of an agent of either kind; only one that speaks has a voice. */
export interface AfterwardsDefinition
  extends Partial<AfterwardsSettings>,
    Partial<ChatAnalysisSettings>,
    Partial<CallAnalysisSettings> {
  readonly voice_id?: string
}

/** As answers carry them. */
export function afterwardsSettings(definition: AfterwardsDefinition): AfterwardsSettings {
  return {
    end_chat_after_silence_ms: definition.end_chat_after_silence_ms ?? AFTERWARDS_DEFAULTS.end_chat_after_silence_ms,
    auto_close_message: definition.auto_close_message ?? AFTERWARDS_DEFAULTS.auto_close_message,
    data_storage_setting: definition.data_storage_setting ?? AFTERWARDS_DEFAULTS.data_storage_setting,
    data_storage_retention_days:
      definition.data_storage_retention_days ?? AFTERWARDS_DEFAULTS.data_storage_retention_days,
    pii_config: definition.pii_config ?? AFTERWARDS_DEFAULTS.pii_config,
    webhook_url: definition.webhook_url ?? AFTERWARDS_DEFAULTS.webhook_url,
    webhook_events: [...new Set(definition.webhook_events ?? defaultEvents(definition))],
    webhook_timeout_ms: definition.webhook_timeout_ms ?? AFTERWARDS_DEFAULTS.webhook_timeout_ms,
  }
}

export function chatAnalysisSettings(definition: AfterwardsDefinition): ChatAnalysisSettings {
  return {
    post_chat_analysis_data: definition.post_chat_analysis_data ?? [...CHAT_ANALYSIS_PRESETS],
    post_chat_analysis_model: definition.post_chat_analysis_model ?? null,
  }
}

export function callAnalysisSettings(definition: AfterwardsDefinition): CallAnalysisSettings {
  return {
    post_call_analysis_data: definition.post_call_analysis_data ?? [...CALL_ANALYSIS_PRESETS],
    post_call_analysis_model: definition.post_call_analysis_model ?? null,
  }
}

type Given<Settings> = { readonly [Name in keyof Settings]?: Settings[Name] | undefined }

/** What a body or a stored definition says about the time after its conversations, in the words of every kind of agent. */
export function givenAfterwards(from: Given<AfterwardsSettings>): Partial<AfterwardsSettings> {
  return givenSettings(from, SETTINGS)
}

export function givenChatAnalysis(from: Given<ChatAnalysisSettings>): Partial<ChatAnalysisSettings> {
  return givenSettings(from, ['post_chat_analysis_data', 'post_chat_analysis_model'])
}

export function givenCallAnalysis(from: Given<CallAnalysisSettings>): Partial<CallAnalysisSettings> {
  return givenSettings(from, ['post_call_analysis_data', 'post_call_analysis_model'])
}

/** Without the keys that are not given, so that nothing given is overwritten by them. */
function givenSettings<Settings>(from: Given<Settings>, names: readonly (keyof Settings)[]): Partial<Settings> {
  const given = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])
  return Object.fromEntries(given) as Partial<Settings>
}

/** What becomes of the conversations of an agent version. A chat with an agent that speaks is analysed as its calls are. */
export function afterConversationOf(definition: AfterwardsDefinition): AfterConversation {
  const settings = afterwardsSettings(definition)
  const call = callAnalysisSettings(definition)
  const chat = chatAnalysisSettings(definition)
  const categories = settings.pii_config?.categories ?? []
  return {
    analysisItems: speaks(definition) ? call.post_call_analysis_data : chat.post_chat_analysis_data,
    analysisModel: speaks(definition) ? call.post_call_analysis_model : chat.post_chat_analysis_model,
    endAfterSilenceMs: settings.end_chat_after_silence_ms,
    autoCloseMessage: settings.auto_close_message,
    storage: settings.data_storage_setting,
    piiCategories: categories.length === 0 ? PII_CATEGORIES : categories,
    retentionDays: settings.data_storage_retention_days,
  }
}

/** Where an agent version wants the events of its conversations told. */
export function agentWebhookOf(definition: AfterwardsDefinition): AgentWebhook {
  const { webhook_url, webhook_events, webhook_timeout_ms } = afterwardsSettings(definition)
  return { url: webhook_url, events: webhook_events, timeoutMs: webhook_timeout_ms }
}

function speaks(definition: AfterwardsDefinition): boolean {
  return definition.voice_id !== undefined
}

function defaultEvents(definition: AfterwardsDefinition): WebhookEventName[] {
  return speaks(definition) ? [...CALL_WEBHOOK_EVENTS, ...CHAT_WEBHOOK_EVENTS] : [...CHAT_WEBHOOK_EVENTS]
}
