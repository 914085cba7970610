import type { VoiceLevel } from '../../audio/voice-activity/voice-activity.ts'
import type { AgentActivity, UserActivity } from '../ports.ts'
import type { DuckingDb } from './interruption-rules.ts'
import type { TurnSettings } from './settings.ts'

/** The reason why a call ended, as reported in `disconnection_reason`. */
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

/** Timers of the machine. Each timer runs at most once at a time. */
export type TimerName =
  | 'opening'
  | 'end-of-turn'
  | 'overlap'
  | 'overlap-end'
  | 'resume'
  | 'voice-without-text'
  | 'interruption-check'
  | 'reply-timeout'
  | 'tool-filler'
  | 'speech-stall'
  | 'dtmf'
  | 'reminder'
  | 'silence'
  | 'duration'
  | 'backchannel'
  | 'drain'

/** The input that a generation answers. */
export type GenerationInput =
  /** The agent opens the call. */
  | { readonly type: 'open' }
  | { readonly type: 'user'; readonly text: string }
  /** The caller has been silent. */
  | { readonly type: 'remind' }
  /** Injected information that the agent should react to. */
  | { readonly type: 'injected' }
  /** Repeats the previous generation, which failed or was canceled unnecessarily. */
  | { readonly type: 'again' }

/** The purpose of an utterance. Only `reply` utterances belong to a generation. */
export type UtteranceKind = 'reply' | 'opening' | 'filler' | 'tool-line' | 'fallback' | 'say' | 'backchannel'

/** Input events of the turn machine. Events for an ended generation or utterance are ignored. */
export type VoiceEvent =
  /** The call was connected. */
  | { readonly type: 'joined'; readonly opening: Opening }
  /** Speech was detected for about 100 ms. Echo-like and background voice is reported again once it is `normal`. */
  | { readonly type: 'voice-started'; readonly startedAtMs: number; readonly level: VoiceLevel }
  /** Silence was detected for about 100 ms within voice, or speech after it. */
  | { readonly type: 'voice-paused'; readonly isPaused: boolean }
  /** Silence was detected for 200 ms. */
  | { readonly type: 'voice-ended'; readonly lastVoiceAtMs: number }
  /** A turn detector's probability from 0 to 1 that the caller has finished, for the pause of this ID. */
  | { readonly type: 'turn-end-estimated'; readonly pauseId: number; readonly probability: number }
  /** The entire utterance so far. `endOfTurn` is the transcriber's confidence from 0 to 1. */
  | {
      readonly type: 'transcript'
      readonly utteranceId: string
      readonly text: string
      readonly stage: 'interim' | 'stable' | 'final'
      readonly endOfTurn: number | null
    }
  /** A fallback transcriber took over, no transcriber is left, or the call has no speech recognition. */
  | { readonly type: 'transcriber'; readonly status: 'replaced' | 'gone' | 'none' }
  /** Typed text. Each text is a complete turn. */
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  /** A reply's clause to speak. */
  | { readonly type: 'clause'; readonly generation: number; readonly utteranceId: string; readonly text: string }
  /** `hasLeadIn`: the agent announces the tool call. */
  | {
      readonly type: 'tool-started'
      readonly generation: number
      readonly toolCallId: string
      readonly hasLeadIn: boolean
      readonly typingSound: boolean
    }
  | { readonly type: 'tool-ended'; readonly generation: number; readonly toolCallId: string }
  /** The conversation moved to another node, possibly with different settings. */
  | { readonly type: 'transition'; readonly generation: number; readonly settings: TurnSettings }
  /** The agent ends the call after speaking. */
  | { readonly type: 'agent-hang-up'; readonly generation: number }
  | {
      readonly type: 'generation-ended'
      readonly generation: number
      /** `failed`: no model could answer. */
      readonly outcome: 'completed' | 'failed'
    }
  /** The first audio of an utterance is ready. */
  | { readonly type: 'speech-ready'; readonly utteranceId: string }
  /** Another voice continues an utterance, because the previous one has failed. */
  | { readonly type: 'speech-restarted'; readonly utteranceId: string }
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

/** The start of a call. */
export type Opening =
  /** A fixed text. */
  | { readonly type: 'say'; readonly text: string }
  /** The model or the first node of a flow speaks first. */
  | { readonly type: 'generate' }
  /** The caller speaks first. */
  | { readonly type: 'listen' }

/** A text that is spoken in several utterances. */
export interface FullText {
  /** ID of the text's first utterance. */
  readonly id: string
  readonly text: string
  readonly partCount: number
}

/** Effects for the session to perform in order. */
export type VoiceEffect =
  /**
   * Starts the dialogue engine. Until a speculative generation is committed, it runs no tools, makes no transitions and stores
   * nothing. `attempt` counts from 0 and selects the fallback model.
   */
  | {
      readonly type: 'start-generation'
      readonly generation: number
      readonly input: GenerationInput
      readonly speculative: boolean
      readonly attempt: number
    }
  | { readonly type: 'commit-generation'; readonly generation: number }
  /** Stops the model immediately and drops its unspoken text. Running tools continue. */
  | { readonly type: 'cancel-generation'; readonly generation: number }
  /** Asks the turn detector, if there is one, whether the caller has finished. The turn's voice started at `sinceMs`. */
  | { readonly type: 'estimate-turn-end'; readonly pauseId: number; readonly sinceMs: number }
  /** Adds a user turn to the history before the answering generation is committed. */
  | {
      readonly type: 'commit-user-turn'
      readonly turn: number
      readonly text: string
      readonly source: 'speech' | 'typed' | 'dtmf'
      /** Start of speech. For typed text and keys, the time of input. */
      readonly firstVoiceAtMs: number
      /** End of speech, the starting point for latency. */
      readonly lastVoiceAtMs: number
      /** Time from `lastVoiceAtMs` to the end of the turn. */
      readonly endOfTurnMs: number
    }
  /** Adds the heard part of the agent's turn to the history. */
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
  /** Switches to the next voice, because the current one did not respond in time. */
  | { readonly type: 'switch-voice'; readonly utteranceId: string }
  /** Lowers the agent's voice by this many decibels, or restores it with 0. Playback continues. */
  | { readonly type: 'duck-playout'; readonly db: DuckingDb }
  /** Stops playback with a short fade and withdraws unplayed audio, which may be resumed. */
  | { readonly type: 'pause-playout' }
  /** Resumes at the interrupted word, at most 600 ms back, with a 20 ms fade-in. */
  | { readonly type: 'resume-playout' }
  /** Drops all queued and sent audio. */
  | { readonly type: 'clear-playout' }
  /** Excludes the text of an utterance so far from the caller's turn, because it is not the caller's. */
  | { readonly type: 'ignore-transcript'; readonly utteranceId: string }
  | { readonly type: 'typing-sound'; readonly on: boolean }
  /** Sets a timer and replaces a running timer with the same name. */
  | { readonly type: 'set-timer'; readonly name: TimerName; readonly atMs: number }
  | { readonly type: 'clear-timer'; readonly name: TimerName }
  | { readonly type: 'activity'; readonly agent: AgentActivity; readonly user: UserActivity }
  /** Records a decision and its reason. */
  | { readonly type: 'note'; readonly code: NoteCode; readonly message: string }
  /** Ends the call and releases all resources. */
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
  | 'not-understood'
  | 'text-without-voice'
  | 'reminder'
  | 'no-ears'
