import type { Agent } from '@parley/contract/agent'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import type { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'

/** An agent's turn settings at its current node. */
export interface TurnSettings extends OptionsOf<typeof TURN_SETTINGS, Agent> {
  /** Multiplies the end-of-turn delay: 0.5 for fast, 0.75 for balanced, 1 for slow. */
  readonly responsivenessFactor: number
  /** Whether the delay adapts to the caller's pauses. Defaults to true. */
  readonly adaptsToPauses?: boolean
  /**
   * Duration of speech without recognized words that stops the agent: 500, 700 or 1000 ms for high, medium or low sensitivity.
   * `null` if the caller cannot interrupt.
   */
  readonly interruptionAfterMs: number | null
  /** Whether this turn's speech can be interrupted. If `false`, only DTMF can interrupt, if allowed. */
  readonly interruptible: boolean
  /** The transcriber's expected p99 delay for final text. */
  readonly transcriberP99Ms: number
  /** Maximum delay for which a turn waits for final text. Defaults to `transcriberP99Ms`. */
  readonly transcriberLimitMs?: number
  /** Whether the transcriber ends every text with punctuation, so that a period proves nothing. Defaults to false. */
  readonly punctuatesFragments?: boolean
  /** Silence after which the agent starts a call in which the user should speak first, or `null` for never. */
  readonly beginAfterUserSilenceMs: number | null
  readonly allowDtmf: boolean
  /** Conditions that end keypad input: number of digits, termination key, or timeout after the last key. */
  readonly dtmf: {
    readonly digitLimit: number | null
    readonly terminationKey: string | null
    readonly timeoutMs: number
  }
  /** The agent's backchannels, or `null` for none. Empty `words` selects the language's default words. */
  readonly backchannel: { readonly frequency: number; readonly words: readonly string[] } | null
  /** Language tag that selects backchannels, commands and fillers. */
  readonly language: string
  /** The agent's name, which stops the agent like the word "stop". */
  readonly agentName: string
  /** Sentence to speak if no model answers in time. */
  readonly fallbackSentence: string
}
