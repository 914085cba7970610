import type { TurnSettings } from './settings.ts'

/** Everything that can happen to a call's turns. Results carry the id of what they belong to; stale ones are dropped. */

/** Why a call is over, as `disconnection_reason` tells it. */
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

/** Names of the timers that the machine asks for; each runs at most once at a time. */
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
  /** Somebody told the agent something from outside and wants it to react. */
  | { readonly type: 'injected' }
  /** The same as the generation before: it was cancelled for nothing, or did not answer. */
  | { readonly type: 'again' }

/** What is spoken, and why. `reply` belongs to a generation; the others are the machine's own. */
export type UtteranceKind = 'reply' | 'opening' | 'filler' | 'tool-line' | 'fallback' | 'say' | 'backchannel'

export type VoiceEvent =
  /** The line stands: the call begins. */
  | { readonly type: 'joined'; readonly opening: Opening }
  /** Voice for 50 ms. */
  | { readonly type: 'voice-started'; readonly sinceMs: number; readonly level: 'normal' | 'echo-like' }
  /** Silence for 200 ms. */
  | { readonly type: 'voice-ended'; readonly lastVoiceAtMs: number }
  /** The whole text of an utterance so far. `endOfTurn`: the recogniser's own confidence, 0 to 1. */
  | {
      readonly type: 'transcript'
      readonly utteranceId: string
      readonly text: string
      readonly stage: 'interim' | 'stable' | 'final'
      readonly endOfTurn: number | null
    }
  /** Ears were exchanged for the next ones; there are none left; or nobody is to understand voice, as the caller knows. */
  | { readonly type: 'transcriber'; readonly status: 'replaced' | 'gone' | 'none' }
  /** Written in the place of spoken: a whole turn. */
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  /** A clause of a reply is ready to be spoken. */
  | { readonly type: 'clause'; readonly generation: number; readonly utteranceId: string; readonly text: string }
  /** `hasLeadIn`: words of the answer lead up to it, such as a line that the tool says. */
  | {
      readonly type: 'tool-started'
      readonly generation: number
      readonly toolCallId: string
      readonly hasLeadIn: boolean
      readonly typingSound: boolean
    }
  | { readonly type: 'tool-ended'; readonly generation: number; readonly toolCallId: string }
  /** The conversation moved on; with other settings perhaps. */
  | { readonly type: 'transition'; readonly generation: number; readonly settings: TurnSettings }
  /** The agent ends the call once it has spoken. */
  | { readonly type: 'agent-hang-up'; readonly generation: number }
  | {
      readonly type: 'generation-ended'
      readonly generation: number
      /** `failed`: no model could answer. */
      readonly outcome: 'completed' | 'failed'
    }
  /** The first sound of an utterance is ready to be played. */
  | { readonly type: 'speech-ready'; readonly utteranceId: string }
  /** All sound of an utterance is ready. */
  | { readonly type: 'speech-complete'; readonly utteranceId: string }
  /** No voice could speak it. */
  | { readonly type: 'speech-failed'; readonly utteranceId: string }
  /** Its first frame has left. */
  | { readonly type: 'playout-started'; readonly utteranceId: string }
  /** Its last frame was played. */
  | { readonly type: 'playout-ended'; readonly utteranceId: string }
  | { readonly type: 'timer'; readonly name: TimerName }
  | { readonly type: 'say'; readonly text: string; readonly interruptible: boolean }
  | { readonly type: 'inject'; readonly respond: boolean }
  | { readonly type: 'settings'; readonly settings: TurnSettings }
  | { readonly type: 'connection-lost' }
  | { readonly type: 'connection-restored' }
  | { readonly type: 'end-requested'; readonly reason: EndReason; readonly drain: boolean }
  | { readonly type: 'hang-up' }

/** How a call begins. */
export type Opening =
  /** A fixed text. */
  | { readonly type: 'say'; readonly text: string }
  /** The model, or the first node of a flow, opens. */
  | { readonly type: 'generate' }
  /** The caller opens. */
  | { readonly type: 'listen' }
