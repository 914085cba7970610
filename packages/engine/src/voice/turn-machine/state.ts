import type { VoiceLevel } from '../../audio/voice-activity/voice-activity.ts'
import type { AgentActivity, UserActivity } from '../ports.ts'
import type { EndOfTurnEstimate } from './endpointing/end-of-turn.ts'
import { endsWithQuestionMark } from './endpointing/expected-answer.ts'
import type { EndReason, GenerationInput, NoteCode, Opening, TimerName, UtteranceKind, VoiceEffect } from './events.ts'
import type { DuckingDb } from './interruption-rules.ts'
import type { TurnSettings } from './settings.ts'

/** The caller's detected voice. */
export interface Voice {
  readonly isActive: boolean
  /** Whether active voice pauses, which often is its end. */
  readonly isPaused: boolean
  /** The last speech that was ignored, as an echo or as that of other people. Its end is `null` while it lasts. */
  readonly ignored: { readonly level: VoiceLevel; readonly endedAtMs: number | null } | null
  readonly startedAtMs: number
  readonly lastActiveAtMs: number
  /** Start of voice that has no text yet. */
  readonly untranscribedSinceMs: number | null
  /** Time at which a fallback transcriber started to transcribe the voice again, or `null`. */
  readonly retranscribingSinceMs: number | null
  /** ID of the current voice or pause, which increases with every start and end of voice. */
  readonly pauseId: number
  /** The turn detector's probability that the caller has finished, or `null` without an answer for the current pause. */
  readonly endProbability: number | null
}

export interface TranscribedUtterance {
  readonly id: string
  readonly text: string
  readonly stage: 'interim' | 'stable' | 'final'
  readonly endOfTurn: number | null
}

/** The caller's speech that is not committed yet. */
export interface CallerTurn {
  readonly utterances: readonly TranscribedUtterance[]
  /** Text of all utterances. */
  readonly text: string
  readonly estimate: EndOfTurnEstimate
  readonly firstVoiceAtMs: number
  readonly lastVoiceAtMs: number
  /** Time at which the text last changed or was confirmed, or at which later voice was found to be noise. */
  readonly textChangedAtMs: number
  /** Time of the last text, even if it did not change. */
  readonly lastTextAtMs: number
  /** Whether no voice was detected, so that the text determines the times. */
  readonly isTextOnly: boolean
  /** Time at which a fallback transcriber started to replace unfinished text. */
  readonly retranscribingSinceMs: number | null
  /** Whether the turn started during or right after the agent's speech. */
  readonly isOverlappingAgent: boolean
  readonly speculationCount: number
  /** Start of the pause for which the agent has already decided whether to say a backchannel. */
  readonly handledPauseAtMs: number | null
}

/** An utterance whose first words belong to earlier turns. */
export interface ConsumedUtterance {
  readonly id: string
  readonly wordCount: number
}

export interface BufferedClause {
  readonly utteranceId: string
  readonly text: string
}

/** The current answer. */
export interface Generation {
  readonly id: number
  /** The type of the answered input. Retries keep it. */
  readonly inputType: Exclude<GenerationInput['type'], 'again'>
  readonly turnNumber: number | null
  readonly attempt: number
  readonly startedAtMs: number
  readonly status: 'running' | 'completed'
  readonly runningToolCallIds: readonly string[]
  /** Whether any part was spoken. */
  readonly hasSpoken: boolean
  /** Whether a tool ran or the conversation moved to another node. */
  readonly hasActed: boolean
  readonly isLast: boolean
}

/** A speculative answer to words that may still change. */
export interface Speculation {
  readonly id: number
  readonly text: string
  readonly startedAtMs: number
  readonly status: 'running' | 'completed'
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
  readonly voiceSwitchCount: number
}

/** The agent's speech that is not in the history yet. */
interface UncommittedSpeech {
  readonly generation: number | null
  /** Time at which its playback started, or `null` if the caller has heard none of it. */
  readonly playedSinceMs: number | null
  readonly isFallback: boolean
}

/** What is known about the transcriber. */
interface TextDelays {
  /** Whether it sends words during speech. */
  readonly isStreaming: boolean
  /** Usual delay from the start of speech to the first words, or `null` if unknown. */
  readonly firstMs: number | null
  /** Usual delay from the end of speech to the final text, or `null` if unknown. */
  readonly finalMs: number | null
}

interface Pause {
  /** Time at which the agent resumes, or `null` while the caller's speech is undecided. */
  readonly resumeAtMs: number | null
}

/** A canceled reply, which is repeated if the interruption has no result. */
interface CanceledReply {
  readonly inputType: Generation['inputType']
  readonly turnNumber: number | null
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
  readonly consumedUtterances: readonly ConsumedUtterance[]
  readonly consumedAtMs: number | null
  readonly averagePauseMs: number | null
  /**
   * `listening`: speech is recognized. `gone`: recognition failed, and the call ends if the caller keeps speaking.
   * `none`: the call has no speech recognition, and the caller types.
   */
  readonly transcriberStatus: 'listening' | 'gone' | 'none'
  readonly unrecognizedTurnCount: number
  readonly textDelays: TextDelays
  /** Number of times in a row that the agent said that it did not understand. */
  readonly notUnderstoodCount: number
  readonly digits: { readonly text: string; readonly lastKeyAtMs: number; readonly isComplete: boolean } | null
  readonly typedTexts: readonly string[]

