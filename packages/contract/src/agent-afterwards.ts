import { z } from 'zod'
import {
  AnalysisItem,
  AnalysisItems,
  CALL_ANALYSIS_PRESETS,
  CHAT_ANALYSIS_PRESETS,
  DataStorageSetting,
  EndChatAfterSilenceMs,
  PiiConfig,
  PiiConfigInput,
  RetentionDays,
} from './after-conversation.ts'
import { clearable, integer, orDefault, text } from './fields.ts'
import { ModelName } from './model-name.ts'
import { WEBHOOK_EVENTS, type WebhookEventName } from './webhook-event.ts'

/** What agents say about the end of their conversations: when silence ends one, what is found out, stored and told then. */

/** What an agent has when its creator said nothing. */
export const AFTERWARDS_DEFAULTS = {
  end_chat_after_silence_ms: 3_600_000,
  auto_close_message: null,
  data_storage_setting: 'everything',
  data_storage_retention_days: null,
  pii_config: null,
  webhook_url: null,
  webhook_timeout_ms: 10_000,
} as const

/** What the own address of an agent is told: of chats, and of calls where the agent speaks. */
export const CHAT_WEBHOOK_EVENTS = ['chat_started', 'chat_ended', 'chat_analyzed'] as const
export const CALL_WEBHOOK_EVENTS = ['call_started', 'call_ended', 'call_analyzed'] as const

const chatEvents = [...CHAT_WEBHOOK_EVENTS, 'transcript_updated'] as const satisfies readonly WebhookEventName[]
const voiceEvents = [...CALL_WEBHOOK_EVENTS, ...chatEvents] as const satisfies readonly WebhookEventName[]

const END_AFTER_SILENCE = {
  description: 'Milliseconds of silence after which a chat is ended; 3600000, an hour, by default.',
}
const AUTO_CLOSE_MESSAGE = {
  description: 'Stands last in a chat that was ended for its silence. Null: nothing is said.',
}
const ANALYSIS_DATA = {
  description:
    'What is found out once it is over. Summary, success and the mood of the user are found out in any case; naming ' +
    'them describes them. An empty list: nothing is found out. Null: those three.',
}
const ANALYSIS_MODEL = {
  description: 'Model that finds it out. Null: that of the engine; rules where there is none.',
}
const STORAGE_SETTING = {
  description:
    'What is kept once a conversation is over: `everything`, `everything_except_pii` (personal data is replaced by ' +
    'words such as `[email]`; recordings of calls are removed, since nothing can be taken out of sound) or ' +
    '`basic_attributes_only` (nothing that was said).',
}
const RETENTION_DAYS = { description: 'Days after its end when a conversation is deleted. Null: never.' }
const PII_CONFIG = {
  description: 'Which personal data `everything_except_pii` leaves out. Null: all that is known.',
}
const WEBHOOK_URL = {
  description: 'Address that is told of its conversations in the place of the webhooks of the workspace. Null: those.',
}
const WEBHOOK_EVENTS_OF_AGENT = { description: 'What `webhook_url` is told of. Null: start, end and analysis.' }
const WEBHOOK_TIMEOUT = { description: 'Milliseconds that an answer of `webhook_url` may take; 10000 by default.' }

/** What answers tell of every kind of agent about the time after a conversation. */
export const afterwardsFields = {
  end_chat_after_silence_ms: z.int().meta(END_AFTER_SILENCE),
  auto_close_message: z.string().nullable().meta(AUTO_CLOSE_MESSAGE),
  data_storage_setting: DataStorageSetting.meta(STORAGE_SETTING),
  data_storage_retention_days: z.int().nullable().meta(RETENTION_DAYS),
  pii_config: PiiConfig.nullable().meta(PII_CONFIG),
  webhook_url: z.string().nullable().meta(WEBHOOK_URL),
  webhook_events: z.array(z.enum(WEBHOOK_EVENTS)).meta(WEBHOOK_EVENTS_OF_AGENT),
  webhook_timeout_ms: z.int().meta(WEBHOOK_TIMEOUT),
}

/** How answers name the analysis of one kind of agent. */
export const chatAnalysisFields = {
  post_chat_analysis_data: z.array(AnalysisItem).meta(ANALYSIS_DATA),
  post_chat_analysis_model: z.string().nullable().meta(ANALYSIS_MODEL),
}
export const callAnalysisFields = {
  post_call_analysis_data: z.array(AnalysisItem).meta(ANALYSIS_DATA),
  post_call_analysis_model: z.string().nullable().meta(ANALYSIS_MODEL),
}

