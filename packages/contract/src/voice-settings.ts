import { z } from 'zod'
import { clearable, id, integer, orDefault } from './fields.ts'

/** How agents sound and listen in calls. Chats with the same agents know nothing of it. */

/** Ways of writing down how a word is pronounced. */
export const PHONETIC_ALPHABETS = ['ipa', 'cmu', 'pinyin', 'jyutping'] as const

/** What a voice can be asked to feel. */
export const VOICE_EMOTIONS = ['calm', 'sympathetic', 'happy', 'sad', 'angry', 'fearful', 'surprised'] as const

/** How speech becomes text. */
export const STT_MODES = ['fast', 'accurate', 'custom'] as const

export const PronunciationEntry = z
  .object({
    word: z.string().trim().min(1).max(100).meta({ description: 'The word as it is written, in any case.' }),
    alphabet: z.enum(PHONETIC_ALPHABETS).meta({ description: 'How `phoneme` is written.' }),
    phoneme: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .meta({ description: 'How it sounds, such as `ˈpɑɹli` or `P AA1 R L IY0`.' }),
  })
  .meta({ id: 'PronunciationEntry' })

const DIGIT_LIMIT = { description: 'So many digits are a turn at once. Null: any number.' }
const TERMINATION_KEY = { description: 'A key that ends the digits and is not one of them. Null: none.' }
const DTMF_TIMEOUT = { description: 'Milliseconds after the last digit when the digits are a turn; 3000 by default.' }

/** When the digits that a caller pressed are a turn. */
export const UserDtmfOptions = z
  .object({
    digit_limit: z.int().nullable().meta(DIGIT_LIMIT),
    termination_key: z.string().nullable().meta(TERMINATION_KEY),
    timeout_ms: z.int().meta(DTMF_TIMEOUT),
  })
  .meta({ id: 'UserDtmfOptions' })

