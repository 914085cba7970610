import type { ChatMessage } from '@parley/contract/chat-message'
import type { DialogueState } from '@parley/engine/dialogue/conversation'
import type { Explanation } from '@parley/engine/dialogue/explanation'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import { prepareStatement } from '../../../kernel/storage/prepared-query.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import type { StoredUsage } from '../chat-cost.ts'
import type { HandoffColumns } from '../chat-events.ts'

/** A message before its position in the chat is known. */
export type NewMessage = Pick<MessageRow, 'message_id' | 'role' | 'content'> & Partial<MessageRow>

export interface TurnStart {
  readonly chatId: string
  readonly turnId: string
  readonly turnPosition: number
  readonly messagePosition: number
  /** The chat's rewind count when it was read. A rewound chat may contain other messages at the same positions. */
  readonly rewindCount: number
  /** If `null`, the turn answers the stored message `userMessageId`. */
  readonly userMessage: NewMessage | null
  readonly userMessageId: string
  readonly idempotencyHash: string | null
  readonly nodeId: string
  /** The turn's place in the database queue, or null if it was not added. */
  readonly place: number | null
  readonly now: number
}

/** Greater than every place in the queue. */
const END_OF_QUEUE = 2_147_483_647

const compileChatClaim = prepareStatement<
  Pick<ChatRow, 'message_count' | 'turn_count' | 'rewind_count' | 'active_turn_id' | 'updated_at' | 'chat_id'> & {
    turn_position: number
    message_position: number
    place: number
  }
>((queryBuilder, param) =>
  queryBuilder
    .updateTable('chats')
    .set({
      message_count: param('message_count'),
      turn_count: param('turn_count'),
      active_turn_id: param('active_turn_id'),
      updated_at: param('updated_at'),
    })
    .where('chat_id', '=', param('chat_id'))
    .where('status', '=', 'ongoing')
    .where('turn_count', '=', param('turn_position'))
    .where('message_count', '=', param('message_position'))
    .where('rewind_count', '=', param('rewind_count'))
    .where('active_turn_id', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('waiting_turns')
            .select('place')
            .whereRef('waiting_turns.chat_id', '=', 'chats.chat_id')
            .where('place', '<', param('place')),
        ),
      ),
    ),
)

const compileTurnInsert = prepareStatement<
  Pick<TurnRow, 'turn_id' | 'chat_id' | 'position' | 'user_message_id' | 'idempotency_hash' | 'node_id' | 'started_at'>
>((queryBuilder, param) =>
  queryBuilder.insertInto('turns').values({
    turn_id: param('turn_id'),
    chat_id: param('chat_id'),
    position: param('position'),
    status: 'running',
    user_message_id: param('user_message_id'),
    idempotency_hash: param('idempotency_hash'),
    error_code: null,
    error_message: null,
    usage: '[]',
    explanation: '[]',
    first_text_ms: null,
    event_count: 0,
    state: null,
    node_id: param('node_id'),
    started_at: param('started_at'),
    ended_at: null,
  }),
)

const compileMessageInsert = prepareStatement<MessageRow>((queryBuilder, param) =>
  queryBuilder.insertInto('messages').values({
    message_id: param('message_id'),
    chat_id: param('chat_id'),
    position: param('position'),
    turn_id: param('turn_id'),
    role: param('role'),
    content: param('content'),
    name: param('name'),
    tool_calls: param('tool_calls'),
    tool_call_id: param('tool_call_id'),
    incomplete: param('incomplete'),
    created_at: param('created_at'),
  }),
)

/**
 * Builds statements that store the user's message and the running turn before the turn publishes anything. The batch
 * conflicts if the chat has ended, another turn is running or ahead in the queue, or the chat row changed.
 */
export function buildStartStatements(database: Database, turnStart: TurnStart): BatchStatement[] {
  const { chatId, turnId, turnPosition, messagePosition, rewindCount, place, now } = turnStart
  const messages = buildStartRows(turnStart)
  const chatQuery = compileChatClaim(database, {
    chat_id: chatId,
    message_count: messagePosition + messages.length,
    turn_count: turnPosition + 1,
    turn_position: turnPosition,
    message_position: messagePosition,
    rewind_count: rewindCount,
    active_turn_id: turnId,
    place: place ?? END_OF_QUEUE,
    updated_at: now,
  })
  const turnQuery = compileTurnInsert(database, {
    turn_id: turnId,
    chat_id: chatId,
    position: turnPosition,
    user_message_id: turnStart.userMessageId,
    idempotency_hash: turnStart.idempotencyHash,
    node_id: turnStart.nodeId,
    started_at: now,
  })
  const messageStatements = messages.map((row) => ({ query: compileMessageInsert(database, row) }))
  const dequeueStatements = place === null ? [] : [buildDequeueStatement(database, turnId)]
  return [{ query: chatQuery, expectRows: 1 }, { query: turnQuery }, ...messageStatements, ...dequeueStatements]
}

