import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStatus, TurnStreamEvent } from '@parley/contract/events'
import type { StreamEvent } from '../../lib/api/events.ts'

/** A chat as the events of its turns tell it: pure, so that every way of cutting a stream can be tried. */

/** Something that the agent said, or began to say. */
export interface SaidPart {
  readonly kind: 'said'
  /** Of the stored message; null while its words still come. */
  readonly messageId: string | null
  readonly text: string
  /** It broke off. */
  readonly isIncomplete: boolean
}

/** A tool that the agent called. */
export interface ToolPart {
  readonly kind: 'tool'
  readonly toolCallId: string
  readonly name: string
  readonly arguments: string
  /** Null until it answered. */
  readonly result: string | null
  readonly isSuccessful: boolean | null
}

export type TurnPart = SaidPart | ToolPart

/** A message of the person and what the agent did about it. */
export interface TurnState {
  /** The same for every try, so that the server takes the message once. */
  readonly key: string
  readonly content: string
  /** Null until the server has begun. */
  readonly turnId: string | null
  /** Number of the last event of the turn; 0 before the first. */
  readonly lastEventId: number
  readonly parts: readonly TurnPart[]
  /** `sending` until the server has begun; `refused` when it did not. */
  readonly status: 'sending' | 'refused' | TurnStatus
  /** What the server said of its failure. */
  readonly failure: string | null
  readonly sentAtMs: number
  /** From the message to the first word; null without one. */
  readonly firstWordMs: number | null
  /** From the message to the end of the answer; null until then. */
  readonly wholeMs: number | null
}

export function beginTurn(message: { readonly key: string; readonly content: string }, atMs: number): TurnState {
  return {
    ...message,
    turnId: null,
    lastEventId: 0,
    parts: [],
    status: 'sending',
    failure: null,
    sentAtMs: atMs,
    firstWordMs: null,
    wholeMs: null,
  }
}

/**
 * The same message once more. Of a turn that failed the words stay as they broke off; one that was lost on the way is told anew
 * from its beginning.
 */
export function beginAgain(turn: TurnState, atMs: number): TurnState {
  const parts = turn.status === 'refused' ? [] : breakOff(turn.parts)
  return { ...beginTurn({ key: turn.key, content: turn.content }, atMs), parts }
}

export function isOver({ status }: TurnState): boolean {
  return status !== 'sending' && status !== 'running'
}

/** The server did not take the message, or told nothing more of it. */
export function refuseTurn(turn: TurnState): TurnState {
  return { ...turn, status: 'refused', parts: breakOff(turn.parts) }
}

/**
 * What a turn is after an event. Events that it has had change nothing, and a message that is told whole replaces the words that
 * came of it: however a stream is cut and resumed, every word is there once.
 */
export function hearEvent(turn: TurnState, { id, name, data }: StreamEvent, atMs: number): TurnState {
  const event = { event: name, data } as TurnStreamEvent
  const number = Number(id)
  if (event.event === 'turn.started' && event.data.turn_id !== turn.turnId) {
    return { ...turn, turnId: event.data.turn_id, lastEventId: number, parts: breakOff(turn.parts), status: 'running' }
  }
  if (number <= turn.lastEventId) return turn
  return { ...afterEvent(turn, event, atMs), lastEventId: number }
}

function afterEvent(turn: TurnState, event: TurnStreamEvent, atMs: number): TurnState {
  const elapsedMs = atMs - turn.sentAtMs
  switch (event.event) {
    case 'message.delta':
      return {
        ...turn,
        parts: addWords(turn.parts, event.data.text),
        firstWordMs: turn.firstWordMs ?? elapsedMs,
      }
    case 'message.restarted':
      return { ...turn, parts: turn.parts.filter((part) => !isComing(part)) }
    case 'tool.call':
      return { ...turn, parts: callTool(turn.parts, event.data) }
    case 'tool.result': {
      const { tool_call_id: toolCallId, name, content, successful } = event.data
      return { ...turn, parts: answerTool(turn.parts, { toolCallId, name, content, isSuccessful: successful }) }
    }
    case 'message.completed':
      return { ...turn, parts: complete(turn.parts, event.data.message) }
    case 'error':
      return { ...turn, failure: event.data.error }
    case 'done':
      return { ...turn, status: event.data.status, parts: breakOff(turn.parts), wholeMs: elapsedMs }
    default:
      return turn
  }
}

/** Words of a message that is still under way. */
const isComing = (part: TurnPart): part is SaidPart =>
  part.kind === 'said' && part.messageId === null && !part.isIncomplete

const breakOff = (parts: readonly TurnPart[]): readonly TurnPart[] =>
  parts.map((part) => (isComing(part) ? { ...part, isIncomplete: true } : part))

function addWords(parts: readonly TurnPart[], words: string): readonly TurnPart[] {
  if (!parts.some(isComing)) return [...parts, { kind: 'said', messageId: null, text: words, isIncomplete: false }]
  return parts.map((part) => (isComing(part) ? { ...part, text: part.text + words } : part))
}

function callTool(
  parts: readonly TurnPart[],
  call: { readonly tool_call_id: string; readonly name: string; readonly arguments: string },
): readonly TurnPart[] {
  const { tool_call_id: toolCallId, name } = call
  if (parts.some((part) => part.kind === 'tool' && part.toolCallId === toolCallId)) return parts
  return [...parts, { kind: 'tool', toolCallId, name, arguments: call.arguments, result: null, isSuccessful: null }]
}

interface ToolAnswer {
  readonly toolCallId: string
  readonly name: string
  readonly content: string
  /** Null where a message tells the answer, which does not say. */
  readonly isSuccessful: boolean | null
}

function answerTool(parts: readonly TurnPart[], answer: ToolAnswer): readonly TurnPart[] {
  const { toolCallId, name, content, isSuccessful } = answer
  const called = callTool(parts, { tool_call_id: toolCallId, name, arguments: '' })
  return called.map((part) => {
    if (part.kind !== 'tool' || part.toolCallId !== toolCallId) return part
    return { ...part, result: part.result ?? content, isSuccessful: part.isSuccessful ?? isSuccessful }
  })
}

/** A stored message in the place of the words that came of it, with the tools that it calls or answers. */
function complete(parts: readonly TurnPart[], message: ChatMessage): readonly TurnPart[] {
  if (message.role === 'tool') {
    const { tool_call_id: toolCallId, name, content } = message
    return toolCallId === null ? parts : answerTool(parts, { toolCallId, name, content, isSuccessful: null })
  }
  const said: SaidPart = {
    kind: 'said',
    messageId: message.message_id,
    text: message.content,
    isIncomplete: message.incomplete,
  }
  return message.tool_calls.reduce(
    (told, { id, function: called }) => callTool(told, { tool_call_id: id, ...called }),
    message.role === 'assistant' ? placeMessage(parts, said) : parts,
  )
}

function placeMessage(parts: readonly TurnPart[], said: SaidPart): readonly TurnPart[] {
  const isThis = (part: TurnPart): boolean => part.kind === 'said' && part.messageId === said.messageId
  // Told again from the record: the words that came since are not of this message.
  if (parts.some(isThis)) return parts
  if (said.text === '') return parts.filter((part) => !isComing(part))
  return parts.some(isComing) ? parts.map((part) => (isComing(part) ? said : part)) : [...parts, said]
}