const DEFAULT_DTMF_TIMEOUT_MS = 3_000
const DtmfOptionsInput = z
  .object({
    digit_limit: integer(1, 50).nullable().default(null).meta(DIGIT_LIMIT),
    termination_key: z
      .string()
      .regex(/^[0-9#*]$/, 'must be one key: 0 to 9, "#" or "*"')
      .nullable()
      .default(null)
      .meta(TERMINATION_KEY),
    timeout_ms: orDefault(integer(1_000, 15_000).meta(DTMF_TIMEOUT), () => DEFAULT_DTMF_TIMEOUT_MS),
  })
  .meta({ id: 'UserDtmfOptionsInput' })

const STT_PROVIDER = { description: 'Name of a configured provider of speech recognition, such as `openai`.' }
const ENDPOINTING = {
  description: 'Milliseconds of silence after which it takes an utterance for over. Null: its own.',
}

/** Which recogniser hears the caller where `stt_mode` is `custom`. */
export const CustomSttConfig = z
  .object({
    provider: z.string().meta(STT_PROVIDER),
    endpointing_ms: z.int().nullable().meta(ENDPOINTING),
  })
  .meta({ id: 'CustomSttConfig' })

const SttConfigInput = z
  .object({
    provider: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be the name of a provider, such as "openai"')
      .meta(STT_PROVIDER),
    endpointing_ms: integer(10, 10_000).nullable().default(null).meta(ENDPOINTING),
  })
  .meta({ id: 'CustomSttConfigInput' })

const DTMF_OPTIONS = { description: 'When the digits that a caller pressed are a turn. Null: 3000 ms after the last.' }
const STT_CONFIG = { description: 'With `stt_mode` `custom`: what to recognise speech with. Null: as `fast` does.' }

const words = (longest: number, most: number) => z.array(z.string().trim().min(1).max(longest)).max(most)
const factor = (minimum: number) => z.number().min(minimum).max(2)

/** Settings that answers tell as bodies carry them. */
const plainSettings = {
  voice_model: z.string().min(1).max(200).nullable().meta({
    description: 'Model that the provider of the voice speaks with, by the provider’s own name. Null: its default.',
  }),
  voice_temperature: factor(0).meta({
    description: 'How freely the voice varies, from 0 to 2, where its provider can vary it; 1 is the provider’s own.',
  }),
  voice_speed: factor(0.5).meta({ description: 'Speed of the voice, from 0.5 to 2; 1 is its own.' }),
  voice_emotion: z.enum(VOICE_EMOTIONS).nullable().meta({
    description: 'How the voice feels, where its provider can express it. Null: as it does by itself.',
  }),
  volume: factor(0).meta({ description: 'Loudness of the agent, from 0 to 2; 1 leaves the voice as it is.' }),
  fallback_voice_ids: z.array(id()).max(5).meta({
    description:
      'Voices of other providers than that of `voice_id`, which take over in this order when it does not answer in time.',
  }),
  ambient_sound_volume: factor(0).meta({ description: 'Loudness of `ambient_sound`, from 0 to 2.' }),
  enable_backchannel: z.boolean().meta({
    description: 'The agent says words such as "mhm" while the caller speaks at length.',
  }),
  backchannel_frequency: z.number().min(0).max(1).meta({
    description: 'How many of the pauses in which it could do so it uses, from 0 to 1.',
  }),
  backchannel_words: words(40, 50).meta({ description: 'What it says then. None: usual words of the language.' }),
  reminder_trigger_ms: integer(1, 3_600_000).meta({
    description: 'Milliseconds in which nobody speaks until the agent reminds the caller; 10000 by default.',
  }),
  reminder_max_count: integer(0, 100).meta({
    description: 'How often at most before the caller speaks again; 0 never reminds.',
  }),
  begin_message_delay_ms: integer(0, 5_000).meta({
    description: 'Milliseconds that the agent waits before its first words.',
  }),
  end_call_after_silence_ms: integer(10_000, 7_200_000).meta({
    description: 'Milliseconds of silence after which a call is ended; 600000, ten minutes, by default.',
  }),
  boosted_keywords: words(100, 100).meta({
    description: 'Words for speech recognition to expect, such as names of products; may hold `{{variables}}`.',
  }),
  pronunciation_dictionary: z
    .array(PronunciationEntry)
    .max(200)
    .meta({
      description:
        'How words sound, for agents that speak English: their voice reads a respelling of `ipa` and `cmu`. Entries in `pinyin` and ' +
        '`jyutping`, and all entries of agents in other languages, are kept and change nothing.',
    }),
  normalize_for_speech: z.boolean().meta({
    description:
      'Numbers, amounts, dates, times, phone numbers and addresses become words before they are spoken, in English, German, ' +
      'French, Spanish, Italian, Portuguese and Dutch. Otherwise the voice reads them in its own way.',
  }),
  stt_mode: z.enum(STT_MODES).meta({
    description:
      'How speech becomes text: `fast`, `accurate` (later, with the better model where a provider has two) or `custom`, ' +
      'which takes `custom_stt_config`.',
  }),
  allow_user_dtmf: z.boolean().meta({ description: 'Keys that the caller presses are heard.' }),
  allow_dtmf_interruption: z.boolean().meta({ description: 'Pressing a key stops the agent.' }),
  enable_dynamic_responsiveness: z.boolean().meta({
    description: 'The agent waits longer for callers who make longer pauses within what they say.',
  }),
}

const settings = {
  ...plainSettings,
  user_dtmf_options: DtmfOptionsInput.meta(DTMF_OPTIONS),
  custom_stt_config: SttConfigInput.nullable().meta(STT_CONFIG),
}

/** What answers tell of an agent's voice. */
export const voiceSettingsFields = {
  ...plainSettings,
  user_dtmf_options: UserDtmfOptions.meta(DTMF_OPTIONS),
  custom_stt_config: CustomSttConfig.nullable().meta(STT_CONFIG),
}

type Settings = typeof settings
export type VoiceSettings = { [Name in keyof Settings]: z.output<Settings[Name]> }
export const VOICE_SETTING_NAMES = Object.keys(settings) as readonly (keyof VoiceSettings)[]

/** What an agent has when its creator said nothing. */
export const VOICE_SETTING_DEFAULTS: Readonly<VoiceSettings> = {
  voice_model: null,
  voice_temperature: 1,
  voice_speed: 1,
  voice_emotion: null,
  volume: 1,
  fallback_voice_ids: [],
  ambient_sound_volume: 1,
  enable_backchannel: false,
  backchannel_frequency: 0.8,
  backchannel_words: [],
  reminder_trigger_ms: 10_000,
  reminder_max_count: 1,
  begin_message_delay_ms: 0,
  end_call_after_silence_ms: 600_000,
  boosted_keywords: [],
  pronunciation_dictionary: [],
  normalize_for_speech: true,
  stt_mode: 'fast',
  custom_stt_config: null,
  allow_user_dtmf: true,
  allow_dtmf_interruption: false,
  user_dtmf_options: { digit_limit: null, termination_key: null, timeout_ms: DEFAULT_DTMF_TIMEOUT_MS },
  enable_dynamic_responsiveness: true,
}

/** A copy, so that nobody changes what others are given. */
function defaultOf<Name extends keyof Settings>(name: Name): z.output<Settings[Name]> {
  return structuredClone(VOICE_SETTING_DEFAULTS[name])
}

type OrDefault<Schema> = Schema extends z.ZodType ? ReturnType<typeof orDefault<Schema>> : never
type Clearable<Schema> = Schema extends z.ZodType ? ReturnType<typeof clearable<Schema>> : never

function eachSetting(make: (schema: z.ZodType, makeDefault: () => unknown) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(VOICE_SETTING_NAMES.map((name) => [name, make(settings[name], () => defaultOf(name))]))
}

/** What the bodies that create an agent carry: what is absent or null has its default. */
export const newVoiceSettings = eachSetting(orDefault) as { [Name in keyof Settings]: OrDefault<Settings[Name]> }

/** The same as PATCH bodies carry them: absent stays, null returns to the default. */
export const changedVoiceSettings = eachSetting(clearable) as { [Name in keyof Settings]: Clearable<Settings[Name]> }