  readonly generation: Generation | null
  readonly speculation: Speculation | null
  readonly queue: readonly QueuedSpeech[]
  readonly uncommittedSpeech: UncommittedSpeech | null
  readonly pause: Pause | null
  readonly isPlayoutPaused: boolean
  readonly duckingDb: DuckingDb
  readonly isTypingSoundOn: boolean
  readonly canceledReply: CanceledReply | null
  /** Committed generations, newest last. Their transitions apply even after a cancellation. */
  readonly committedGenerationIds: readonly number[]
  readonly pendingSayTexts: readonly { readonly text: string; readonly isInterruptible: boolean }[]
  readonly isInjectionPending: boolean
  /** The agent's speech since the last user turn. */
  readonly lastSpeech: { readonly text: string; readonly endedAtMs: number | null; readonly isSinceLastTurn: boolean }

  readonly replyWait: { readonly startedAtMs: number; readonly actionsTaken: number } | null
  readonly toolFillerAtMs: number | null
  readonly failedTurnCount: number
  readonly silence: { readonly startedAtMs: number } | null
  readonly previousSilenceMs: number
  readonly reminderCount: number
  readonly lastBackchannelAtMs: number | null
  readonly backchannelCredit: number
  readonly pendingEnd: { readonly reason: EndReason; readonly deadlineMs: number } | null

  readonly nextGenerationId: number
  readonly nextTurnNumber: number
  readonly nextSystemUtteranceNumber: number
  readonly nextPhraseIndex: number
  readonly lastActivity: { readonly agent: AgentActivity; readonly user: UserActivity }
}

/** Creates the state before the call is connected, which handles only `joined`, `settings` and end events. */
export function createInitialState(settings: TurnSettings, nowMs: number): TurnState {
  return {
    phase: 'waiting',
    settings,
    startedAtMs: nowMs,
    timers: {},
    connection: 'up',
    opening: null,
    voice: {
      isActive: false,
      isPaused: false,
      ignored: null,
      startedAtMs: nowMs,
      lastActiveAtMs: nowMs,
      untranscribedSinceMs: null,
      retranscribingSinceMs: null,
      pauseId: 0,
      endProbability: null,
    },
    turn: null,
    consumedUtterances: [],
    consumedAtMs: null,
    averagePauseMs: null,
    transcriberStatus: 'listening',
    unrecognizedTurnCount: 0,
    textDelays: { isStreaming: false, firstMs: null, finalMs: null },
    notUnderstoodCount: 0,
    digits: null,
    typedTexts: [],
    generation: null,
    speculation: null,
    queue: [],
    uncommittedSpeech: null,
    pause: null,
    isPlayoutPaused: false,
    duckingDb: 0,
    isTypingSoundOn: false,
    canceledReply: null,
    committedGenerationIds: [],
    pendingSayTexts: [],
    isInjectionPending: false,
    lastSpeech: { text: '', endedAtMs: null, isSinceLastTurn: false },
    replyWait: null,
    toolFillerAtMs: null,
    failedTurnCount: 0,
    silence: null,
    previousSilenceMs: 0,
    reminderCount: 0,
    lastBackchannelAtMs: null,
    backchannelCredit: 0,
    pendingEnd: null,
    nextGenerationId: 1,
    nextTurnNumber: 1,
    nextSystemUtteranceNumber: 1,
    nextPhraseIndex: 0,
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

/** Whether the caller has heard part of the agent's current turn. */
export function hasAgentSpoken(state: TurnState): boolean {
  return isAgentBusy(state) && (isAgentAudible(state) || isHeard(state.uncommittedSpeech))
}

/** Whether the agent's last speech ended with a question. */
export function isAfterQuestion(state: TurnState): boolean {
  const { lastSpeech, queue, generation } = state
  if (!lastSpeech.isSinceLastTurn || !endsWithQuestionMark(lastSpeech.text) || generation?.status === 'running')
    return false
  return queue.every((speech) => speech.status === 'playing' || !isTurnSpeech(speech))
}

/** Whether the caller has heard part of the speech. */
export function isHeard(speech: UncommittedSpeech | null): boolean {
  return speech !== null && speech.playedSinceMs !== null
}

/** Whether the caller can interrupt the agent. */
export function canInterrupt(state: TurnState, source: 'voice' | 'typing' | 'keys'): boolean {
  if (state.phase !== 'live' || state.generation?.isLast === true) return false
  if (source === 'keys') return state.settings.allowDtmfInterruption
  const isAllowed = state.settings.interruptible && state.queue.every((speech) => speech.isInterruptible)
  if (source === 'typing') return isAllowed
  // Speech that continues before the answer is audible does not count as an interruption.
  return isAllowed && (state.settings.interruptionAfterMs !== null || !isHeard(state.uncommittedSpeech))
}

/** Whether the caller is silent and has no pending input. */
export function isCallerSilent(state: TurnState): boolean {
  return !state.voice.isActive && state.turn === null && state.digits === null && state.typedTexts.length === 0
}

/** The state and effects while an event is handled. */
export interface Step {
  state: TurnState
  readonly effects: VoiceEffect[]
  readonly nowMs: number
}

/** Updates parts of the state. */
export function update(step: Step, changes: Partial<TurnState>): void {
  step.state = { ...step.state, ...changes }
}

/** Adds an effect. */
export function emit(step: Step, effect: VoiceEffect): void {
  step.effects.push(effect)
}

/** Records a decision and its reason. */
export function note(step: Step, code: NoteCode, message: string): void {
  step.effects.push({ type: 'note', code, message })
}
