import type { AgentActivity, UserActivity } from '../call-observer.ts'
import type { EndReason, GenerationInput, TimerName, UtteranceKind } from './events.ts'

/** A text that is spoken in several utterances. */
export interface FullText {
  /** Id of its first utterance. */
  readonly id: string
  readonly text: string
  readonly parts: number
}

/** Effects for the session to perform in order. */
export type VoiceEffect =
  /**
   * Starts the dialogue engine. A speculative generation runs no tool, makes no transition and stores nothing until it
   * is committed. `attempt` counts from 0 and selects the fallback model.
   */
  | {
      readonly type: 'start-generation'
      readonly generation: number
      readonly input: GenerationInput
      readonly speculative: boolean
      readonly attempt: number
    }
  | { readonly type: 'commit-generation'; readonly generation: number }
  /** Stops the model at once; running tools continue. None of it is spoken any more. */
  | { readonly type: 'cancel-generation'; readonly generation: number }
  /** Adds a user turn to the history, before the generation that answers it is committed. */
  | {
      readonly type: 'commit-user-turn'
      readonly turn: number
      readonly text: string
      readonly source: 'speech' | 'typed' | 'dtmf'
      /** Start of speech; for typed text and keys the time of input. */
      readonly firstVoiceAtMs: number
      /** End of speech; latency is measured from here. */
      readonly lastVoiceAtMs: number
      /** Delay until the turn ended. */
      readonly endOfTurnMs: number
    }
  /** Adds what was heard of the agent's turn to the history. */
  | {
      readonly type: 'commit-agent-turn'
      readonly generation: number | null
      readonly interrupted: boolean
    }
  /** Synthesizes and queues a text. */
  | {
      readonly type: 'speak'
      readonly utteranceId: string
      readonly generation: number | null
      readonly kind: UtteranceKind
      readonly text: string
      /** Set for texts that are spoken in parts. */
      readonly fullText?: FullText
    }
  /** Switches to the next voice, since the current one did not respond in time. */
  | { readonly type: 'switch-voice'; readonly utteranceId: string }
  /** Stops playback and withdraws unplayed audio. */
  | { readonly type: 'pause-playout' }
  /** Resumes at the cut word, at most 600 ms back, with a 20 ms fade-in. */
  | { readonly type: 'resume-playout' }
  /** Drops all queued and sent audio. */
  | { readonly type: 'clear-playout' }
  | { readonly type: 'typing-sound'; readonly on: boolean }
  /** Replaces a running timer of this name. */
  | { readonly type: 'set-timer'; readonly name: TimerName; readonly atMs: number }
  | { readonly type: 'clear-timer'; readonly name: TimerName }
  | { readonly type: 'activity'; readonly agent: AgentActivity; readonly user: UserActivity }
  /** A decision and its reason, for the person who builds the agent. */
  | { readonly type: 'note'; readonly code: NoteCode; readonly message: string }
  /** Ends the call and releases everything. */
  | { readonly type: 'end'; readonly reason: EndReason }

/** Codes of recorded decisions. */
export type NoteCode =
  | 'interrupted'
  | 'backchannel'
  | 'false-interruption'
  | 'reply-run-again'
  | 'speculation-used'
  | 'speculation-wasted'
  | 'model-stalled'
  | 'speech-stalled'
  | 'voice-without-text'
  | 'text-without-voice'
  | 'reminder'
  | 'no-ears'
