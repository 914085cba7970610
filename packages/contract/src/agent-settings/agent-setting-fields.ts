import { z } from 'zod'
import { AnalysisItem, AnalysisItems, DataStorageSetting, PiiConfig, PiiConfigInput } from '../after-conversation.ts'
import { enumOrDecimal, id, integer, orDefault, Timezone } from '../fields.ts'
import { ModelName } from '../model-name.ts'
import { defineObject } from '../named-object.ts'
import { WEBHOOK_EVENTS, type WebhookEventName } from '../webhook-event.ts'
import { SHARED_SETTINGS } from './agent-settings.ts'
import {
  CALL_OUTCOME_SETTINGS,
  CALL_WEBHOOK_EVENTS,
  CHAT_OUTCOME_SETTINGS,
  CHAT_WEBHOOK_EVENTS,
} from './outcome-settings.ts'
import { buildSettingFields } from './setting-fields.ts'
import { MAX_FALLBACK_VOICES, VOICE_ID_SETTING, VOICE_SETTINGS } from './voice-settings.ts'

/** Schemas of all agent settings, including schemas that a descriptor cannot express. */

/** Phonetic alphabets of pronunciations. */
const PHONETIC_ALPHABETS = ['ipa', 'cmu', 'pinyin', 'jyutping'] as const

const PronunciationEntry = defineObject('PronunciationEntry', {
  word: z.string().trim().min(1).max(100).describe('Word as written, case-insensitive.'),
  alphabet: z.enum(PHONETIC_ALPHABETS).describe('Alphabet of `phoneme`.'),
  phoneme: z.string().trim().min(1).max(200).describe('Pronunciation, such as `ˈpɑɹli` or `P AA1 R L IY0`.'),
})

const DIGIT_LIMIT = 'Number of digits after which the digits are sent to the agent. If null, there is no limit.'
const TERMINATION_KEY = 'Key that ends the input without being part of it. If null, no key ends the input.'
const DTMF_TIMEOUT = 'Milliseconds after the last digit before the digits are sent to the agent. Defaults to 3000.'

/** Rules for when a caller's keypad input becomes a turn. */
const UserDtmfOptions = defineObject('UserDtmfOptions', {
  digit_limit: z.int().nullable().describe(DIGIT_LIMIT),
  termination_key: z.string().nullable().describe(TERMINATION_KEY),
  timeout_ms: z.int().describe(DTMF_TIMEOUT),
})

const DtmfOptionsInput = defineObject('UserDtmfOptionsInput', {
  digit_limit: integer(1, 50).nullable().default(null).describe(DIGIT_LIMIT),
  termination_key: z
    .string()
    .regex(/^[0-9#*]$/, 'must be one key: 0 to 9, "#" or "*"')
    .nullable()
    .default(null)
    .describe(TERMINATION_KEY),
  timeout_ms: orDefault(
    integer(1_000, 15_000).describe(DTMF_TIMEOUT),
    () => VOICE_SETTINGS.user_dtmf_options.default.timeout_ms,
  ),
})

const STT_PROVIDER = 'Name of a configured speech recognition provider, such as `openai`.'
const ENDPOINTING =
  'Milliseconds of silence that end an utterance, if the provider has such a setting (Deepgram). If null, the provider’s ' +
  'default is used.'

/** Speech recognition for `stt_mode` `custom`. */
const CustomSttConfig = defineObject('CustomSttConfig', {
  provider: z.string().describe(STT_PROVIDER),
  endpointing_ms: z.int().nullable().describe(ENDPOINTING),
})

const SttConfigInput = defineObject('CustomSttConfigInput', {
  provider: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be a provider name such as "openai"')
    .describe(STT_PROVIDER),
  endpointing_ms: integer(10, 10_000).nullable().default(null).describe(ENDPOINTING),
})

const Language = z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/, 'must be a language tag such as "en-US"')

const WebhookUrl = z
  .string()
  .max(2048, { abort: true })
  .regex(/^https?:\/\/[^/\s]+\S*$/i, { error: 'must start with http:// or https://', abort: true })
  .refine((url) => URL.canParse(url), { error: 'must be a URL' })

/** Settings that all agents share. */
export const sharedSettingFields = buildSettingFields(SHARED_SETTINGS, {
  language: { body: Language, response: z.string() },
  timezone: { body: Timezone, response: z.string() },
  fallback_models: {
    body: z.array(ModelName).max(SHARED_SETTINGS.fallback_models.maxItems),
    response: z.array(z.string()),
  },
  data_storage_setting: { body: DataStorageSetting },
  pii_config: { body: PiiConfigInput.nullable(), response: PiiConfig.nullable() },
  webhook_url: { body: WebhookUrl.nullable(), response: z.string().nullable() },
})

/** The voice setting of agents with a voice. */
export const voiceIdField = buildSettingFields(VOICE_ID_SETTING, { voice_id: { body: id(), response: z.string() } })
export const voiceSettingFields = buildSettingFields(VOICE_SETTINGS, {
  interruption_sensitivity: { body: enumOrDecimal(['none', 'low', 'medium', 'high']), response: z.string() },
  fallback_voice_ids: { body: z.array(id()).max(MAX_FALLBACK_VOICES) },
  pronunciation_dictionary: { body: z.array(PronunciationEntry).max(200) },
  user_dtmf_options: { body: DtmfOptionsInput, response: UserDtmfOptions },
  custom_stt_config: { body: SttConfigInput.nullable(), response: CustomSttConfig.nullable() },
})

const chatEvents = [...CHAT_WEBHOOK_EVENTS, 'transcript_updated'] as const satisfies readonly WebhookEventName[]
const voiceEvents = [...CALL_WEBHOOK_EVENTS, ...chatEvents] as const satisfies readonly WebhookEventName[]
const AnyEvents = z.array(z.enum(WEBHOOK_EVENTS))
const AnalysisModel = { body: ModelName.nullable(), response: z.string().nullable() }
const AnalysisData = { body: AnalysisItems, response: z.array(AnalysisItem) }

export const callOutcomeFields = buildSettingFields(CALL_OUTCOME_SETTINGS, {
  post_call_analysis_data: AnalysisData,
  post_call_analysis_model: AnalysisModel,
  webhook_events: { body: z.array(z.enum(voiceEvents)).max(voiceEvents.length), response: AnyEvents },
})

export const chatOutcomeFields = buildSettingFields(CHAT_OUTCOME_SETTINGS, {
  post_chat_analysis_data: AnalysisData,
  post_chat_analysis_model: AnalysisModel,
  webhook_events: { body: z.array(z.enum(chatEvents)).max(chatEvents.length), response: AnyEvents },
})
