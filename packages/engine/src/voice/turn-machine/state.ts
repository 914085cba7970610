import type { AgentActivity, UserActivity } from '../call-observer.ts'
import type { EndOfTurnEstimate } from './endpointing/estimate-end-of-turn.ts'
import type { EndReason, GenerationInput, Opening, TimerName, UtteranceKind } from './events.ts'
import type { TurnSettings } from './settings.ts'

/** The caller's voice as the detector tells it. */
export interface Voice {
  readonly isOn: boolean
  readonly sinceMs: number
  readonly lastAtMs: number
  /** Voice from here on that no text has explained yet. */
  readonly untranscribedSinceMs: number | null
  /** When other ears began to hear it once more; `null`: they did not. */
  readonly retranscribingSinceMs: number | null
}

export interface TranscribedUtterance {
  readonly id: string
  readonly text: string
  readonly stage: 'interim' | 'stable' | 'final'
  readonly endOfTurn: number | null
}

/** What the caller is saying and has not been taken as a turn yet. */
export interface CallerTurn {
  readonly utterances: readonly TranscribedUtterance[]
  /** All of it in one. */
  readonly text: string
  readonly estimate: EndOfTurnEstimate
  readonly firstVoiceAtMs: number
  readonly lastVoiceAtMs: number
  /** When the text changed last, or voice after it was told to be none. */
  readonly textAtMs: number
  /** Nobody heard voice: the text itself tells the time. */
  readonly isTextOnly: boolean
  /** Since when other ears hear once more what was not final: their text takes its place. */
  readonly retranscribingSinceMs: number | null
  /** It began over the agent's words, or right after them. */
  readonly isOverlappingAgent: boolean
  readonly speculations: number
  /** The pause that the agent has already filled with a "mhm". */
  readonly backchannelForMs: number | null
}

/** An utterance whose words belong to an earlier turn. */
export interface ConsumedUtterance {
  readonly id: string
  readonly words: number
}

export interface BufferedClause {
  readonly utteranceId: string
  readonly text: string
}

/** An answer under way. */
export interface Generation {
  readonly id: number
  /** What it answers at bottom, however often it is run again. */
  readonly answers: Exclude<GenerationInput['type'], 'again'>
  readonly turn: number | null
  readonly attempt: number
  readonly startedAtMs: number
  readonly outcome: 'running' | 'completed'
  readonly tools: readonly string[]
  /** Something of it went to the voice. */
  readonly hasSpoken: boolean
  /** A tool ran or the conversation moved on. */
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
  readonly status: 'asked' | 'ready' | 'playing'
  readonly isComplete: boolean
  /** Since when it is waited for its sound; `null` while others stand before it. */
  readonly waitingSinceMs: number | null
  readonly voiceSwitches: number
}

/** Speech that is not in the history yet. */
export interface UncommittedSpeech {
  readonly generation: number | null
  readonly wasPlayed: boolean
  readonly isFallback: boolean
}

export interface Pause {
  readonly sinceMs: number
  /** `null`: for as long as the voice lasts. */
  readonly resumeAtMs: number | null
}

/** A reply that words took away. If nothing comes of them it is run again. */
export interface CanceledReply {
  readonly answers: Generation['answers']
  readonly turn: number | null
  readonly checkAtMs: number
}

/** How the turns of a call stand: a plain value that never changes. */
export interface TurnState {
  readonly phase: 'waiting' | 'live' | 'ending' | 'ended'
  readonly settings: TurnSettings
  readonly startedAtMs: number
  readonly timers: Readonly<Partial<Record<TimerName, number>>>
  readonly connection: 'up' | 'lost'
  readonly opening: { readonly how: Opening; readonly dueAtMs: number | null } | null

  readonly voice: Voice
  readonly turn: CallerTurn | null
  readonly consumed: readonly ConsumedUtterance[]
  readonly consumedAtMs: number | null
  readonly averagePauseMs: number | null
  /**
   * Who understands the caller's voice: a recogniser; none any more, which a caller who speaks again and again must not be left
   * with; or nobody from the beginning or for good, and the caller knows it and writes.
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
  /** Generations that were committed, newest last: what they moved counts even after they were cancelled. */
  readonly committed: readonly number[]
  readonly pendingSays: readonly { readonly text: string; readonly isInterruptible: boolean }[]
  readonly isInjected: boolean
  /** What the agent said last, since the caller's turn, and when the last sound of it was played. */
  readonly lastSpoken: { readonly text: string; readonly endedAtMs: number | null; readonly isSinceLastTurn: boolean }

  readonly liveness: { readonly sinceMs: number; readonly stepsTaken: number } | null
  readonly toolLineAtMs: number | null
  readonly failedTurns: number
  readonly quiet: { readonly sinceMs: number } | null
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

/** How a call stands before its line does. Events other than `joined`, `settings` and the end mean nothing yet. */
export function initialState(settings: TurnSettings, nowMs: number): TurnState {
  return {
    phase: 'waiting',
    settings,
    startedAtMs: nowMs,
    timers: {},
    connection: 'up',
    opening: null,
    voice: { isOn: false, sinceMs: nowMs, lastAtMs: nowMs, untranscribedSinceMs: null, retranscribingSinceMs: null },
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
