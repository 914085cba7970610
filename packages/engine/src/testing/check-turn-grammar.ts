import type { DialogueEvent, ToolCall } from '../dialogue/conversation.ts'

/** What is known of a turn beside its events. */
export interface TurnGrammarFacts {
  /** Names of tools whose results nobody waits for: they may come at any time before the turn ends. */
  readonly lateTools?: ReadonlySet<string>
  /** Calls that were on record when the turn began. */
  readonly earlierCalls?: readonly ToolCall[]
}

interface Reading {
  text: string
  /** Calls whose results come next, in this order. */
  open: readonly ToolCall[]
  /** Calls whose results come sometime. */
  late: readonly ToolCall[]
  isBroken: boolean
}

/**
 * Says what is wrong with the order of a turn's events, or `null`. A turn is: messages (deltas, then one `message-end` with
 * exactly their text), each followed by the results of its calls in their order, transitions and actions between them, then
 * one `turn-end`. A transition tells the state that it leads to. A cancelled turn may stop anywhere but within a message.
 */
export function turnGrammarProblem(
  events: readonly DialogueEvent[],
  cancelled = false,
  { lateTools = new Set(), earlierCalls = [] }: TurnGrammarFacts = {},
): string | null {
  const reading: Reading = { text: '', open: earlierCalls, late: [], isBroken: false }
  for (const [index, event] of events.entries()) {
    if (events[index - 1]?.type === 'turn-end') return `${event.type} after turn-end`
    const problem = readEvent(reading, event, { cancelled, lateTools })
    if (problem !== null) return problem
  }
  if (reading.text !== '') return 'a message without message-end'
  return cancelled || events.at(-1)?.type === 'turn-end' ? null : 'no turn-end'
}

const AFTER_BROKEN: ReadonlySet<DialogueEvent['type']> = new Set([
  'turn-end',
  'action',
  'tool-result',
  'variables-collected',
])

function readEvent(
  reading: Reading,
  event: DialogueEvent,
  facts: { readonly cancelled: boolean; readonly lateTools: ReadonlySet<string> },
): string | null {
  if (reading.isBroken && !AFTER_BROKEN.has(event.type)) return `${event.type} after an incomplete message`
  const isInside = reading.text !== '' || reading.open.length > 0
  switch (event.type) {
    case 'text-delta':
      if (reading.open.length > 0) return 'text before all tool results'
      if (event.text === '') return 'an empty delta'
      reading.text += event.text
      return null
    case 'message-end':
      return readMessageEnd(reading, event, facts.lateTools)
    case 'tool-result':
      return readResult(reading, event.toolCallId, facts.cancelled)
    case 'node-transition':
      if (isInside) return 'a transition inside a message'
      return event.state.flow?.nodeId === event.to.nodeId ? null : 'a transition to another node than its state says'
    case 'state-transition':
      if (isInside) return 'a transition inside a message'
      return event.state.stateName === event.to ? null : 'a transition to another state than its state says'
    case 'action':
      // A text message is told of with the result of the call that sent it.
      return isInside && event.action.type !== 'send-sms' ? 'an action inside a message' : null
    case 'turn-end':
      return isInside || reading.late.length > 0 ? 'turn-end inside a message' : null
    case 'variables-collected':
    case 'usage':
    case 'explanation':
      return null
  }
}

function readMessageEnd(
  reading: Reading,
  event: Extract<DialogueEvent, { type: 'message-end' }>,
  lateTools: ReadonlySet<string>,
): string | null {
  if (reading.open.length > 0) return 'a message before all tool results'
  if (event.content !== reading.text) return 'the content is not what was streamed'
  if (reading.text.trim() === '' && event.toolCalls.length === 0) return 'a blank message'
  reading.text = ''
  reading.isBroken = event.incomplete
  reading.open = event.toolCalls.filter(({ name }) => !lateTools.has(name))
  reading.late = [...reading.late, ...event.toolCalls.filter(({ name }) => lateTools.has(name))]
  return null
}

function readResult(reading: Reading, toolCallId: string, cancelled: boolean): string | null {
  const isOther = (call: ToolCall): boolean => call.id !== toolCallId
  if (reading.late.some((call) => !isOther(call))) {
    reading.late = reading.late.filter(isOther)
    return reading.text === '' ? null : 'a result inside a message'
  }
  if (reading.open[0]?.id !== toolCallId && !cancelled) return 'a result out of order'
  reading.open = reading.open.filter(isOther)
  return null
}
