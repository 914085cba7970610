import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStatus, TurnStreamEvent } from '@parley/contract/events'
import type { StreamEvent } from '../../lib/api/events.ts'

/** A message from the agent, complete or in progress. */
export interface MessagePart {
  readonly kind: 'message'
  /** ID of the stored message; null while the message streams. */
  readonly messageId: string | null
  readonly text: string
  readonly isIncomplete: boolean
}

export interface ToolPart {
  readonly kind: 'tool'
  readonly toolCallId: string
  readonly name: string
  readonly arguments: string
  readonly result: string | null
  readonly isSuccessful: boolean | null
}

export type TurnPart = MessagePart | ToolPart

/** A user message and the reply. */
export interface TurnState {
  /** Idempotency key, reused on retries. */
  readonly key: string
  readonly content: string
  readonly turnId: string | null
  /** 0 before the first event. */
  readonly lastEventId: number
  readonly parts: readonly TurnPart[]
  /** `sending` until the server starts the turn. `rejected` if the server rejects the message. */
  readonly status: 'sending' | 'rejected' | TurnStatus
  readonly failure: string | null
  readonly sentAtMs: number
  readonly firstWordMs: number | null
  readonly totalMs: number | null
}

export function startTurn(message: { readonly key: string; readonly content: string }, timestampMs: number): TurnState {
  return {
    ...message,
    turnId: null,
    lastEventId: 0,
    parts: [],
    status: 'sending',
    failure: null,
    sentAtMs: timestampMs,
    firstWordMs: null,
    totalMs: null,
  }
}

/** Resets a turn before a retry. Keeps the partial reply, unless the message was rejected. */
export function retryTurn(turn: TurnState, timestampMs: number): TurnState {
  const parts = turn.status === 'rejected' ? [] : interruptParts(turn.parts)
  return { ...startTurn({ key: turn.key, content: turn.content }, timestampMs), parts }
}

export function hasEnded({ status }: TurnState): boolean {
  return status !== 'sending' && status !== 'running'
}

/** Marks a turn as rejected if the server rejected the message or the stream failed. */
export function rejectTurn(turn: TurnState): TurnState {
  return { ...turn, status: 'rejected', parts: interruptParts(turn.parts) }
}

/** Applies an event. Ignores replayed events, so a resumed stream displays each word once. */
export function applyEvent(turn: TurnState, { id, name, data }: StreamEvent, timestampMs: number): TurnState {
  const event = { event: name, data } as TurnStreamEvent
  const eventId = Number(id)
  if (event.event === 'turn.started' && event.data.turn_id !== turn.turnId) {
    return {
      ...turn,
      turnId: event.data.turn_id,
      lastEventId: eventId,
      parts: interruptParts(turn.parts),
      status: 'running',
    }
  }
  if (eventId <= turn.lastEventId) return turn
  return { ...applyNewEvent(turn, event, timestampMs), lastEventId: eventId }
}

function applyNewEvent(turn: TurnState, event: TurnStreamEvent, timestampMs: number): TurnState {
  const elapsedMs = timestampMs - turn.sentAtMs
  switch (event.event) {
    case 'message.delta':
      return {
        ...turn,
        parts: appendText(turn.parts, event.data.text),
        firstWordMs: turn.firstWordMs ?? elapsedMs,
      }
    case 'message.restarted':
      return { ...turn, parts: turn.parts.filter((part) => !isStreaming(part)) }
    case 'tool.call':
      return { ...turn, parts: addToolCall(turn.parts, event.data) }
    case 'tool.result': {
      const { tool_call_id: toolCallId, name, content, successful } = event.data
      return { ...turn, parts: applyToolResult(turn.parts, { toolCallId, name, content, isSuccessful: successful }) }
    }
    case 'message.completed':
      return { ...turn, parts: completeMessage(turn.parts, event.data.message) }
    case 'error':
      return { ...turn, failure: event.data.error }
    case 'done':
      return { ...turn, status: event.data.status, parts: interruptParts(turn.parts), totalMs: elapsedMs }
    default:
      return turn
  }
}

/** Whether a message is still streaming. */
const isStreaming = (part: TurnPart): part is MessagePart =>
  part.kind === 'message' && part.messageId === null && !part.isIncomplete

const interruptParts = (parts: readonly TurnPart[]): readonly TurnPart[] =>
  parts.map((part) => (isStreaming(part) ? { ...part, isIncomplete: true } : part))

function appendText(parts: readonly TurnPart[], text: string): readonly TurnPart[] {
  if (!parts.some(isStreaming)) return [...parts, { kind: 'message', messageId: null, text, isIncomplete: false }]
  return parts.map((part) => (isStreaming(part) ? { ...part, text: part.text + text } : part))
}

function addToolCall(
  parts: readonly TurnPart[],
  call: { readonly tool_call_id: string; readonly name: string; readonly arguments: string },
): readonly TurnPart[] {
  const { tool_call_id: toolCallId, name } = call
  if (parts.some((part) => part.kind === 'tool' && part.toolCallId === toolCallId)) return parts
  return [...parts, { kind: 'tool', toolCallId, name, arguments: call.arguments, result: null, isSuccessful: null }]
}

interface ToolResult {
  readonly toolCallId: string
  readonly name: string
  readonly content: string
  readonly isSuccessful: boolean | null
}

