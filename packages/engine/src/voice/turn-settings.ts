import { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import type { AgentVoiceSettings } from './agent-voice-settings.ts'
import type { SpeakingSettings } from './session/session-ports.ts'
import type { TurnSettings } from './turn-machine/settings.ts'

/** What a node of a flow says in the place of its agent; what is absent is as the agent has it. */
export interface NodeVoiceSettings {
  readonly interruption_sensitivity?: string | undefined
  readonly responsiveness?: string | undefined
  readonly voice_speed?: number | undefined
  readonly reminder_trigger_ms?: number | undefined
  readonly reminder_max_count?: number | undefined
  readonly allow_dtmf_interruption?: boolean | undefined
}

/** What turns depend on beside the settings of the agent. */
export interface TurnContext {
  readonly agentName: string
  /** Said when no model answered in time. */
  readonly fallbackSentence: string
  /** Of the recogniser that hears the caller. */
  readonly transcriberP99Ms: number
  /** Of the line. */
  readonly cancelsEcho: boolean
}

/** The settings of turns of an agent, at a node or at none. */
export function turnSettings(agent: AgentVoiceSettings, call: TurnContext, node: NodeVoiceSettings = {}): TurnSettings {
  const { digit_limit: digitLimit, termination_key: terminationKey, timeout_ms: timeoutMs } = agent.userDtmf
  const options = turnOptions(agent)
  return {
    ...options,
    responsivenessFactor: responsivenessFactor(node.responsiveness ?? agent.responsiveness),
    adaptsToPauses: agent.enableDynamicResponsiveness,
    interruptionAfterMs: interruptionAfterMs(node.interruption_sensitivity ?? agent.interruptionSensitivity),
    interruptible: true,
    transcriberP99Ms: call.transcriberP99Ms,
    cancelsEcho: call.cancelsEcho,
    reminderTriggerMs: node.reminder_trigger_ms ?? options.reminderTriggerMs,
    reminderMaxCount: node.reminder_max_count ?? options.reminderMaxCount,
    beginAfterUserSilenceMs: agent.beginAfterUserSilenceMs,
    allowDtmf: agent.allowUserDtmf,
    allowDtmfInterruption: node.allow_dtmf_interruption ?? options.allowDtmfInterruption,
    dtmf: { digitLimit, terminationKey, timeoutMs },
    backchannel: backchannelOf(agent),
    language: agent.language,
    agentName: call.agentName,
    fallbackSentence: call.fallbackSentence,
  }
}

const TURN_OPTIONS = Object.values(TURN_SETTINGS).map(({ option }) => option)
type TurnOptions = Pick<AgentVoiceSettings, (typeof TURN_OPTIONS)[number]>

/** The options that the turn machine takes as they are. */
function turnOptions(agent: AgentVoiceSettings): TurnOptions {
  return Object.fromEntries(TURN_OPTIONS.map((option) => [option, agent[option]])) as object as TurnOptions
}

/** How an agent sounds, at a node or at none; its voices come from their providers. */
export function speakingSettings(
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

/** From 1 (decimal 0, slow) to 0.5 (decimal 1, fast). */
function responsivenessFactor(responsiveness: string): number {
  return RESPONSIVENESS_FACTORS[responsiveness] ?? 1 - 0.5 * decimal(responsiveness, 1)
}

const LOW_SENSITIVITY_MS = 800
const HIGH_SENSITIVITY_MS = 200
const SENSITIVITIES: Readonly<Record<string, number>> = {
  low: LOW_SENSITIVITY_MS,
  medium: 500,
  high: HIGH_SENSITIVITY_MS,
}

/** `null` for `none` and for 0; decimals in between follow a line through the words. */
function interruptionAfterMs(sensitivity: string): number | null {
  const named = SENSITIVITIES[sensitivity]
  if (named !== undefined) return named
  const value = sensitivity === 'none' ? 0 : decimal(sensitivity, 1)
  if (value === 0) return null
  return Math.round(LOW_SENSITIVITY_MS - value * (LOW_SENSITIVITY_MS - HIGH_SENSITIVITY_MS))
}

/** A decimal from 0 to 1; `otherwise` for what is none. */
function decimal(text: string, fallback: number): number {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? fallback : Math.min(1, Math.max(0, value))
}

function backchannelOf(agent: AgentVoiceSettings): TurnSettings['backchannel'] {
  if (!agent.enableBackchannel || agent.backchannelFrequency === 0) return null
  return { frequency: agent.backchannelFrequency, words: agent.backchannelWords }
}
