import type { AgentActivity, UserActivity } from '../ports.ts'
import type { TurnSettings } from './settings.ts'

/** Events of a call. They carry the id of what they belong to; stale ones are ignored. */

/** Why a call ended, as reported in `disconnection_reason`. */
export type EndReason =
  | 'user_hangup'
  | 'agent_hangup'
  | 'inactivity'
  | 'max_duration_reached'
  | 'manual_stopped'
  | 'error_no_audio_received'
  | 'error_asr'
  | 'error_node_lost'
  | 'error_unknown'

/** Timers of the machine; each runs at most once at a time. */
export type TimerName =
  | 'opening'
  | 'end-of-turn'
  | 'interruption-candidate'
  | 'resume'
  | 'voice-without-text'
  | 'interruption-check'
  | 'liveness'
  | 'tool-line'
  | 'speech-stall'
  | 'dtmf'
  | 'reminder'
  | 'silence'
  | 'duration'
  | 'backchannel'
  | 'drain'

/** What a generation answers. */
export type GenerationInput =
  /** The agent opens the call. */
  | { readonly type: 'open' }
  | { readonly type: 'user'; readonly text: string }
  /** The caller has been silent. */
  | { readonly type: 'remind' }
  /** Injected information that the agent should react to. */
  | { readonly type: 'injected' }
  /** Repeats the previous generation, which was canceled needlessly or did not answer. */
  | { readonly type: 'again' }

/** Why something is spoken. `reply` belongs to a generation; the machine itself creates the others. */
export type UtteranceKind = 'reply' | 'opening' | 'filler' | 'tool-line' | 'fallback' | 'say' | 'backchannel'

export type VoiceEvent =
  /** The call is connected and starts. */
  | { readonly type: 'joined'; readonly opening: Opening }
  /** Voice for 50 ms. */
  | { readonly type: 'voice-started'; readonly sinceMs: number; readonly level: 'normal' | 'echo-like' }
  /** Silence for 200 ms. */
  | { readonly type: 'voice-ended'; readonly lastVoiceAtMs: number }
  /** The whole utterance so far. `endOfTurn` is the transcriber's confidence from 0 to 1. */
  | {
      readonly type: 'transcript'
      readonly utteranceId: string
      readonly text: string
      readonly stage: 'interim' | 'stable' | 'final'
      readonly endOfTurn: number | null
    }
  /** The next transcriber took over, none is left, or speech is not recognized and the caller knows it. */
  | { readonly type: 'transcriber'; readonly status: 'replaced' | 'gone' | 'none' }
  /** Typed text: a whole turn. */
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  /** A clause of a reply to speak. */
  | { readonly type: 'clause'; readonly generation: number; readonly utteranceId: string; readonly text: string }
  /** `hasLeadIn`: the reply or the tool announces the call. */
  | {
      readonly type: 'tool-started'
      readonly generation: number
      readonly toolCallId: string
      readonly hasLeadIn: boolean
      readonly typingSound: boolean
    }
  | { readonly type: 'tool-ended'; readonly generation: number; readonly toolCallId: string }
  /** The conversation moved to another node, possibly with other settings. */
  | { readonly type: 'transition'; readonly generation: number; readonly settings: TurnSettings }
  /** The agent ends the call once it has spoken. */
  | { readonly type: 'agent-hang-up'; readonly generation: number }
  | {
      readonly type: 'generation-ended'
      readonly generation: number
      /** `failed`: no model could answer. */
      readonly outcome: 'completed' | 'failed'
    }
  /** The first audio of an utterance is ready. */
  | { readonly type: 'speech-ready'; readonly utteranceId: string }
  /** All audio of an utterance is ready. */
  | { readonly type: 'speech-complete'; readonly utteranceId: string }
  /** No voice could speak the utterance. */
  | { readonly type: 'speech-failed'; readonly utteranceId: string }
  /** The first frame was sent. */
  | { readonly type: 'playout-started'; readonly utteranceId: string }
  /** The last frame was played. */
  | { readonly type: 'playout-ended'; readonly utteranceId: string }
  | { readonly type: 'timer'; readonly name: TimerName }
  | { readonly type: 'say'; readonly text: string; readonly interruptible: boolean }
  | { readonly type: 'inject'; readonly respond: boolean }
  | { readonly type: 'settings'; readonly settings: TurnSettings }
  | { readonly type: 'connection-lost' }
  | { readonly type: 'connection-restored' }
  | { readonly type: 'end-requested'; readonly reason: EndReason; readonly drain: boolean }
  | { readonly type: 'hang-up' }

/** How a call starts. */
export type Opening =
  /** A fixed text. */
  | { readonly type: 'say'; readonly text: string }
  /** The model or the first node of a flow speaks first. */
  | { readonly type: 'generate' }
  /** The caller speaks first. */
  | { readonly type: 'listen' }

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
