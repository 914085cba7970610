import type { Agent } from '@parley/contract/agent'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import type { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'

/** What an agent, and the node that it is in, say about turns: options as they are, and what follows from others. */
export interface TurnSettings extends OptionsOf<typeof TURN_SETTINGS, Agent> {
  /** What the wait beyond the threshold is multiplied with: 0.5 fast, 0.75 balanced, 1 slow. */
  readonly responsivenessFactor: number
  /** Absent or true: the wait follows the caller's own pauses; otherwise it is the same for every caller. */
  readonly adaptsToPauses?: boolean
  /** Voice that counts as an attempt to interrupt: 200, 500, 800 for high, medium, low; `null`: the caller never interrupts. */
  readonly interruptionAfterMs: number | null
  /** `false`: what the agent says until the end of this turn cannot be interrupted (DTMF excepted, where it may). */
  readonly interruptible: boolean
  /** How long a recogniser's final text may take after the last voice. */
  readonly transcriberP99Ms: number
  /** The caller's end takes out the agent's voice; otherwise the first seconds and weak voices are not trusted. */
  readonly cancelsEcho: boolean
  /** Where the user opens: silence after which the agent opens all the same; `null`: never. */
  readonly beginAfterUserSilenceMs: number | null
  readonly allowDtmf: boolean
  /** When digits that were pressed are a turn: so many, or this key, or this long after the last. */
  readonly dtmf: {
    readonly digitLimit: number | null
    readonly terminationKey: string | null
    readonly timeoutMs: number
  }
  /** The agent's own "mhm" while the caller speaks at length; `null`: none. No `words`: those of the language. */
  readonly backchannel: { readonly frequency: number; readonly words: readonly string[] } | null
  /** Language tag: which words are backchannels, commands and fillers. */
  readonly language: string
  /** A word that stops the agent, as "stop" does. */
  readonly agentName: string
  /** Said when no model answered in time. */
  readonly fallbackSentence: string
}
