import type { CallTurnLatency } from '@parley/contract/call-event'
import type { Conversation, DialogueState, TurnInput } from '../../dialogue/conversation.ts'
import type { Explanation } from '../../dialogue/explanation.ts'
import { type ClauseSplitter, createClauseSplitter } from '../speaking/split-clauses.ts'
import type { GenerationInput } from '../turn-machine/events.ts'
import { Reply } from './utterances.ts'

/** A running answer by the dialogue engine. */
export interface Generation {
  readonly id: number
  /** The input that the generation answers. A repeated generation has the original input. */
  readonly input: Exclude<GenerationInput, { type: 'again' }>
  /** The committed user turn that the generation answers, or `null` if the agent speaks unprompted. */
  times: TurnTimes | null
  firstTextAtMs: number | null
  firstClauseAtMs: number | null
  retrievalMs: number | null
  readonly controller: AbortController
  readonly reply: Reply
  readonly splitter: ClauseSplitter
  readonly startState: DialogueState | null
  /** State of the last transition, or `null` if there was none. */
  transitionState: DialogueState | null
  /** Final state, held until the generation is committed. */
  endState: DialogueState | null
  isCommitted: boolean
  isCanceled: boolean
  /** Whether the engine has finished. */
  isDone: boolean
  readonly runningTools: Set<string>
  readonly decisions: Explanation[]
  /** Resumes a generation that waits for a commit or for pending speech to be played. */
  wake: () => void
}

export function createGeneration(
  fields: Pick<Generation, 'id' | 'input' | 'startState' | 'isCommitted'> & { readonly language: string },
): Generation {
  const { language, ...generation } = fields
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

/** Maps a generation's input to the engine's input. `history` contains the speech heard before. */
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

/** Returns the value, or `null` for a canceled generation, so that its tools finish but it no longer calls models. */
export function withholdIfCanceled<Value>(generation: Generation, value: Value | null): Value | null {
  if (!generation.isCanceled) return value
  generation.controller.abort()
  return null
}

/** A turn's timestamps, with `null` for events that did not happen. */
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

/** Computes the latency between the caller's last and the agent's first audio. Returns `null` before the turn is answered. */
export function computeTurnLatency(times: TurnTimes): CallTurnLatency | null {
  const { lastVoiceAtMs, committedAtMs, firstTextAtMs, firstClauseAtMs, requestedAtMs } = times
  const { firstAudioAtMs, firstPlayedAtMs, finalTextAtMs, retrievalMs } = times
  if (firstPlayedAtMs === null) return null
  return {
    totalMs: Math.max(0, firstPlayedAtMs - lastVoiceAtMs),
    endOfTurnMs: times.endOfTurnMs,
    recogniserMs: computeDelayMs(lastVoiceAtMs, finalTextAtMs),
    retrievalMs,
    modelFirstTokenMs: computeDelayMs(committedAtMs, firstTextAtMs),
    firstClauseMs: computeDelayMs(firstTextAtMs, firstClauseAtMs),
    synthesisFirstAudioMs: computeDelayMs(requestedAtMs, firstAudioAtMs),
    playoutMs: computeDelayMs(firstAudioAtMs, firstPlayedAtMs),
  }
}

function computeDelayMs(fromMs: number | null, toMs: number | null): number | null {
  return fromMs === null || toMs === null ? null : Math.round(toMs - fromMs)
}
