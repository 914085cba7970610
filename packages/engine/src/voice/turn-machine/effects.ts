import type { AgentActivity, UserActivity } from '../call-observer.ts'
import type { EndReason, GenerationInput, TimerName, UtteranceKind } from './events.ts'

/** A text that is spoken in several utterances. */
export interface FullText {
  /** Of its first utterance. */
  readonly id: string
  readonly text: string
  readonly parts: number
}

/** What the loop is to do, in this order. */
export type VoiceEffect =
  /**
   * Asks the dialogue engine. A speculative generation runs no tool, makes no transition and stores nothing until
   * `commit-generation`. `attempt` counts from 0: later ones begin with the next model.
   */
  | {
      readonly type: 'start-generation'
      readonly generation: number
      readonly input: GenerationInput
      readonly speculative: boolean
      readonly attempt: number
    }
  | { readonly type: 'commit-generation'; readonly generation: number }
  /** Its model is stopped at once; tools that run go on. Nothing of it is spoken any more. */
  | { readonly type: 'cancel-generation'; readonly generation: number }
  /** The caller's words are a turn: they go into the history before the generation that answers them is committed. */
  | {
      readonly type: 'commit-user-turn'
      readonly turn: number
      readonly text: string
      readonly source: 'speech' | 'typed' | 'dtmf'
      /** When the caller began to speak, or wrote it or pressed its last key. */
      readonly firstVoiceAtMs: number
      /** When the caller was heard last; latency is measured from there. */
      readonly lastVoiceAtMs: number
      /** Wait until the turn counted as over. */
      readonly endOfTurnMs: number
    }
  /** What was said by the agent in answer to a turn goes into the history as it was heard. */
  | {
      readonly type: 'commit-agent-turn'
      readonly generation: number | null
      readonly interrupted: boolean
    }
  /** Synthesises and queues behind what is queued. */
  | {
      readonly type: 'speak'
      readonly utteranceId: string
      readonly generation: number | null
      readonly kind: UtteranceKind
      readonly text: string
      /** A long text of the machine's own is spoken in pieces; all of them name it. */
      readonly fullText?: FullText
    }
  /** Speaks it with the next voice: the one before did not answer in time. */
  | { readonly type: 'switch-voice'; readonly utteranceId: string }
  /** Nothing leaves from now on; what was sent and not played is taken back. */
  | { readonly type: 'pause-playout' }
  /** Goes on at the word that was cut (at most 600 ms back) with a fade of 20 ms. */
  | { readonly type: 'resume-playout' }
  /** Everything queued and sent is dropped. */
  | { readonly type: 'clear-playout' }
  | { readonly type: 'typing-sound'; readonly on: boolean }
  /** Replaces a running timer of this name. */
  | { readonly type: 'set-timer'; readonly name: TimerName; readonly atMs: number }
  | { readonly type: 'clear-timer'; readonly name: TimerName }
  | { readonly type: 'activity'; readonly agent: AgentActivity; readonly user: UserActivity }
  /** For the record: what was decided and why, in words for the builder of the agent. */
  | { readonly type: 'note'; readonly code: NoteCode; readonly message: string }
  /** The call is over: everything is let go. */
  | { readonly type: 'end'; readonly reason: EndReason }

/** What is worth telling of how turns went. */
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
