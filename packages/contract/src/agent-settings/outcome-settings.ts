import { defineSettings } from './setting.ts'

/** Analysis and webhook settings, which are the same for both kinds of agents but have different names. */

/** Default events of an agent webhook. */
export const CHAT_WEBHOOK_EVENTS = ['chat_started', 'chat_ended', 'chat_analyzed'] as const
export const CALL_WEBHOOK_EVENTS = ['call_started', 'call_ended', 'call_analyzed'] as const

const ANALYSIS_DATA = {
  type: 'custom',
  description:
    'Results to extract after a conversation, in addition to summary, success and user sentiment. List these three to ' +
    'customize them. An empty list turns the analysis off. If null, only these three results are extracted.',
  option: 'analysisItems',
  group: 'analysis',
  label: 'Analysis',
} as const

const ANALYSIS_MODEL = {
  type: 'text',
  default: null,
  example: 'provider/model',
  description:
    'Model for the analysis. If null, the response engine’s model is used, or rules if the engine has no model.',
  option: 'analysisModel',
  group: 'analysis',
  label: 'Analysis model',
  help: 'Leave empty to use the model set in the prompt or flow.',
} as const

const EVENTS = {
  type: 'custom',
  description: 'Events sent to `webhook_url`. If null, the start, end and analysis events are sent.',
  group: 'webhook',
  label: 'Webhook events',
} as const

/** Outcome settings of agents with a voice. Their chats are analyzed like calls. */
export const CALL_OUTCOME_SETTINGS = defineSettings({
  post_call_analysis_data: {
    ...ANALYSIS_DATA,
    default: [
      { type: 'system-presets', name: 'call_summary' },
      { type: 'system-presets', name: 'call_successful' },
      { type: 'system-presets', name: 'user_sentiment' },
    ],
  },
  post_call_analysis_model: ANALYSIS_MODEL,
  webhook_events: { ...EVENTS, default: [...CALL_WEBHOOK_EVENTS, ...CHAT_WEBHOOK_EVENTS] },
})

/** Outcome settings of chat agents. */
export const CHAT_OUTCOME_SETTINGS = defineSettings({
  post_chat_analysis_data: {
    ...ANALYSIS_DATA,
    default: [
      { type: 'system-presets', name: 'chat_summary' },
      { type: 'system-presets', name: 'chat_successful' },
      { type: 'system-presets', name: 'user_sentiment' },
    ],
  },
  post_chat_analysis_model: ANALYSIS_MODEL,
  webhook_events: { ...EVENTS, default: CHAT_WEBHOOK_EVENTS },
})
