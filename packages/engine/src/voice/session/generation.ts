import type { CallTurnLatency } from '@parley/contract/call-event'
import type { Conversation, DialogueState, TurnInput } from '../../dialogue/conversation.ts'
import type { Explanation } from '../../dialogue/explanation.ts'
import { type ClauseSplitter, createClauseSplitter } from '../speaking/split-clauses.ts'
import type { GenerationInput } from '../turn-machine/events.ts'
import { Reply } from './utterances.ts'

/** One running answer of the dialogue engine. */
export interface Generation {
  readonly id: number
  /** What it answers; never `again`. */
  readonly input: Exclude<GenerationInput, { type: 'again' }>
  /** The committed user turn that it answers; `null` if the agent speaks unprompted. */
  times: TurnTimes | null
  firstTextAtMs: number | null
  firstClauseAtMs: number | null
  retrievalMs: number | null
  readonly controller: AbortController
  readonly reply: Reply
  readonly splitter: ClauseSplitter
  readonly startState: DialogueState | null
  /** State of its last transition; `null` if it made none. */
  transitionState: DialogueState | null
  /** Final state until it is committed. */
  endState: DialogueState | null
  isCommitted: boolean
  isCanceled: boolean
  /** The engine has finished. */
  isDone: boolean
  readonly runningTools: Set<string>
  readonly decisions: Explanation[]
  /** Wakes it while it waits for a commit or for room. */
  wake: () => void
}

export function createGeneration(
  given: Pick<Generation, 'id' | 'input' | 'startState' | 'isCommitted'> & { readonly language: string },
): Generation {
  const { language, ...generation } = given
  return {
    ...generation,
    times: null,
    firstTextAtMs: null,
    firstClauseAtMs: null,
    retrievalMs: null,
    controller: new AbortController(),
    reply: new Reply(),
    splitter: createClauseSplitter({ language }),
    transitionState: null,
    endState: null,
    isCanceled: false,
    isDone: false,
    runningTools: new Set(),
    decisions: [],
    wake: () => {},
  }
}

/** Arguments of `respond`. */
export interface EngineRequest {
  readonly conversation: Conversation
  readonly input: TurnInput
}

/** Maps the requested answer to the engine's input; `history` holds what was heard before. */
export function toTurnInput(input: Generation['input']): TurnInput {
  switch (input.type) {
    case 'user':
      return { type: 'user-message', content: input.text }
    case 'open':
      return { type: 'unprompted', reason: 'opening' }
    case 'remind':
      return { type: 'unprompted', reason: 'reminder' }
    case 'injected':
      return { type: 'unprompted', reason: 'update' }
  }
}

/** Returns `null` for a canceled generation: its tools finish, but it calls no model any more. */
export function withoutModels<Value>(generation: Generation, value: Value | null): Value | null {
  if (!generation.isCanceled) return value
  generation.controller.abort()
  return null
}

/** Timestamps of a turn; `null` for what did not happen. */
export interface TurnTimes {
  readonly turnId: string
  /** End of the caller's last voice. */
  readonly lastVoiceAtMs: number
  readonly endOfTurnMs: number
  readonly committedAtMs: number
  finalTextAtMs: number | null
  firstTextAtMs: number | null
  firstClauseAtMs: number | null
  requestedAtMs: number | null
  firstAudioAtMs: number | null
  firstPlayedAtMs: number | null
  retrievalMs: number | null
  /** Decisions of each generation that answered the turn. */
  readonly decisions: (readonly Explanation[])[]
  isRecorded: boolean
}

export function createTurnTimes(
  turn: Pick<TurnTimes, 'turnId' | 'lastVoiceAtMs' | 'endOfTurnMs' | 'committedAtMs' | 'finalTextAtMs'>,
): TurnTimes {
  return {
    ...turn,
    firstTextAtMs: null,
    firstClauseAtMs: null,
    requestedAtMs: null,
    firstAudioAtMs: null,
    firstPlayedAtMs: null,
    retrievalMs: null,
    decisions: [],
    isRecorded: false,
  }
}

/** Latency between the caller's last and the agent's first audio; `null` until it was answered. */
export function turnLatency(times: TurnTimes): CallTurnLatency | null {
  const { lastVoiceAtMs, committedAtMs, firstTextAtMs, firstClauseAtMs, requestedAtMs } = times
  const { firstAudioAtMs, firstPlayedAtMs, finalTextAtMs, retrievalMs } = times
  if (firstPlayedAtMs === null) return null
  return {
    totalMs: Math.max(0, firstPlayedAtMs - lastVoiceAtMs),
    endOfTurnMs: times.endOfTurnMs,
    recogniserMs: between(lastVoiceAtMs, finalTextAtMs),
    retrievalMs,
    modelFirstTokenMs: between(committedAtMs, firstTextAtMs),
    firstClauseMs: between(firstTextAtMs, firstClauseAtMs),
    synthesisFirstAudioMs: between(requestedAtMs, firstAudioAtMs),
    playoutMs: between(firstAudioAtMs, firstPlayedAtMs),
  }
}

function between(fromMs: number | null, toMs: number | null): number | null {
  return fromMs === null || toMs === null ? null : Math.round(toMs - fromMs)
}
