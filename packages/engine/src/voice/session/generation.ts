import type { Conversation, DialogueState, TurnInput } from '../../dialogue/conversation.ts'
import type { Explanation } from '../../dialogue/explanation.ts'
import { type ClauseSplitter, createClauseSplitter } from '../speaking/split-clauses.ts'
import type { GenerationInput } from '../turn-machine/events.ts'
import { Reply } from './reply.ts'
import type { TurnTimes } from './turn-times.ts'

/** One answer of the dialogue engine under way. */
export interface Generation {
  readonly id: number
  /** What it answers; never `again`. */
  readonly input: Exclude<GenerationInput, { type: 'again' }>
  /** The caller's turn that it answers, once it is committed; `null`: the agent speaks unasked. */
  times: TurnTimes | null
  firstTextAtMs: number | null
  firstClauseAtMs: number | null
  retrievalMs: number | null
  readonly controller: AbortController
  readonly reply: Reply
  readonly splitter: ClauseSplitter
  readonly startState: DialogueState | null
  /** The memory of its last transition; `null`: it made none. */
  transitionState: DialogueState | null
  /** The memory that it ended with, until it is committed. */
  endState: DialogueState | null
  isCommitted: boolean
  isCanceled: boolean
  /** The engine has ended. */
  isDone: boolean
  readonly runningTools: Set<string>
  readonly decisions: Explanation[]
  /** Wakes it where it waits to be committed or for room. */
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

/** What the engine is asked with. */
export interface EngineRequest {
  readonly conversation: Conversation
  readonly input: TurnInput
}

/** The engine's input for what the turn machine wants answered; `history` is what was heard before it. */
export function toTurnInput(input: Generation['input']): TurnInput {
  switch (input.type) {
    case 'user':
      return { type: 'user-message', content: input.text }
    case 'open':
      return { type: 'unasked', reason: 'opening' }
    case 'remind':
      return { type: 'unasked', reason: 'reminder' }
    case 'injected':
      return { type: 'unasked', reason: 'told' }
  }
}

/** Wraps what a cancelled generation may still reach: its tools run to their ends, but it asks no model any more. */
export function withoutModels<Value>(generation: Generation, value: Value | null): Value | null {
  if (!generation.isCanceled) return value
  generation.controller.abort()
  return null
}
