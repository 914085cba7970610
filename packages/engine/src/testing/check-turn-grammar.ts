import type { DialogueEvent, ToolCall } from '../dialogue/conversation.ts'

/** Facts about a turn that its events do not show. */
interface TurnGrammarFacts {
  /** Tools with results that may arrive at any time before the turn ends. */
  readonly lateTools?: ReadonlySet<string>
  /** Tool calls recorded before the turn started. */
  readonly earlierCalls?: readonly ToolCall[]
}

interface GrammarState {
  text: string
  /** Calls with results that come next, in order. */
  pendingCalls: readonly ToolCall[]
  /** Calls with results that may come at any time. */
  lateCalls: readonly ToolCall[]
  isBroken: boolean
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
  { lateTools = new Set(), earlierCalls = [] }: TurnGrammarFacts = {},
): string | null {
  const grammar: GrammarState = { text: '', pendingCalls: earlierCalls, lateCalls: [], isBroken: false }
  for (const [index, event] of events.entries()) {
    if (events[index - 1]?.type === 'turn-end') return `${event.type} after turn-end`
    const problem = readEvent(grammar, event, { cancelled, lateTools })
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

function readEvent(
  grammar: GrammarState,
  event: DialogueEvent,
  facts: { readonly cancelled: boolean; readonly lateTools: ReadonlySet<string> },
): string | null {
  if (grammar.isBroken && !ALLOWED_AFTER_INCOMPLETE.has(event.type)) return `${event.type} after an incomplete message`
  const isInside = grammar.text !== '' || grammar.pendingCalls.length > 0
  switch (event.type) {
    case 'text-delta':
      if (grammar.pendingCalls.length > 0) return 'text before all tool results'
      if (event.text === '') return 'an empty delta'
      grammar.text += event.text
      return null
    case 'message-end':
      return readMessageEnd(grammar, event, facts.lateTools)
    case 'tool-result':
      return readResult(grammar, event.toolCallId, facts.cancelled)
    case 'node-transition':
      if (isInside) return 'a transition inside a message'
      return event.state.flow?.nodeId === event.to.nodeId
        ? null
        : 'a transition to a node other than the one in its state'
    case 'state-transition':
      if (isInside) return 'a transition inside a message'
      return event.state.stateName === event.to ? null : 'a transition to a state other than the one in its state'
    case 'action':
      // A text message is reported together with the result of the call that sent it.
      return isInside && event.action.type !== 'send-sms' ? 'an action inside a message' : null
    case 'turn-end':
      return isInside || grammar.lateCalls.length > 0 ? 'turn-end inside a message' : null
    case 'variables-collected':
    case 'usage':
    case 'explanation':
      return null
  }
}

function readMessageEnd(
  grammar: GrammarState,
  event: Extract<DialogueEvent, { type: 'message-end' }>,
  lateTools: ReadonlySet<string>,
): string | null {
  if (grammar.pendingCalls.length > 0) return 'a message before all tool results'
  if (event.content !== grammar.text) return 'content that differs from the streamed text'
  if (grammar.text.trim() === '' && event.toolCalls.length === 0) return 'a blank message'
  grammar.text = ''
  grammar.isBroken = event.incomplete
  grammar.pendingCalls = event.toolCalls.filter(({ name }) => !lateTools.has(name))
  grammar.lateCalls = [...grammar.lateCalls, ...event.toolCalls.filter(({ name }) => lateTools.has(name))]
  return null
}

function readResult(grammar: GrammarState, toolCallId: string, cancelled: boolean): string | null {
  const isOtherCall = (call: ToolCall): boolean => call.id !== toolCallId
  if (grammar.lateCalls.some((call) => !isOtherCall(call))) {
    grammar.lateCalls = grammar.lateCalls.filter(isOtherCall)
    return grammar.text === '' ? null : 'a result inside a message'
  }
  if (grammar.pendingCalls[0]?.id !== toolCallId && !cancelled) return 'a result out of order'
  grammar.pendingCalls = grammar.pendingCalls.filter(isOtherCall)
  return null
}
