import type { ChatMessage } from '@parley/contract/chat-message'
import type { HistoryMessage } from '@parley/engine/dialogue/conversation'
import type { BatchStatement, Database, Reader } from '../../../kernel/storage/database.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import type { RedactableMessage } from '../redaction/redact-conversation.ts'

/** A stored chat that has ended. */
export interface EndedChat {
  readonly chat: ChatRow
  readonly messages: readonly StoredMessage[]
  readonly turns: readonly StoredTurn[]
}

type StoredMessage = RedactableMessage & Pick<MessageRow, 'message_id' | 'name' | 'tool_call_id'>
export type StoredTurn = Pick<TurnRow, 'turn_id' | 'status' | 'explanation' | 'error_message'>

export async function findChatRow(reader: Reader, chatId: string): Promise<ChatRow | null> {
  return (await reader.selectFrom('chats').selectAll().where('chat_id', '=', chatId).executeTakeFirst()) ?? null
}

/** Maximum number of messages per read. */
const BATCH_SIZE = 500

export async function readEndedChat(reader: Reader, chat: ChatRow): Promise<EndedChat> {
  const { chat_id } = chat
  const messages: StoredMessage[] = []
  for (let lastPosition = -1; ; ) {
    const rows = await reader
      .selectFrom('messages')
      .select(['message_id', 'position', 'role', 'content', 'name', 'tool_calls', 'tool_call_id'])
      .where('chat_id', '=', chat_id)
      .where('position', '>', lastPosition)
      .orderBy('position')
      .limit(BATCH_SIZE)
      .execute()
    messages.push(...rows.map(toMessage))
    lastPosition = rows.at(-1)?.position ?? lastPosition
    if (rows.length < BATCH_SIZE) break
  }
  const turns = await reader
    .selectFrom('turns')
    .select(['turn_id', 'status', 'explanation', 'error_message'])
    .where('chat_id', '=', chat_id)
    .orderBy('position')
    .execute()
  return { chat, messages, turns }
}

function toMessage(
  row: Pick<MessageRow, 'message_id' | 'role' | 'content' | 'name' | 'tool_calls' | 'tool_call_id'>,
): StoredMessage {
  const { message_id, content, name, tool_call_id } = row
  const tool_calls = JSON.parse(row.tool_calls) as ChatMessage['tool_calls']
  return { message_id, role: row.role as ChatMessage['role'], content, name, tool_call_id, tool_calls }
}

/** Converts messages to the engine's history, without event records. */
export function toChatHistory(messages: readonly StoredMessage[]): HistoryMessage[] {
  return messages.flatMap(({ role, content, name, tool_calls, tool_call_id }): HistoryMessage[] => {
    if (role === 'system') return []
    if (role === 'user') return [{ role, content }]
    if (role === 'tool') return [{ role, toolCallId: tool_call_id ?? '', name, content }]
    const toolCalls = tool_calls.map((call) => {
      return { id: call.id, name: call.function.name, argumentsText: call.function.arguments }
    })
    return [{ role, content, toolCalls }]
  })
}

/** Changes to an ended chat. */
export interface ChatChange {
  readonly columns: Partial<ChatRow>
  /** Messages, or null if all of them are removed. */
  readonly messages: readonly StoredMessage[] | null
  readonly turns: readonly StoredTurn[]
  /** Whether to delete stored stream events, which contain conversation content. */
  readonly deletesEvents: boolean
}

/** Builds the statements that store a finalized chat. The first one conflicts if the chat changed since it was read. */
export function buildFinalizeStatements(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  { chat, messages, turns }: EndedChat,
  change: ChatChange,
): BatchStatement[] {
  const { chat_id, updated_at, message_count, stored_as } = chat
  const chatUpdate = queryBuilder
    .updateTable('chats')
    .set({ ...change.columns, state: null })
    .where('chat_id', '=', chat_id)
    .where('status', '<>', 'ongoing')
    .where('active_turn_id', 'is', null)
    .where('updated_at', '=', updated_at)
    .where('message_count', '=', message_count)
    .where('stored_as', stored_as === null ? 'is' : '=', stored_as)
  const turnIds = queryBuilder.selectFrom('turns').select('turn_id').where('chat_id', '=', chat_id)
  const stateUpdate = queryBuilder.updateTable('turns').set({ state: null }).where('chat_id', '=', chat_id)
  const statements: BatchStatement[] = [
    { query: chatUpdate.compile(), expectRows: 1 },
    { query: stateUpdate.where('state', 'is not', null).compile() },
  ]
  if (change.deletesEvents) {
    statements.push({ query: queryBuilder.deleteFrom('turn_events').where('turn_id', 'in', turnIds).compile() })
  }
  if (change.messages === null) {
    statements.push({ query: queryBuilder.deleteFrom('messages').where('chat_id', '=', chat_id).compile() })
  }
  for (const { message_id, content, tool_calls } of findChangedItems(
    messages,
    change.messages ?? messages,
    getMessageContent,
  )) {
    const columns = { content, tool_calls: JSON.stringify(tool_calls) }
    const query = queryBuilder.updateTable('messages').set(columns).where('message_id', '=', message_id)
    statements.push({ query: query.compile() })
  }
  for (const { turn_id, explanation, error_message } of findChangedItems(turns, change.turns, getTurnContent)) {
    const query = queryBuilder.updateTable('turns').set({ explanation, error_message }).where('turn_id', '=', turn_id)
    statements.push({ query: query.compile() })
  }
  return statements
}

const getMessageContent = ({ content, tool_calls }: StoredMessage) => [content, tool_calls]
const getTurnContent = ({ explanation, error_message }: StoredTurn) => [explanation, error_message]

/** Returns the items whose content changed. */
function findChangedItems<Item>(
  previousItems: readonly Item[],
  items: readonly Item[],
  getContent: (item: Item) => readonly unknown[],
): Item[] {
  return items.filter((item, index) => {
    const previousItem = previousItems[index]
    return (
      item !== previousItem &&
      (previousItem === undefined || JSON.stringify(getContent(item)) !== JSON.stringify(getContent(previousItem)))
    )
  })
}