/** Returns the user message to store, or an empty list if it is already stored. */
export function buildStartRows({ chatId, turnId, messagePosition, userMessage, now }: TurnStart): MessageRow[] {
  return userMessage === null ? [] : [toMessageRow({ chatId, turnId, position: messagePosition, now }, userMessage, 0)]
}

/** Builds a statement that removes the turn from the queue. */
export function buildDequeueStatement(database: Database, turnId: string): BatchStatement {
  return { query: database.queryBuilder.deleteFrom('waiting_turns').where('turn_id', '=', turnId).compile() }
}

export interface MessageLocation {
  readonly chatId: string
  readonly turnId: string | null
  readonly position: number
  readonly now: number
}

function buildMessageStatements(
  database: Database,
  location: MessageLocation,
  messages: readonly NewMessage[],
): BatchStatement[] {
  return messages.map((message, index) => ({
    query: compileMessageInsert(database, toMessageRow(location, message, index)),
  }))
}

/** Builds a message's row at its position. */
export function toMessageRow(location: MessageLocation, message: NewMessage, index: number): MessageRow {
  return {
    name: '',
    tool_calls: '[]',
    tool_call_id: null,
    incomplete: 0,
    chat_id: location.chatId,
    turn_id: location.turnId,
    created_at: location.now,
    ...message,
    position: location.position + index,
  }
}

export interface TurnProgress {
  /** The node that runs the turn. Nothing is written if another node has taken it over. */
  readonly nodeId: string
  readonly messages: readonly NewMessage[]
  /** If `null`, the chat keeps its state. */
  readonly state: DialogueState | null
  /** Columns changed by the turn's handoffs, or `null` if there was no handoff. */
  readonly handoffColumns: HandoffColumns | null
}

/** Index of the statement that conflicts if another node owns the turn, in every batch except the first. */
export const TURN_STATEMENT_INDEX = 1

const compileTurnConfirmation = prepareStatement<{ turn_id: string; node_id: string }>((queryBuilder, param) =>
  queryBuilder
    .updateTable('turns')
    .set({ node_id: param('node_id') })
    .where('turn_id', '=', param('turn_id'))
    .where('node_id', '=', param('node_id'))
    .where('status', '=', 'running'),
)

const compileTurnStateUpdate = prepareStatement<{ turn_id: string; node_id: string; state: string }>(
  (queryBuilder, param) =>
    queryBuilder
      .updateTable('turns')
      .set({ state: param('state') })
      .where('turn_id', '=', param('turn_id'))
      .where('node_id', '=', param('node_id'))
      .where('status', '=', 'running'),
)

/** Builds statements that store messages during a turn, before their tool calls run. */
export function buildAppendStatements(
  database: Database,
  location: MessageLocation,
  progress: TurnProgress,
): BatchStatement[] {
  const { messages, state, handoffColumns, nodeId } = progress
  const turn = { turn_id: location.turnId ?? '', node_id: nodeId }
  const confirmation =
    state === null
      ? compileTurnConfirmation(database, turn)
      : compileTurnStateUpdate(database, { ...turn, state: JSON.stringify(state) })
  return [
    buildChatUpdate(database, location, { messages, state, handoffColumns, isTurnEnded: false, endsChat: false }),
    { query: confirmation, expectRows: 1 },
    ...buildMessageStatements(database, location, messages),
  ]
}

type ChatProgress = Pick<ChatRow, 'chat_id' | 'message_count' | 'active_turn_id' | 'updated_at'>

const compileChatUpdate = prepareStatement<ChatProgress>((queryBuilder, param) =>
  queryBuilder
    .updateTable('chats')
    .set({
      message_count: param('message_count'),
      active_turn_id: param('active_turn_id'),
      updated_at: param('updated_at'),
    })
    .where('chat_id', '=', param('chat_id')),
)

