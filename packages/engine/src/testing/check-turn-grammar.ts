import type { DialogueEvent, ToolCall } from '../dialogue/conversation.ts'

/**
 * Says what is wrong with the order of a turn's events, or `null`. A turn is: messages (deltas, then one `message-end` with
 * exactly their text), each followed by the results of its calls in their order, then actions, then one `turn-end`. A
 * cancelled turn may stop anywhere but within a message.
 */
export function turnGrammarProblem(events: readonly DialogueEvent[], cancelled = false): string | null {
  let text = ''
  let open: readonly ToolCall[] = []
  let ended = false
  let broken = false
  for (const event of events) {
    if (ended) return `${event.type} after turn-end`
    if (broken && event.type !== 'turn-end' && event.type !== 'action')
      return `${event.type} after an incomplete message`
    switch (event.type) {
      case 'text-delta':
        if (open.length > 0) return 'text before all tool results'
        if (event.text === '') return 'an empty delta'
        text += event.text
        break
      case 'message-end':
        if (open.length > 0) return 'a message before all tool results'
        if (event.content !== text) return 'the content is not what was streamed'
        if (text.trim() === '' && event.toolCalls.length === 0) return 'a blank message'
        text = ''
        broken = event.incomplete
        open = event.toolCalls
        break
      case 'tool-result':
        if (open[0]?.id !== event.toolCallId && !cancelled) return 'a result out of order'
        open = open.filter((call) => call.id !== event.toolCallId)
        break
      case 'action':
        if (text !== '' || open.length > 0) return 'an action inside a message'
        break
      case 'turn-end':
        if (text !== '' || open.length > 0) return 'turn-end inside a message'
        ended = true
        break
      case 'variables-collected':
      case 'usage':
      case 'explanation':
        break
    }
  }
  if (text !== '') return 'a message without message-end'
  return ended || cancelled ? null : 'no turn-end'
}
