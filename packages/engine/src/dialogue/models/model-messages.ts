import type { ModelMessage } from '../../ports.ts'
import type { HistoryMessage, ToolCall } from '../conversation.ts'

/** Content for a call without a recorded result. */
export const OUTCOME_UNKNOWN =
  'outcome unknown: the conversation was interrupted before the result arrived. It may or may not have taken effect.'

/**
 * Builds a model's context in a stable order: `leadingMessages` (system prompt, passages), history, input. Vendors reject
 * unmatched calls and results, so late and missing results follow their call, and stray results are dropped.
 */
export function toModelMessages(
  leadingMessages: readonly ModelMessage[],
  history: readonly HistoryMessage[],
): ModelMessage[] {
  const messages: ModelMessage[] = [...leadingMessages]
  const resultsByCallId = new Map(
    history.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message.content]] : [])),
  )
  let pendingCalls: ToolCall[] = []
  const addPendingResults = (): void => {
    for (const call of pendingCalls) {
      messages.push({
        role: 'tool',
        toolCallId: call.id,
        name: call.name,
        content: resultsByCallId.get(call.id) ?? OUTCOME_UNKNOWN,
      })
    }
    pendingCalls = []
  }
  for (const message of history) {
    if (message.role === 'tool') {
      const remainingCalls = pendingCalls.filter((call) => call.id !== message.toolCallId)
      if (remainingCalls.length < pendingCalls.length) messages.push(message)
      pendingCalls = remainingCalls
      continue
    }
    if (pendingCalls.length > 0) addPendingResults()
    if (message.role === 'assistant') pendingCalls = [...message.toolCalls]
    messages.push(message)
  }
  addPendingResults()
  return messages
}