const settings = {
  end_chat_after_silence_ms: EndChatAfterSilenceMs.meta(END_AFTER_SILENCE),
  auto_close_message: text(8 * 1024)
    .nullable()
    .meta(AUTO_CLOSE_MESSAGE),
  data_storage_setting: DataStorageSetting.meta(STORAGE_SETTING),
  data_storage_retention_days: RetentionDays.nullable().meta(RETENTION_DAYS),
  pii_config: PiiConfigInput.nullable().meta(PII_CONFIG),
  webhook_url: z
    .string()
    .max(2048, { abort: true })
    .regex(/^https?:\/\/[^/\s]+\S*$/i, { error: 'must start with http:// or https://', abort: true })
    .refine((url) => URL.canParse(url), { error: 'must be an address' })
    .nullable()
    .meta(WEBHOOK_URL),
  webhook_timeout_ms: integer(1_000, 30_000).meta(WEBHOOK_TIMEOUT),
}

/** What the bodies that create an agent of any kind carry. */
export const newAfterwards = {
  end_chat_after_silence_ms: orDefault(
    settings.end_chat_after_silence_ms,
    () => AFTERWARDS_DEFAULTS.end_chat_after_silence_ms,
  ),
  auto_close_message: settings.auto_close_message.default(AFTERWARDS_DEFAULTS.auto_close_message),
  data_storage_setting: orDefault(settings.data_storage_setting, () => AFTERWARDS_DEFAULTS.data_storage_setting),
  data_storage_retention_days: settings.data_storage_retention_days.default(
    AFTERWARDS_DEFAULTS.data_storage_retention_days,
  ),
  pii_config: settings.pii_config.default(AFTERWARDS_DEFAULTS.pii_config),
  webhook_url: settings.webhook_url.default(AFTERWARDS_DEFAULTS.webhook_url),
  webhook_timeout_ms: orDefault(settings.webhook_timeout_ms, () => AFTERWARDS_DEFAULTS.webhook_timeout_ms),
}

/** The same as PATCH bodies carry them. */
export const changedAfterwards = {
  end_chat_after_silence_ms: clearable(
    settings.end_chat_after_silence_ms,
    () => AFTERWARDS_DEFAULTS.end_chat_after_silence_ms,
  ),
  auto_close_message: settings.auto_close_message.optional(),
  data_storage_setting: clearable(settings.data_storage_setting, () => AFTERWARDS_DEFAULTS.data_storage_setting),
  data_storage_retention_days: settings.data_storage_retention_days.optional(),
  pii_config: settings.pii_config.optional(),
  webhook_url: settings.webhook_url.optional(),
  webhook_timeout_ms: clearable(settings.webhook_timeout_ms, () => AFTERWARDS_DEFAULTS.webhook_timeout_ms),
}

const AnalysisModel = ModelName.nullable().meta(ANALYSIS_MODEL)
const AnalysisData = AnalysisItems.meta(ANALYSIS_DATA)
const ChatEvents = z.array(z.enum(chatEvents)).max(chatEvents.length).meta(WEBHOOK_EVENTS_OF_AGENT)
const VoiceEvents = z.array(z.enum(voiceEvents)).max(voiceEvents.length).meta(WEBHOOK_EVENTS_OF_AGENT)

const chatPresets = () => [...CHAT_ANALYSIS_PRESETS]
const callPresets = () => [...CALL_ANALYSIS_PRESETS]
const chatEventDefaults = (): (typeof chatEvents)[number][] => [...CHAT_WEBHOOK_EVENTS]
const voiceEventDefaults = (): (typeof voiceEvents)[number][] => [...CALL_WEBHOOK_EVENTS, ...CHAT_WEBHOOK_EVENTS]

/** What only the bodies of one kind of agent carry. */
export const newChatAfterwards = {
  post_chat_analysis_data: orDefault(AnalysisData, chatPresets),
  post_chat_analysis_model: AnalysisModel.default(null),
  webhook_events: orDefault(ChatEvents, chatEventDefaults),
}
export const changedChatAfterwards = {
  post_chat_analysis_data: clearable(AnalysisData, chatPresets),
  post_chat_analysis_model: AnalysisModel.optional(),
  webhook_events: clearable(ChatEvents, chatEventDefaults),
}
export const newVoiceAfterwards = {
  post_call_analysis_data: orDefault(AnalysisData, callPresets),
  post_call_analysis_model: AnalysisModel.default(null),
  webhook_events: orDefault(VoiceEvents, voiceEventDefaults),
}
export const changedVoiceAfterwards = {
  post_call_analysis_data: clearable(AnalysisData, callPresets),
  post_call_analysis_model: AnalysisModel.optional(),
  webhook_events: clearable(VoiceEvents, voiceEventDefaults),
}
