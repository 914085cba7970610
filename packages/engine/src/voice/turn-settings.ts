import type { Agent } from '@parley/contract/agent'
import type { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import type { SpeakingSettings } from './session/session-ports.ts'
import type { TurnSettings } from './turn-machine/settings.ts'

/** A flow node's overrides. Absent fields keep the agent's value. */
export interface NodeVoiceSettings {
  readonly interruption_sensitivity?: string | undefined
  readonly responsiveness?: string | undefined
  readonly voice_speed?: number | undefined
  readonly reminder_trigger_ms?: number | undefined
  readonly reminder_max_count?: number | undefined
  readonly allow_dtmf_interruption?: boolean | undefined
}

/** Turn settings that depend on the call, not on the agent. */
interface CallTurnSettings {
  readonly agentName: string
  /** Sentence to speak if no model answers in time. */
  readonly fallbackSentence: string
  /** The transcriber's expected p99 delay for final text. */
  readonly transcriberP99Ms: number
}

/** Builds an agent's turn settings with a node's overrides. */
export function buildTurnSettings(
  agent: AgentVoiceSettings,
  call: CallTurnSettings,
  node: NodeVoiceSettings = {},
): TurnSettings {
  const { digit_limit: digitLimit, termination_key: terminationKey, timeout_ms: timeoutMs } = agent.userDtmf
  const options = selectTurnOptions(agent)
  return {
    ...options,
    responsivenessFactor: getResponsivenessFactor(node.responsiveness ?? agent.responsiveness),
    adaptsToPauses: agent.enableDynamicResponsiveness,
    interruptionAfterMs: getInterruptionAfterMs(node.interruption_sensitivity ?? agent.interruptionSensitivity),
    interruptible: true,
    transcriberP99Ms: call.transcriberP99Ms,
    reminderTriggerMs: node.reminder_trigger_ms ?? options.reminderTriggerMs,
    reminderMaxCount: node.reminder_max_count ?? options.reminderMaxCount,
    beginAfterUserSilenceMs: agent.beginAfterUserSilenceMs,
    allowDtmf: agent.allowUserDtmf,
    allowDtmfInterruption: node.allow_dtmf_interruption ?? options.allowDtmfInterruption,
    dtmf: { digitLimit, terminationKey, timeoutMs },
    backchannel: buildBackchannelSettings(agent),
    language: agent.language,
    agentName: call.agentName,
    fallbackSentence: call.fallbackSentence,
  }
}

const TURN_OPTIONS = Object.values(TURN_SETTINGS).map(({ option }) => option)
type TurnOptions = Pick<AgentVoiceSettings, (typeof TURN_OPTIONS)[number]>

/** Selects the options that the turn machine uses unchanged. */
function selectTurnOptions(agent: AgentVoiceSettings): TurnOptions {
  return Object.fromEntries(TURN_OPTIONS.map((option) => [option, agent[option]])) as object as TurnOptions
}

/** Builds an agent's speaking settings with a node's overrides, without the voices. */
export function buildSpeakingSettings(
  agent: AgentVoiceSettings,
  node: NodeVoiceSettings = {},
): Omit<SpeakingSettings, 'voices'> {
  return {
    language: agent.language,
    speed: node.voice_speed ?? agent.voiceSpeed,
    temperature: agent.voiceTemperature,
    emotion: agent.voiceEmotion,
    volume: agent.volume,
    ambientSound: agent.ambientSound,
    ambientVolume: agent.ambientSoundVolume,
    normalize: agent.normalizeForSpeech,
    pronunciations: agent.pronunciationDictionary,
  }
}

const RESPONSIVENESS_FACTORS: Readonly<Record<string, number>> = { fast: 0.5, balanced: 0.75, slow: 1 }

/** Maps 0 (slow) to 1 and 1 (fast) to 0.5. */
function getResponsivenessFactor(responsiveness: string): number {
  return RESPONSIVENESS_FACTORS[responsiveness] ?? 1 - 0.5 * parseDecimal(responsiveness, 1)
}

const LOW_SENSITIVITY_MS = 1_000
const HIGH_SENSITIVITY_MS = 500
const SENSITIVITY_DELAYS_MS: Readonly<Record<string, number>> = {
  low: LOW_SENSITIVITY_MS,
  medium: 700,
  high: HIGH_SENSITIVITY_MS,
}

/** Converts a sensitivity to milliseconds, or returns `null` for `none` and 0. Decimals are interpolated linearly. */
function getInterruptionAfterMs(sensitivity: string): number | null {
  const namedDelayMs = SENSITIVITY_DELAYS_MS[sensitivity]
  if (namedDelayMs !== undefined) return namedDelayMs
  const value = sensitivity === 'none' ? 0 : parseDecimal(sensitivity, 1)
  if (value === 0) return null
  return Math.round(LOW_SENSITIVITY_MS - value * (LOW_SENSITIVITY_MS - HIGH_SENSITIVITY_MS))
}

/** Parses a decimal from 0 to 1, or returns `fallback` if the text is invalid. */
function parseDecimal(text: string, fallback: number): number {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? fallback : Math.min(1, Math.max(0, value))
}

function buildBackchannelSettings(agent: AgentVoiceSettings): TurnSettings['backchannel'] {
  if (!agent.enableBackchannel || agent.backchannelFrequency === 0) return null
  return { frequency: agent.backchannelFrequency, words: agent.backchannelWords }
}

/** Voice settings of an agent version, including all defaults. */
export interface AgentVoiceSettings extends OptionsOf<typeof CALL_SETTINGS, Agent> {
  /** Language tag such as `en-US`. */
  readonly language: string
  /** The engine's responsiveness: `slow`, `balanced`, `fast` or a decimal from 0 to 1. */
  readonly responsiveness: string
  /** Silence after which the agent starts a call in which the user should speak first, or `null` for never. */
  readonly beginAfterUserSilenceMs: number | null
}
