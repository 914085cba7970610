import type { LegRateHz } from '@parley/engine/audio/frame'
import type { SpeechRequest } from '@parley/engine/voice/ports'
import { buildSocketUrl } from '../vendor-socket.ts'
import { toLanguageCode } from './elevenlabs-api.ts'

/** Properties that all contexts of a socket have in common. */
export interface VoiceChannel {
  readonly voice: string
  readonly model: string
  readonly rateHz: LegRateHz
  /** Language code, or undefined if the model detects the language. */
  readonly language: string | undefined
}

/** `multi`: several contexts at a time. `single`: one text for each socket, for voices and models without contexts. */
export type SocketMode = 'multi' | 'single'

/** A text with its voice settings, or null for the voice's own settings. */
export interface ContextText {
  readonly text: string
  readonly settings: VoiceSettings | null
}

export interface VoiceSettings {
  readonly stability: number
  readonly similarity_boost: number
  readonly speed: number
}

const MIN_SPEED = 0.7
const MAX_SPEED = 1.2
const DEFAULT_SIMILARITY = 0.75
const MAX_TEMPERATURE = 2
/** The vendor closes a context without messages after this time. The API allows at most this value. */
const INACTIVITY_TIMEOUT_SECONDS = 180
const PATHS: Readonly<Record<SocketMode, string>> = { multi: 'multi-stream-input', single: 'stream-input' }

/** Only these models accept a language. */
const LANGUAGE_MODELS = /^eleven_(?:flash|turbo)_v2_5/

/** Returns the channel of a request. `defaultModel` is used for requests without a model. */
export function toVoiceChannel(
  { voice, model, language, rateHz }: Pick<SpeechRequest, 'voice' | 'model' | 'language' | 'rateHz'>,
  defaultModel: string,
): VoiceChannel {
  const channelModel = model ?? defaultModel
  const languageCode = LANGUAGE_MODELS.test(channelModel) ? toLanguageCode(language) : undefined
  return { voice, model: channelModel, rateHz, language: languageCode }
}

/**
 * Maps speed and temperature to voice settings. Temperature 0 is full stability, 1 the default of 0.5 and 2 none. Returns null
 * for the defaults, because sent settings replace those that were saved with the voice.
 */
export function toVoiceSettings({
  speed,
  temperature,
}: Pick<SpeechRequest, 'speed' | 'temperature'>): VoiceSettings | null {
  if (speed === 1 && temperature === 1) return null
  return {
    stability: 1 - Math.min(MAX_TEMPERATURE, Math.max(0, temperature)) / MAX_TEMPERATURE,
    similarity_boost: DEFAULT_SIMILARITY,
    speed: Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed)),
  }
}

export function buildSpeechUrl(baseUrl: string, channel: VoiceChannel, mode: SocketMode): URL {
  return buildSocketUrl(baseUrl, `/v1/text-to-speech/${encodeURIComponent(channel.voice)}/${PATHS[mode]}`, {
    model_id: channel.model,
    language_code: channel.language,
    output_format: `pcm_${channel.rateHz}`,
    // Each request is a whole clause, so the vendor need not wait for more text.
    auto_mode: true,
    sync_alignment: true,
    // The text is already normalized. Normalizing it again would change its words and delay the audio.
    apply_text_normalization: 'off',
    inactivity_timeout: INACTIVITY_TIMEOUT_SECONDS,
  })
}

/** Builds the messages that speak a text. The last one makes the vendor report the end. No message may follow it. */
export function buildContextMessages(
  mode: SocketMode,
  contextId: string,
  { text, settings }: ContextText,
): readonly Readonly<Record<string, unknown>>[] {
  const context = mode === 'multi' ? { context_id: contextId } : {}
  const voiceSettings = settings === null ? {} : { voice_settings: settings }
  return [
    { text: ' ', ...context, ...voiceSettings },
    // The vendor requires a space after each text.
    { text: `${text.trim()} `, ...context, flush: true },
    mode === 'multi' ? { ...context, close_context: true } : { text: '' },
  ]
}
