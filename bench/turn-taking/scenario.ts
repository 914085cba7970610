import type { TimedWord } from '../../packages/engine/src/voice/ports.ts'

/** A call with one event, such as a backchannel during an answer of the agent. */

export type ScenarioKind =
  | 'backchannel'
  | 'interruption'
  | 'noise'
  | 'other-people'
  | 'pause'
  | 'question'
  | 'echo'
  | 'undisturbed'

/** An utterance that the recognizer reports. Times are relative to the start of the event's audio. */
export interface RecognizedUtterance {
  readonly words: readonly TimedWord[]
  readonly endMs: number
}

/** Audio of the caller, at 16 kHz. */
export interface CallerEvent {
  readonly samples: Int16Array
  readonly utterances: readonly RecognizedUtterance[]
  /** Spans of the caller's speech or of the noise, in milliseconds from the start of the samples. */
  readonly spans: readonly (readonly [startMs: number, endMs: number])[]
}

export interface Scenario {
  readonly id: string
  readonly kind: ScenarioKind
  /** Condition such as `clean`, `babble 5 dB` or `1000 ms`. */
  readonly condition: string
  /** Voice or noise, for the report. */
  readonly source: string
  readonly rateHz: 8_000 | 16_000
  /** What the caller says first so that the agent gives a long answer; null if the event is the first turn. */
  readonly question: CallerEvent | null
  readonly event: CallerEvent
  /** Time from the first audio of the agent to the event. Without a question, from the end of the agent's opening. */
  readonly eventAfterMs: number
  /** Time from the end of the event to the end of the observation. */
  readonly observeMs: number
  /** Repeated background. It starts with the agent's long answer, or with the call if the event is the first turn. */
  readonly background: Int16Array | null
  /** The agent's own audio in the microphone; null if there is none. */
  readonly echo: { readonly db: number; readonly delayMs: number } | null
  /** Share of lost frames. */
  readonly loss: number
  readonly seed: number
}
