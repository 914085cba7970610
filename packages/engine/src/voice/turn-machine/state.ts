import type { AgentActivity, UserActivity } from '../ports.ts'
import type { EndOfTurnEstimate } from './endpointing/end-of-turn.ts'
import { endsWithQuestionMark } from './endpointing/expected-answer.ts'
import type { EndReason, GenerationInput, NoteCode, Opening, TimerName, UtteranceKind, VoiceEffect } from './events.ts'
import type { TurnSettings } from './settings.ts'

/** The detected voice of the caller. */
export interface Voice {
  readonly isOn: boolean
  readonly startedAtMs: number
  readonly lastAtMs: number
  /** Start of the voice without text. */
  readonly untranscribedSinceMs: number | null
  /** Time at which the next transcriber started to replay the voice, or `null` if none did. */
  readonly retranscribingSinceMs: number | null
}

export interface TranscribedUtterance {
  readonly id: string
  readonly text: string
  readonly stage: 'interim' | 'stable' | 'final'
  readonly endOfTurn: number | null
}

/** Uncommitted caller speech. */
export interface CallerTurn {
  readonly utterances: readonly TranscribedUtterance[]
  /** Text of all utterances. */
  readonly text: string
  readonly estimate: EndOfTurnEstimate
  readonly firstVoiceAtMs: number
  readonly lastVoiceAtMs: number
  /** Time at which the text last changed, or at which later voice was found to be noise. */
  readonly textAtMs: number
  /** Whether no voice was detected, so that the text determines the times. */
  readonly isTextOnly: boolean
  /** Time at which the next transcriber started to replay and replace unfinished text. */
  readonly retranscribingSinceMs: number | null
  /** Whether the turn started during or right after the agent's speech. */
  readonly isOverlappingAgent: boolean
  readonly speculations: number
  /** The pause in which the agent has already said a backchannel. */
  readonly backchannelForMs: number | null
}

/** An utterance's words that belong to earlier turns. */
export interface ConsumedUtterance {
  readonly id: string
  readonly words: number
}

export interface BufferedClause {
  readonly utteranceId: string
  readonly text: string
}

/** A running answer. */
export interface Generation {
  readonly id: number
  /** The answered input, which retries do not change. */
  readonly answers: Exclude<GenerationInput['type'], 'again'>
  readonly turn: number | null
  readonly attempt: number
  readonly startedAtMs: number
  readonly outcome: 'running' | 'completed'
  readonly tools: readonly string[]
  /** Whether any part was spoken. */
  readonly hasSpoken: boolean
  /** Whether a tool ran or the conversation moved to another node. */
  readonly hasActed: boolean
  readonly isLast: boolean
}

/** An answer to words that may still change. */
export interface Speculation {
  readonly id: number
  readonly text: string
  readonly startedAtMs: number
  readonly outcome: 'running' | 'completed'
  readonly clauses: readonly BufferedClause[]
}

export interface QueuedSpeech {
  readonly utteranceId: string
  readonly generation: number | null
  readonly kind: UtteranceKind
  readonly text: string
  readonly isInterruptible: boolean
  readonly status: 'requested' | 'ready' | 'playing'
  readonly isComplete: boolean
  /** Time at which the speech was first in the queue, or `null` while other speech is ahead. */
  readonly waitingSinceMs: number | null
  readonly voiceSwitches: number
}

/** Uncommitted speech. */
interface UncommittedSpeech {
  readonly generation: number | null
  readonly wasPlayed: boolean
  readonly isFallback: boolean
}

interface Pause {
  readonly startedAtMs: number
  /** Time at which the agent resumes, or `null` while the voice continues. */
  readonly resumeAtMs: number | null
}

/** A reply that an interruption canceled, to be repeated if the interruption has no result. */
interface CanceledReply {
  readonly answers: Generation['answers']
  readonly turn: number | null
  readonly checkAtMs: number
}

/** The immutable state of a call's turns. */
export interface TurnState {
  readonly phase: 'waiting' | 'live' | 'ending' | 'ended'
  readonly settings: TurnSettings
  readonly startedAtMs: number
  readonly timers: Readonly<Partial<Record<TimerName, number>>>
  readonly connection: 'up' | 'lost'
  readonly opening: { readonly action: Opening; readonly dueAtMs: number | null } | null

  readonly voice: Voice
  readonly turn: CallerTurn | null
  readonly consumed: readonly ConsumedUtterance[]
  readonly consumedAtMs: number | null
  readonly averagePauseMs: number | null
  /**
   * `listening`: speech is recognized. `gone`: speech is no longer recognized, and the call ends if the caller keeps speaking.
   * `none`: speech is never recognized, and the caller knows to type.
   */
  readonly transcriber: 'listening' | 'gone' | 'none'
  readonly unrecognizedTurns: number
  readonly digits: { readonly text: string; readonly lastAtMs: number; readonly isDone: boolean } | null
  readonly typed: readonly string[]

