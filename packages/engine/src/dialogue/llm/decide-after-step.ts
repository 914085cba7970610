import type { HistoryMessage, ToolCall } from '../conversation.ts'
import type { OfferedTool } from '../tools/offered-tools.ts'

/** The next step of a turn. */
export type NextStep =
  | { readonly type: 'generate'; readonly toolChoice: 'auto' | 'none'; readonly closing: boolean }
  | {
      readonly type: 'run-tools'
      readonly calls: readonly ToolCall[]
      /** After a crash: ids of calls with a recorded result. `null`: none of the calls has been sent. */
      readonly answered: ReadonlySet<string> | null
    }
  | { readonly type: 'finish'; readonly end: boolean }

/** Facts after all tools of a step have finished. */
export interface StepFacts {
  /** A tool of the step ended the conversation. */
  readonly endRequested: boolean
  /** All calls succeeded and their tools have `speak_after_execution: false`. */
  readonly silent: boolean
  /** The agent has spoken in this turn. */
  readonly spoken: boolean
  /** Number of steps with tool calls, including this one. */
  readonly toolSteps: number
  /** Number of steps with unknown tools or invalid arguments. */
  readonly invalidSteps: number
}

/** Makes a model that keeps calling tools answer. */
export const TOOL_STEP_LIMIT = 8

/** How often the model may correct its tool calls in a turn. */
export const INVALID_STEP_LIMIT = 2

export const ANSWER: NextStep = { type: 'generate', toolChoice: 'auto', closing: false }

/** Decides after a step: end, say closing words, answer without tools, stay silent or continue. */
export function decideAfterStep(facts: StepFacts): NextStep {
  if (facts.endRequested) {
    return facts.spoken ? { type: 'finish', end: true } : { type: 'generate', toolChoice: 'none', closing: true }
  }
  if (isToolLimitReached(facts)) return { type: 'generate', toolChoice: 'none', closing: false }
  // Every turn says something, so a silent tool needs words before it.
  if (facts.silent && facts.spoken) return { type: 'finish', end: false }
  return ANSWER
}

/** Whether the turn has to continue without tools. */
export function isToolLimitReached(facts: Pick<StepFacts, 'toolSteps' | 'invalidSteps'>): boolean {
  return facts.toolSteps >= TOOL_STEP_LIMIT || facts.invalidSteps >= INVALID_STEP_LIMIT
}

/** The tool calls at the end of a history, and the ids of those with results. */
export interface RecordedStep {
  readonly calls: readonly ToolCall[]
  readonly answered: ReadonlySet<string>
}

/** Finds the step at the end of a history: tool calls followed only by their results. */
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

/** Progress since the user's last message. */
export interface TurnProgress extends Pick<StepFacts, 'spoken' | 'toolSteps'> {
  /** Names of called tools. */
  readonly calledNames: ReadonlySet<string>
}

/** Measures the progress of the last turn of a history. */
export function measureTurn(history: readonly HistoryMessage[]): TurnProgress {
  const lastUserIndex = history.findLastIndex(({ role }) => role === 'user')
  const messages = history.slice(lastUserIndex + 1).filter((message) => message.role === 'assistant')
  return {
    spoken: messages.some(({ content }) => content.trim() !== ''),
    toolSteps: messages.filter(({ toolCalls }) => toolCalls.length > 0).length,
    calledNames: new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name))),
  }
}

/** Whether a history ends with a complete answer. */
export function endsWithAnswer(history: readonly HistoryMessage[]): boolean {
  const last = history.at(-1)
  return last?.role === 'assistant' && last.toolCalls.length === 0
}

/** The step at which an interrupted turn continues after these messages. */
export function resumeTurn(messages: readonly HistoryMessage[], tools: readonly OfferedTool[]): NextStep {
  const step = lastRecordedStep(messages)
  if (step !== null) return { type: 'run-tools', ...step }
  if (messages.at(-1)?.role !== 'assistant') return ANSWER
  const { calledNames } = measureTurn(messages)
  return { type: 'finish', end: tools.some(({ type, name }) => type === 'end_call' && calledNames.has(name)) }
}
