import type { ModelMessage } from '../../ports.ts'
import type { HistoryMessage, ToolCall } from '../conversation.ts'

/** Content for a call without a recorded result. */
export const OUTCOME_UNKNOWN =
  'outcome unknown: the conversation was interrupted before the result arrived. It may or may not have taken effect.'

/**
 * Builds a model's context in a stable order: `first` (system prompt, passages), history, input. Vendors reject unmatched calls
 * and results. Late and missing results therefore follow their call, and stray results are dropped.
 */
export function toModelMessages(first: readonly ModelMessage[], history: readonly HistoryMessage[]): ModelMessage[] {
  const messages: ModelMessage[] = [...first]
  const late = new Map(history.flatMap((one) => (one.role === 'tool' ? [[one.toolCallId, one.content]] : [])))
  let open: ToolCall[] = []
  const closeOpenCalls = (): void => {
    for (const call of open) {
      messages.push({
        role: 'tool',
        toolCallId: call.id,
        name: call.name,
        content: late.get(call.id) ?? OUTCOME_UNKNOWN,
      })
    }
    open = []
  }
  for (const message of history) {
    if (message.role === 'tool') {
      const remaining = open.filter((call) => call.id !== message.toolCallId)
      if (remaining.length < open.length) messages.push(message)
      open = remaining
      continue
    }
    if (open.length > 0) closeOpenCalls()
    if (message.role === 'assistant') open = [...message.toolCalls]
    messages.push(message)
  }
  closeOpenCalls()
  return messages
}
