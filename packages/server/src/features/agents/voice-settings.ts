import { VOICE_SETTING_DEFAULTS, VOICE_SETTING_NAMES, type VoiceSettings } from '@parley/contract/voice-settings'
import type { AgentVoiceSettings } from '@parley/engine/voice/agent-voice-settings'
import type { EngineInCalls } from './load-engine.ts'
import type { VoiceAgentDefinition } from './voice-agent-kind.ts'

/**
 * What agents say about how they sound and listen. Definitions from before these settings lack them: whoever reads one gets
 * the defaults, and an edit stores only what it names.
 */

type Given = { readonly [Name in keyof VoiceSettings]?: VoiceSettings[Name] | undefined }

/** What a body or a stored definition says, without the keys that are not given. */
export function givenVoiceSettings(from: Given): Partial<VoiceSettings> {
  const given = VOICE_SETTING_NAMES.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])
  return Object.fromEntries(given) as Partial<VoiceSettings>
}

/** As answers carry them. */
export function voiceSettings(definition: Given): VoiceSettings {
  return { ...VOICE_SETTING_DEFAULTS, ...givenVoiceSettings(definition) }
}

/** How the calls of an agent version are led, with all that its engine says about it. */
export function agentVoiceOf(definition: VoiceAgentDefinition, engine: EngineInCalls): AgentVoiceSettings {
  const settings = voiceSettings(definition)
  const { custom_stt_config: stt, user_dtmf_options: dtmf } = settings
  return {
    voiceId: definition.voice_id,
    fallbackVoiceIds: settings.fallback_voice_ids,
    language: definition.language,
    voiceModel: settings.voice_model,
    voiceTemperature: settings.voice_temperature,
    voiceSpeed: settings.voice_speed,
    voiceEmotion: settings.voice_emotion,
    volume: settings.volume,
    ambientSound: definition.ambient_sound,
    ambientSoundVolume: settings.ambient_sound_volume,
    normalizeForSpeech: settings.normalize_for_speech,
    pronunciationDictionary: settings.pronunciation_dictionary,
    boostedKeywords: settings.boosted_keywords,
    sttMode: settings.stt_mode,
    customSttConfig: stt === null ? null : { provider: stt.provider, endpointingMs: stt.endpointing_ms },
    responseThresholdMs: definition.response_threshold,
    responsiveness: engine.responsiveness,
    enableDynamicResponsiveness: settings.enable_dynamic_responsiveness,
    interruptionSensitivity: definition.interruption_sensitivity,
    enableBackchannel: settings.enable_backchannel,
    backchannelFrequency: settings.backchannel_frequency,
    backchannelWords: settings.backchannel_words,
    reminderTriggerMs: settings.reminder_trigger_ms,
    reminderMaxCount: settings.reminder_max_count,
    beginMessageDelayMs: settings.begin_message_delay_ms,
    beginAfterUserSilenceMs: engine.beginAfterUserSilenceMs,
    endCallAfterSilenceMs: settings.end_call_after_silence_ms,
    maxCallDurationMs: definition.max_call_duration_ms,
    allowUserDtmf: settings.allow_user_dtmf,
    allowDtmfInterruption: settings.allow_dtmf_interruption,
    userDtmf: { digitLimit: dtmf.digit_limit, terminationKey: dtmf.termination_key, timeoutMs: dtmf.timeout_ms },
  }
}