const compileChatStateUpdate = prepareStatement<ChatProgress & { state: string; collected_variables: string }>(
  (queryBuilder, param) =>
    queryBuilder
      .updateTable('chats')
      .set({
        message_count: param('message_count'),
        active_turn_id: param('active_turn_id'),
        updated_at: param('updated_at'),
        state: param('state'),
        collected_variables: param('collected_variables'),
      })
      .where('chat_id', '=', param('chat_id')),
)

interface ChatChange extends Pick<TurnProgress, 'messages' | 'state' | 'handoffColumns'> {
  /** Whether the next turn can start. */
  readonly isTurnEnded: boolean
  readonly endsChat: boolean
}

/**
 * Builds a statement that updates the chat after new messages. Completes the chat if the turn ended it, and keeps a
 * concurrently ended chat ended.
 */
function buildChatUpdate(database: Database, location: MessageLocation, change: ChatChange): BatchStatement {
  const { state, handoffColumns, endsChat, isTurnEnded } = change
  const progress = {
    chat_id: location.chatId,
    message_count: location.position + change.messages.length,
    active_turn_id: isTurnEnded ? null : location.turnId,
    updated_at: location.now,
  }
  if (endsChat || handoffColumns !== null) {
    const query = database.queryBuilder
      .updateTable('chats')
      .set({
        ...progress,
        ...toStateColumns(state),
        ...handoffColumns,
        ...(endsChat && { status: 'completed', ended_at: location.now }),
      })
      .where('chat_id', '=', location.chatId)
    return { query: query.compile(), expectRows: 1 }
  }
  if (state === null) return { query: compileChatUpdate(database, progress), expectRows: 1 }
  return { query: compileChatStateUpdate(database, { ...progress, ...toStateColumns(state) }), expectRows: 1 }
}

function toStateColumns(state: DialogueState): { state: string; collected_variables: string }
function toStateColumns(state: DialogueState | null): { state?: string; collected_variables?: string }
function toStateColumns(state: DialogueState | null) {
  return state === null
    ? {}
    : { state: JSON.stringify(state), collected_variables: JSON.stringify(state.collectedVariables) }
}

interface FinishedTurn extends TurnProgress {
  readonly location: MessageLocation
  readonly status: string
  readonly error: { readonly code: string; readonly message: string } | null
  readonly usage: readonly StoredUsage[]
  readonly explanation: readonly Explanation[]
  readonly firstTextMs: number | null
  readonly eventCount: number
  /** Whether the turn ended the chat. */
  readonly endsChat: boolean
}

const compileTurnEnd = prepareStatement<
  Omit<TurnRow, 'chat_id' | 'position' | 'user_message_id' | 'idempotency_hash' | 'started_at'>
>((queryBuilder, param) =>
  queryBuilder
    .updateTable('turns')
    .set({
      status: param('status'),
      error_code: param('error_code'),
      error_message: param('error_message'),
      usage: param('usage'),
      explanation: param('explanation'),
      first_text_ms: param('first_text_ms'),
      event_count: param('event_count'),
      state: param('state'),
      ended_at: param('ended_at'),
    })
    .where('turn_id', '=', param('turn_id'))
    .where('node_id', '=', param('node_id'))
    .where('status', '=', 'running'),
)

/** Builds the statements that store a finished turn in one commit. */
export function buildFinishStatements(database: Database, finishedTurn: FinishedTurn): BatchStatement[] {
  const { location } = finishedTurn
  const turn = compileTurnEnd(database, {
    turn_id: location.turnId ?? '',
    status: finishedTurn.status,
    error_code: finishedTurn.error?.code ?? null,
    error_message: finishedTurn.error?.message ?? null,
    usage: JSON.stringify(finishedTurn.usage),
    explanation: JSON.stringify(finishedTurn.explanation),
    first_text_ms: finishedTurn.firstTextMs,
    event_count: finishedTurn.eventCount,
    state: finishedTurn.state === null ? null : JSON.stringify(finishedTurn.state),
    node_id: finishedTurn.nodeId,
    ended_at: location.now,
  })
  const messages = buildMessageStatements(database, location, finishedTurn.messages)
  const chat = buildChatUpdate(database, location, { ...finishedTurn, isTurnEnded: true })
  return [chat, { query: turn, expectRows: 1 }, ...messages]
}

/** Serializes tool calls in the API's format, which is the same as OpenAI's. */
export function serializeToolCalls(toolCalls: readonly { id: string; name: string; argumentsText: string }[]): string {
  if (toolCalls.length === 0) return '[]'
  const wireCalls: ChatMessage['tool_calls'] = toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.argumentsText },
  }))
  return JSON.stringify(wireCalls)
}
