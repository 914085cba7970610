import type { Agent } from '@parley/contract/agent'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import type { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'

/** Turn settings of an agent at its current node. */
export interface TurnSettings extends OptionsOf<typeof TURN_SETTINGS, Agent> {
  /** Multiplies the delay beyond the threshold: 0.5 fast, 0.75 balanced, 1 slow. */
  readonly responsivenessFactor: number
  /** Adapts the delay to the caller's pauses unless `false`. */
  readonly adaptsToPauses?: boolean
  /** Voice that interrupts: 200, 500, 800 ms for high, medium, low; `null` if the caller never interrupts. */
  readonly interruptionAfterMs: number | null
  /** `false`: speech of this turn cannot be interrupted, except by DTMF if allowed. */
  readonly interruptible: boolean
  /** Promised delay of the transcriber. */
  readonly transcriberP99Ms: number
  /** The client cancels echo; otherwise the first seconds and weak voices are not trusted. */
  readonly cancelsEcho: boolean
  /** The agent opens the call after this much silence if the user should; `null` for never. */
  readonly beginAfterUserSilenceMs: number | null
  readonly allowDtmf: boolean
  /** Ends of key input: number of digits, termination key, timeout after the last key. */
  readonly dtmf: {
    readonly digitLimit: number | null
    readonly terminationKey: string | null
    readonly timeoutMs: number
  }
  /** Backchannels of the agent; `null` for none. Empty `words` selects those of the language. */
  readonly backchannel: { readonly frequency: number; readonly words: readonly string[] } | null
  /** Language tag that selects backchannels, commands and fillers. */
  readonly language: string
  /** A name that stops the agent, like "stop". */
  readonly agentName: string
  /** Spoken when no model answered in time. */
  readonly fallbackSentence: string
}
