import type { HistoryMessage, ToolCall } from '../conversation.ts'
import type { OfferedTool } from '../tools/offered-tools.ts'

/** The next step of a turn. */
export type NextStep =
  | { readonly type: 'generate'; readonly toolChoice: 'auto' | 'none'; readonly isClosing: boolean }
  | {
      readonly type: 'run-tools'
      readonly calls: readonly ToolCall[]
      /** IDs of the calls whose results were recorded before an interruption, or `null` if the turn was not interrupted. */
      readonly answeredCallIds: ReadonlySet<string> | null
    }
  | { readonly type: 'finish'; readonly endsConversation: boolean }

/** The outcome of a step after all its tools have finished. */
export interface StepOutcome {
  /** Whether a tool in the step ended the conversation. */
  readonly isEndRequested: boolean
  /** Whether all calls succeeded and their tools have `speak_after_execution: false`. */
  readonly isSilent: boolean
  /** Whether the agent has spoken in this turn. */
  readonly hasSpoken: boolean
  /** Number of steps with tool calls, including the current step. */
  readonly toolSteps: number
  /** Number of steps with unknown tools or invalid arguments. */
  readonly invalidSteps: number
}

/** Maximum number of tool steps before the model has to answer. */
export const TOOL_STEP_LIMIT = 8

/** Maximum number of times per turn that the model may correct its tool calls. */
export const INVALID_STEP_LIMIT = 2

export const ANSWER: NextStep = { type: 'generate', toolChoice: 'auto', isClosing: false }

/** Decides how a turn continues after a step: end, say a closing message, answer without tools, stay silent, or continue. */
export function decideAfterStep(outcome: StepOutcome): NextStep {
  if (outcome.isEndRequested) {
    return outcome.hasSpoken
      ? { type: 'finish', endsConversation: true }
      : { type: 'generate', toolChoice: 'none', isClosing: true }
  }
  if (isToolLimitReached(outcome)) return { type: 'generate', toolChoice: 'none', isClosing: false }
  // Every turn must say something, so only an agent that has already spoken may stay silent.
  if (outcome.isSilent && outcome.hasSpoken) return { type: 'finish', endsConversation: false }
  return ANSWER
}

/** Whether the turn has to continue without tools. */
export function isToolLimitReached(progress: Pick<StepOutcome, 'toolSteps' | 'invalidSteps'>): boolean {
  return progress.toolSteps >= TOOL_STEP_LIMIT || progress.invalidSteps >= INVALID_STEP_LIMIT
}

/** The tool calls at the end of a history, and the IDs of calls with results. */
export interface RecordedStep {
  readonly calls: readonly ToolCall[]
  readonly answeredCallIds: ReadonlySet<string>
}

/** Finds the tool step at the end of a history: tool calls followed only by their results. */
export function findRecordedStep(history: readonly HistoryMessage[]): RecordedStep | null {
  const answeredCallIds = new Set<string>()
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history[index]
    if (message?.role === 'tool') answeredCallIds.add(message.toolCallId)
    else if (message?.role === 'assistant' && message.toolCalls.length > 0)
      return { calls: message.toolCalls, answeredCallIds }
    else return null
  }
  return null
}

/** Progress of a turn since the user's last message. */
export interface TurnProgress extends Pick<StepOutcome, 'hasSpoken' | 'toolSteps'> {
  /** Names of the called tools. */
  readonly calledNames: ReadonlySet<string>
}

/** Measures the last turn's progress in a history. */
export function measureTurn(history: readonly HistoryMessage[]): TurnProgress {
  const lastUserIndex = history.findLastIndex(({ role }) => role === 'user')
  const messages = history.slice(lastUserIndex + 1).filter((message) => message.role === 'assistant')
  return {
    hasSpoken: messages.some(({ content }) => content.trim() !== ''),
    toolSteps: messages.filter(({ toolCalls }) => toolCalls.length > 0).length,
    calledNames: new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name))),
  }
}

/** Whether a history ends with a complete answer. */
export function endsWithAnswer(history: readonly HistoryMessage[]): boolean {
  const lastMessage = history.at(-1)
  return lastMessage?.role === 'assistant' && lastMessage.toolCalls.length === 0
}

/** Returns the step at which an interrupted turn continues after these messages. */
export function resumeTurn(messages: readonly HistoryMessage[], tools: readonly OfferedTool[]): NextStep {
  const step = findRecordedStep(messages)
  if (step !== null) return { type: 'run-tools', ...step }
  if (messages.at(-1)?.role !== 'assistant') return ANSWER
  const { calledNames } = measureTurn(messages)
  return {
    type: 'finish',
    endsConversation: tools.some(({ type, name }) => type === 'end_call' && calledNames.has(name)),
  }
}
