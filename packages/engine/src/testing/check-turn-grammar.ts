import type { DialogueEvent, ToolCall } from '../dialogue/conversation.ts'

/** Information that is not in the turn's events. */
interface TurnGrammarOptions {
  /** Names of tools whose results may arrive later than the next message. */
  readonly lateTools?: ReadonlySet<string>
  /** Tool calls recorded before the turn started. */
  readonly earlierCalls?: readonly ToolCall[]
}

interface GrammarState {
  text: string
  /** Calls whose results must come next, in order. */
  pendingCalls: readonly ToolCall[]
  /** Calls whose results may arrive later. */
  lateCalls: readonly ToolCall[]
  isIncomplete: boolean
}

/**
 * Describes the first error in the order of a turn's events, or returns `null` if the order is valid. A turn is a sequence of
 * messages (deltas, then one `message-end` with the same text), each followed by its tool results in order. Transitions and
 * actions come between messages, and one `turn-end` comes at the end. A canceled turn may stop anywhere except within a
 * message.
 */
export function findTurnGrammarProblem(
  events: readonly DialogueEvent[],
  cancelled = false,
  { lateTools = new Set(), earlierCalls = [] }: TurnGrammarOptions = {},
): string | null {
  const grammar: GrammarState = { text: '', pendingCalls: earlierCalls, lateCalls: [], isIncomplete: false }
  for (const [index, event] of events.entries()) {
    if (events[index - 1]?.type === 'turn-end') return `${event.type} after turn-end`
    const problem = checkEvent(grammar, event, { cancelled, lateTools })
    if (problem !== null) return problem
  }
  if (grammar.text !== '') return 'a message without message-end'
  return cancelled || events.at(-1)?.type === 'turn-end' ? null : 'no turn-end'
}

const ALLOWED_AFTER_INCOMPLETE: ReadonlySet<DialogueEvent['type']> = new Set([
  'turn-end',
  'action',
  'tool-result',
  'variables-collected',
])

function checkEvent(
  grammar: GrammarState,
  event: DialogueEvent,
  options: { readonly cancelled: boolean; readonly lateTools: ReadonlySet<string> },
): string | null {
  if (grammar.isIncomplete && !ALLOWED_AFTER_INCOMPLETE.has(event.type))
    return `${event.type} after an incomplete message`
  const isInMessage = grammar.text !== '' || grammar.pendingCalls.length > 0
  switch (event.type) {
    case 'text-delta':
      if (grammar.pendingCalls.length > 0) return 'text before all tool results'
      if (event.text === '') return 'an empty delta'
      grammar.text += event.text
      return null
    case 'message-end':
      return checkMessageEnd(grammar, event, options.lateTools)
    case 'tool-result':
      return checkToolResult(grammar, event.toolCallId, options.cancelled)
    case 'node-transition':
      if (isInMessage) return 'a transition inside a message'
      return event.state.flow?.nodeId === event.to.nodeId
        ? null
        : 'a transition to a node other than the one in its state'
    case 'state-transition':
      if (isInMessage) return 'a transition inside a message'
      return event.state.stateName === event.to ? null : 'a transition to a state other than the one in its state'
    case 'action':
      // An SMS action may come between a message and its tool results.
      return isInMessage && event.action.type !== 'send-sms' ? 'an action inside a message' : null
    case 'turn-end':
      return isInMessage || grammar.lateCalls.length > 0 ? 'turn-end inside a message' : null
    case 'variables-collected':
    case 'usage':
    case 'explanation':
      return null
  }
}

function checkMessageEnd(
  grammar: GrammarState,
  event: Extract<DialogueEvent, { type: 'message-end' }>,
  lateTools: ReadonlySet<string>,
): string | null {
  if (grammar.pendingCalls.length > 0) return 'a message before all tool results'
  if (event.content !== grammar.text) return 'content that differs from the streamed text'
  if (grammar.text.trim() === '' && event.toolCalls.length === 0) return 'a blank message'
  grammar.text = ''
  grammar.isIncomplete = event.incomplete
  grammar.pendingCalls = event.toolCalls.filter(({ name }) => !lateTools.has(name))
  grammar.lateCalls = [...grammar.lateCalls, ...event.toolCalls.filter(({ name }) => lateTools.has(name))]
  return null
}

function checkToolResult(grammar: GrammarState, toolCallId: string, cancelled: boolean): string | null {
  const isOtherCall = (call: ToolCall): boolean => call.id !== toolCallId
  if (grammar.lateCalls.some((call) => !isOtherCall(call))) {
    grammar.lateCalls = grammar.lateCalls.filter(isOtherCall)
    return grammar.text === '' ? null : 'a result inside a message'
  }
  if (grammar.pendingCalls[0]?.id !== toolCallId && !cancelled) return 'a result out of order'
  grammar.pendingCalls = grammar.pendingCalls.filter(isOtherCall)
  return null
}
