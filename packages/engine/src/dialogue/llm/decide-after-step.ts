import type { HistoryMessage, ToolCall } from '../conversation.ts'

/** What a turn does next. */
export type NextStep =
  | { readonly type: 'generate'; readonly toolChoice: 'auto' | 'none'; readonly closing: boolean }
  | {
      readonly type: 'run-tools'
      readonly calls: readonly ToolCall[]
      /** After a crash: the calls whose results are on record. `null`: none of the calls has been sent. */
      readonly answered: ReadonlySet<string> | null
    }
  | { readonly type: 'finish'; readonly end: boolean }

/** What matters after a step's tool results are all there. */
export interface StepFacts {
  /** A tool of the step ends the conversation. */
  readonly endRequested: boolean
  /** None of the step's tools wants an answer about its result (`speak_after_execution: false`), and all went well. */
  readonly silent: boolean
  /** The listener has been told something in this turn. */
  readonly spoken: boolean
  /** Steps with tool calls so far, this one included. */
  readonly toolSteps: number
  /** Those of them in which the model named a tool or arguments that do not exist. */
  readonly invalidSteps: number
}

/** A model that calls tools for ever must come to an answer. */
export const TOOL_STEP_LIMIT = 8

/** How often a turn lets the model correct its tool calls. */
export const INVALID_STEP_LIMIT = 2

export const ANSWER: NextStep = { type: 'generate', toolChoice: 'auto', closing: false }

/** Decides after a step: end, close with words, answer without further tools, stay silent or go on. */
export function decideAfterStep(facts: StepFacts): NextStep {
  if (facts.endRequested) {
    return facts.spoken ? { type: 'finish', end: true } : { type: 'generate', toolChoice: 'none', closing: true }
  }
  if (isToolLimitReached(facts)) return { type: 'generate', toolChoice: 'none', closing: false }
  // A turn always says something: silence after tools is only kept when words came before them.
  if (facts.silent && facts.spoken) return { type: 'finish', end: false }
  return ANSWER
}

/** Whether the turn has to go on without tools. */
export function isToolLimitReached(facts: Pick<StepFacts, 'toolSteps' | 'invalidSteps'>): boolean {
  return facts.toolSteps >= TOOL_STEP_LIMIT || facts.invalidSteps >= INVALID_STEP_LIMIT
}

/** The newest step with tool calls at the end of a history, and which of its calls have a result. */
export interface RecordedStep {
  readonly calls: readonly ToolCall[]
  readonly answered: ReadonlySet<string>
}

/** Finds the step that a history ends in: an assistant's tool calls, followed by nothing but their results. */
export function lastRecordedStep(history: readonly HistoryMessage[]): RecordedStep | null {
  const answered = new Set<string>()
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history[index]
    if (message?.role === 'tool') answered.add(message.toolCallId)
    else if (message?.role === 'assistant' && message.toolCalls.length > 0)
      return { calls: message.toolCalls, answered }
    else return null
  }
  return null
}

/** What the messages since the last one of the user amount to. */
export interface TurnProgress extends Pick<StepFacts, 'spoken' | 'toolSteps'> {
  /** Names of the tools that were called. */
  readonly calledNames: ReadonlySet<string>
}

/** Reads from the end of a history how far its last turn has come. */
export function measureTurn(history: readonly HistoryMessage[]): TurnProgress {
  const calledNames = new Set<string>()
  let spoken = false
  let toolSteps = 0
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history[index]
    if (message === undefined || message.role === 'user') break
    if (message.role !== 'assistant') continue
    if (message.content.trim() !== '') spoken = true
    if (message.toolCalls.length > 0) toolSteps += 1
    for (const call of message.toolCalls) calledNames.add(call.name)
  }
  return { spoken, toolSteps, calledNames }
}
