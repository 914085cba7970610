import type { ChatMessage } from '@parley/contract/chat-message'
import type { DialogueState, Explanation } from '@parley/engine/dialogue/conversation'
import type { BatchStatement, Database } from '../../kernel/database.ts'
import type { MessageRow } from '../../kernel/tables.ts'
import type { StoredUsage } from './chat-cost.ts'

/** What a turn writes, as statements of its batches. Each begins with the chat itself, which must still be ongoing. */

/** A message before its place in the chat is known. */
export type NewMessage = Pick<MessageRow, 'message_id' | 'role' | 'content'> & Partial<MessageRow>

export interface TurnBegin {
  readonly chatId: string
  readonly turnId: string
  readonly turnPosition: number
  readonly messagePosition: number
  /** `null` continues the unanswered message `userMessageId`. */
  readonly userMessage: NewMessage | null
  readonly userMessageId: string
  readonly idempotencyHash: string | null
  readonly now: number
}

/** The user's message and the running turn: committed before a model is asked. */
export function beginStatements(database: Database, begin: TurnBegin): BatchStatement[] {
  const { compile } = database
  const messages = begin.userMessage === null ? [] : [begin.userMessage]
  const chat = compile
    .updateTable('chats')
    .set({
      message_count: begin.messagePosition + messages.length,
      turn_count: begin.turnPosition + 1,
      updated_at: begin.now,
    })
    .where('chat_id', '=', begin.chatId)
    .where('status', '=', 'ongoing')
    .where('turn_count', '=', begin.turnPosition)
  const turn = compile.insertInto('turns').values({
    turn_id: begin.turnId,
    chat_id: begin.chatId,
    position: begin.turnPosition,
    status: 'running',
    user_message_id: begin.userMessageId,
    idempotency_hash: begin.idempotencyHash,
    error_code: null,
    error_message: null,
    usage: '[]',
    explanation: '[]',
    first_text_ms: null,
    event_count: 0,
    started_at: begin.now,
    ended_at: null,
  })
  const place: MessagePlace = {
    chatId: begin.chatId,
    turnId: begin.turnId,
    position: begin.messagePosition,
    now: begin.now,
  }
  return [
    { query: chat.compile(), expectRows: 1 },
    { query: turn.compile() },
    ...messageStatements(database, place, messages),
  ]
}

export interface MessagePlace {
  readonly chatId: string
  readonly turnId: string | null
  readonly position: number
  readonly now: number
}

/** Messages at their positions, in one statement. */
function messageStatements(database: Database, place: MessagePlace, messages: readonly NewMessage[]): BatchStatement[] {
  if (messages.length === 0) return []
  const rows = messages.map((message, index) => toRow(place, message, index))
  return [{ query: database.compile.insertInto('messages').values(rows).compile() }]
}

/** The row of a message at its place. */
export function toRow(place: MessagePlace, message: NewMessage, index: number): MessageRow {
  return {
    name: '',
    tool_calls: '[]',
    tool_call_id: null,
    incomplete: 0,
    chat_id: place.chatId,
    turn_id: place.turnId,
    created_at: place.now,
    ...message,
    position: place.position + index,
  }
}

export interface TurnProgress {
  readonly messages: readonly NewMessage[]
  /** `null` keeps the state that the chat has. */
  readonly state: DialogueState | null
}

/** Messages in the middle of a turn: on record before the tool that they call is sent, with what its result taught. */
export function appendStatements(database: Database, place: MessagePlace, progress: TurnProgress): BatchStatement[] {
  const { messages, state } = progress
  const chat = database.compile
    .updateTable('chats')
    .set({ message_count: place.position + messages.length, updated_at: place.now, ...stateColumns(state) })
    .where('chat_id', '=', place.chatId)
  return [{ query: chat.compile(), expectRows: 1 }, ...messageStatements(database, place, messages)]
}

function stateColumns(state: DialogueState | null) {
  return state === null
    ? {}
    : { state: JSON.stringify(state), collected_variables: JSON.stringify(state.collectedVariables) }
}

export interface TurnFinish {
  readonly place: MessagePlace
  readonly messages: readonly NewMessage[]
  readonly status: string
  readonly error: { readonly code: string; readonly message: string } | null
  readonly usage: readonly StoredUsage[]
  readonly explanation: readonly Explanation[]
  readonly firstTextMs: number | null
  readonly eventCount: number
  /** `null` keeps the state that the chat has. */
  readonly state: DialogueState | null
  /** The turn's action ended the chat. */
  readonly endsChat: boolean
}

/** Everything that a finished turn leaves, in one commit. */
export function finishStatements(database: Database, finish: TurnFinish): BatchStatement[] {
  const { place, state } = finish
  const chat = database.compile
    .updateTable('chats')
    .set({
      message_count: place.position + finish.messages.length,
      updated_at: place.now,
      ...stateColumns(state),
      ...(finish.endsChat && { status: 'completed', ended_at: place.now }),
    })
    .where('chat_id', '=', place.chatId)
  const turn = database.compile
    .updateTable('turns')
    .set({
      status: finish.status,
      error_code: finish.error?.code ?? null,
      error_message: finish.error?.message ?? null,
      usage: JSON.stringify(finish.usage),
      explanation: JSON.stringify(finish.explanation),
      first_text_ms: finish.firstTextMs,
      event_count: finish.eventCount,
      ended_at: place.now,
    })
    .where('turn_id', '=', place.turnId)
  return [
    { query: chat.compile(), expectRows: 1 },
    { query: turn.compile(), expectRows: 1 },
    ...messageStatements(database, place, finish.messages),
  ]
}

/** Tool calls in the form of the API, which is OpenAI's. */
export function toolCallsJson(calls: readonly { id: string; name: string; argumentsText: string }[]): string {
  if (calls.length === 0) return '[]'
  const wire: ChatMessage['tool_calls'] = calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.argumentsText },
  }))
  return JSON.stringify(wire)
}
