import type { AMBIENT_SOUNDS } from '@parley/contract/agent'
import type { PHONETIC_ALPHABETS, STT_MODES, VOICE_EMOTIONS } from '@parley/contract/voice-settings'

/** How an agent sounds and listens in calls, as its version says, with every default filled in. */
export interface AgentVoiceSettings {
  readonly voiceId: string
  /** Of other providers, in the order in which they take over. Some may not exist any more. */
  readonly fallbackVoiceIds: readonly string[]
  /** Language tag such as `en-US`. */
  readonly language: string
  /** As the provider of the voice names it; `null`: its default. */
  readonly voiceModel: string | null
  /** 0 to 2; 1 is the voice's own. */
  readonly voiceTemperature: number
  /** 0.5 to 2; 1 is the voice's own. */
  readonly voiceSpeed: number
  readonly voiceEmotion: (typeof VOICE_EMOTIONS)[number] | null
  /** 0 to 2; 1 leaves it as it is. */
  readonly volume: number
  readonly ambientSound: (typeof AMBIENT_SOUNDS)[number]
  /** 0 to 2. */
  readonly ambientSoundVolume: number
  readonly normalizeForSpeech: boolean
  readonly pronunciationDictionary: readonly {
    readonly word: string
    readonly alphabet: (typeof PHONETIC_ALPHABETS)[number]
    readonly phoneme: string
  }[]
  /** Words for recognisers to expect; may hold `{{variables}}`. */
  readonly boostedKeywords: readonly string[]
  readonly sttMode: (typeof STT_MODES)[number]
  readonly customSttConfig: { readonly provider: string; readonly endpointingMs: number | null } | null
  readonly responseThresholdMs: number
  /** `slow`, `balanced`, `fast` or a decimal from 0 to 1: that of the engine. */
  readonly responsiveness: string
  readonly enableDynamicResponsiveness: boolean
  /** `none`, `low`, `medium`, `high` or a decimal from 0 to 1. */
  readonly interruptionSensitivity: string
  readonly enableBackchannel: boolean
  readonly backchannelFrequency: number
  /** None: usual words of the language. */
  readonly backchannelWords: readonly string[]
  readonly reminderTriggerMs: number
  readonly reminderMaxCount: number
  readonly beginMessageDelayMs: number
  /** Of the engine: when the caller shall begin and is silent for so long, the agent does; `null`: never. */
  readonly beginAfterUserSilenceMs: number | null
  readonly endCallAfterSilenceMs: number
  readonly maxCallDurationMs: number
  readonly allowUserDtmf: boolean
  readonly allowDtmfInterruption: boolean
  readonly userDtmf: {
    readonly digitLimit: number | null
    readonly terminationKey: string | null
    readonly timeoutMs: number
  }
}