  readonly generation: Generation | null
  readonly speculation: Speculation | null
  readonly queue: readonly QueuedSpeech[]
  readonly uncommitted: UncommittedSpeech | null
  readonly pause: Pause | null
  readonly isPlayoutPaused: boolean
  readonly isTypingSoundOn: boolean
  readonly canceled: CanceledReply | null
  /** Committed generations, newest last. Their transitions count even after a cancellation. */
  readonly committed: readonly number[]
  readonly pendingSays: readonly { readonly text: string; readonly isInterruptible: boolean }[]
  readonly isInjected: boolean
  /** Agent speech since the user turn, with its end time. */
  readonly lastSpoken: { readonly text: string; readonly endedAtMs: number | null; readonly isSinceLastTurn: boolean }

  readonly liveness: { readonly startedAtMs: number; readonly stepsTaken: number } | null
  readonly toolLineAtMs: number | null
  readonly failedTurns: number
  readonly quiet: { readonly startedAtMs: number } | null
  readonly silenceMs: number
  readonly reminders: number
  readonly lastBackchannelAtMs: number | null
  readonly backchannelCredit: number
  readonly ending: { readonly reason: EndReason; readonly untilMs: number } | null

  readonly nextGeneration: number
  readonly nextTurn: number
  readonly nextSystemUtterance: number
  readonly nextPhrase: number
  readonly lastActivity: { readonly agent: AgentActivity; readonly user: UserActivity }
}

/** Creates the state before the call is connected, when only `joined`, `settings` and end events are handled. */
export function createInitialState(settings: TurnSettings, nowMs: number): TurnState {
  return {
    phase: 'waiting',
    settings,
    startedAtMs: nowMs,
    timers: {},
    connection: 'up',
    opening: null,
    voice: {
      isOn: false,
      startedAtMs: nowMs,
      lastAtMs: nowMs,
      untranscribedSinceMs: null,
      retranscribingSinceMs: null,
    },
    turn: null,
    consumed: [],
    consumedAtMs: null,
    averagePauseMs: null,
    transcriber: 'listening',
    unrecognizedTurns: 0,
    digits: null,
    typed: [],
    generation: null,
    speculation: null,
    queue: [],
    uncommitted: null,
    pause: null,
    isPlayoutPaused: false,
    isTypingSoundOn: false,
    canceled: null,
    committed: [],
    pendingSays: [],
    isInjected: false,
    lastSpoken: { text: '', endedAtMs: null, isSinceLastTurn: false },
    liveness: null,
    toolLineAtMs: null,
    failedTurns: 0,
    quiet: null,
    silenceMs: 0,
    reminders: 0,
    lastBackchannelAtMs: null,
    backchannelCredit: 0,
    ending: null,
    nextGeneration: 1,
    nextTurn: 1,
    nextSystemUtterance: 1,
    nextPhrase: 0,
    lastActivity: { agent: 'idle', user: 'silent' },
  }
}

/** Whether speech is part of an agent turn. Backchannels are not. */
export function isTurnSpeech(speech: QueuedSpeech): boolean {
  return speech.kind !== 'backchannel'
}

/** Whether the agent is answering or speaking. */
export function isAgentBusy(state: TurnState): boolean {
  return state.generation !== null || state.queue.some(isTurnSpeech)
}

/** Whether agent speech is playing or was just paused. */
export function isAgentAudible(state: TurnState): boolean {
  return state.queue.some((speech) => speech.status === 'playing' && isTurnSpeech(speech))
}

/** Whether the agent's last speech ended with a question. */
export function isAfterQuestion(state: TurnState): boolean {
  const { lastSpoken, queue, generation } = state
  if (!lastSpoken.isSinceLastTurn || !endsWithQuestionMark(lastSpoken.text) || generation?.outcome === 'running')
    return false
  return queue.every((speech) => speech.status === 'playing' || !isTurnSpeech(speech))
}

/** Whether the caller can interrupt the agent. */
export function canInterrupt(state: TurnState, source: 'voice' | 'typing' | 'keys'): boolean {
  if (state.phase !== 'live' || state.generation?.isLast === true) return false
  if (source === 'keys') return state.settings.allowDtmfInterruption
  const isAllowed = state.settings.interruptible && state.queue.every((speech) => speech.isInterruptible)
  if (source === 'typing') return isAllowed
  // Speech that continues before the answer is audible does not count as an interruption.
  return isAllowed && (state.settings.interruptionAfterMs !== null || state.uncommitted?.wasPlayed !== true)
}

/** Whether the caller is silent and has no pending input. */
export function isCallerSilent(state: TurnState): boolean {
  return !state.voice.isOn && state.turn === null && state.digits === null && state.typed.length === 0
}

/** The state and effects during the handling of an event. */
export interface Step {
  state: TurnState
  readonly effects: VoiceEffect[]
  readonly nowMs: number
}

/** Updates parts of the state. */
export function change(step: Step, parts: Partial<TurnState>): void {
  step.state = { ...step.state, ...parts }
}

/** Adds an effect. */
export function emit(step: Step, effect: VoiceEffect): void {
  step.effects.push(effect)
}

/** Records a decision and its reason. */
export function note(step: Step, code: NoteCode, message: string): void {
  step.effects.push({ type: 'note', code, message })
}