function applyToolResult(parts: readonly TurnPart[], toolResult: ToolResult): readonly TurnPart[] {
  const { toolCallId, name, content, isSuccessful } = toolResult
  const updatedParts = addToolCall(parts, { tool_call_id: toolCallId, name, arguments: '' })
  return updatedParts.map((part) => {
    if (part.kind !== 'tool' || part.toolCallId !== toolCallId) return part
    return { ...part, result: part.result ?? content, isSuccessful: part.isSuccessful ?? isSuccessful }
  })
}

/** Replaces the streamed text with the stored message, including its tool calls and results. */
function completeMessage(parts: readonly TurnPart[], message: ChatMessage): readonly TurnPart[] {
  if (message.role === 'tool') {
    const { tool_call_id: toolCallId, name, content } = message
    return toolCallId === null ? parts : applyToolResult(parts, { toolCallId, name, content, isSuccessful: null })
  }
  const agentMessage: MessagePart = {
    kind: 'message',
    messageId: message.message_id,
    text: message.content,
    isIncomplete: message.incomplete,
  }
  return message.tool_calls.reduce(
    (current, { id, function: toolCall }) => addToolCall(current, { tool_call_id: id, ...toolCall }),
    message.role === 'assistant' ? insertMessage(parts, agentMessage) : parts,
  )
}

function insertMessage(parts: readonly TurnPart[], agentMessage: MessagePart): readonly TurnPart[] {
  const isSameMessage = (part: TurnPart): boolean =>
    part.kind === 'message' && part.messageId === agentMessage.messageId
  // The event is a replay, so any text that is still streaming belongs to a later message.
  if (parts.some(isSameMessage)) return parts
  if (agentMessage.text === '') return parts.filter((part) => !isStreaming(part))
  return parts.some(isStreaming)
    ? parts.map((part) => (isStreaming(part) ? agentMessage : part))
    : [...parts, agentMessage]
}

export interface TestChatState {
  readonly phase: 'idle' | 'starting' | 'open' | 'ended'
  /** Whether the agent ended the chat. */
  readonly isEndedByAgent: boolean
  readonly chatId: string | null
  readonly agentName: string
  readonly openingMessages: readonly { readonly id: string; readonly text: string }[]
  readonly turns: readonly TurnState[]
  /** Knowledge passages that replies are based on. */
  readonly passages: Chat['retrievedPassages']
  readonly problem: Error | null
  readonly isReconnecting: boolean
}

export const NO_CHAT: TestChatState = {
  phase: 'idle',
  isEndedByAgent: false,
  chatId: null,
  agentName: '',
  openingMessages: [],
  turns: [],
  passages: [],
  problem: null,
  isReconnecting: false,
}

export type TestChatAction =
  | { readonly type: 'starting' }
  | { readonly type: 'not-started'; readonly problem: Error | null }
  | { readonly type: 'started'; readonly chat: Pick<Chat, 'chatId' | 'agentName' | 'messages'> }
  | { readonly type: 'sent'; readonly key: string; readonly content: string; readonly atMs: number }
  | { readonly type: 'sent-again'; readonly atMs: number }
  | { readonly type: 'event'; readonly event: StreamEvent; readonly atMs: number }
  | { readonly type: 'disconnected' }
  | { readonly type: 'rejected'; readonly problem: Error }
  | { readonly type: 'failed'; readonly problem: Error }
  | { readonly type: 'stored'; readonly chat: Pick<Chat, 'status' | 'retrievedPassages'> }
  | { readonly type: 'ended' }

export function reduceChat(state: TestChatState, action: TestChatAction): TestChatState {
  switch (action.type) {
    case 'starting':
      return { ...NO_CHAT, phase: 'starting' }
    case 'not-started':
      return { ...NO_CHAT, problem: action.problem }
    case 'started': {
      const { chatId, agentName, messages } = action.chat
      const openingMessages = messages.map(({ message_id: id, content }) => ({ id, text: content }))
      return { ...NO_CHAT, phase: 'open', chatId, agentName, openingMessages }
    }
    case 'sent':
      return { ...state, problem: null, turns: [...state.turns, startTurn(action, action.atMs)] }
    case 'sent-again':
      return { ...updateLastTurn(state, (turn) => retryTurn(turn, action.atMs)), problem: null }
    case 'event':
      return { ...updateLastTurn(state, (turn) => applyEvent(turn, action.event, action.atMs)), isReconnecting: false }
    case 'disconnected':
      return { ...state, isReconnecting: true }
    case 'rejected':
      return { ...updateLastTurn(state, rejectTurn), problem: action.problem, isReconnecting: false }
    case 'failed':
      return { ...state, problem: action.problem }
    case 'stored': {
      const isEndedByAgent = state.phase === 'open' && action.chat.status !== 'ongoing'
      const phase = isEndedByAgent ? 'ended' : state.phase
      return { ...state, phase, isEndedByAgent, passages: action.chat.retrievedPassages }
    }
    case 'ended':
      return { ...state, phase: 'ended', problem: null, isReconnecting: false }
  }
}

function updateLastTurn(state: TestChatState, updateTurn: (turn: TurnState) => TurnState): TestChatState {
  return {
    ...state,
    turns: state.turns.map((turn, index) => (index === state.turns.length - 1 ? updateTurn(turn) : turn)),
  }
}

/** Returns the turn in progress, or null if the user can send a message. */
export function getRunningTurn({ turns }: TestChatState): TurnState | null {
  const lastTurn = turns.at(-1)
  return lastTurn === undefined || hasEnded(lastTurn) ? null : lastTurn
}
