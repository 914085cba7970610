import { defineSettings } from './setting.ts'

/** What is found out about conversations and told of them: the same settings, under the names and with the events of a kind. */

/** Which events the own address of an agent is told unless it says otherwise: of chats, and of calls where it speaks. */
export const CHAT_WEBHOOK_EVENTS = ['chat_started', 'chat_ended', 'chat_analyzed'] as const
export const CALL_WEBHOOK_EVENTS = ['call_started', 'call_ended', 'call_analyzed'] as const

const ANALYSIS_DATA = {
  type: 'custom',
  description:
    'What is found out once it is over. Summary, success and the mood of the user are found out in any case; naming ' +
    'them describes them. An empty list: nothing is found out. Null: those three.',
  option: 'analysisItems',
  group: 'analysis',
  label: 'Analysis',
} as const

const ANALYSIS_MODEL = {
  type: 'text',
  default: null,
  example: 'provider/model',
  description: 'Model that finds it out. Null: that of the engine; rules where there is none.',
  option: 'analysisModel',
  group: 'analysis',
  label: 'Model that finds it out',
  help: 'Left empty: that of the prompt or flow.',
} as const

const EVENTS = {
  type: 'custom',
  description: 'What `webhook_url` is told of. Null: start, end and analysis.',
  group: 'webhook',
  label: 'What the webhook is told',
} as const

/** Of agents with a voice, whose chats are analysed as their calls are. */
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

/** Of chat agents. */
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
