import type { Chat, ChatSummary } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { EngineKind } from '@parley/contract/response-engine'
import type { DialogueAction, DialogueEvent } from '@parley/engine/dialogue/conversation'
import { sql } from 'kysely'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import { computeMedian } from '../../kernel/median.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import { containsText } from '../../kernel/storage/text.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../tables/chat-tables.ts'
import { computeChatCost } from './chat-cost.ts'
import { buildAgentPath } from './chat-events.ts'

/** A system message that records an event, such as a handoff, as JSON. It is never sent to models. */
interface RecordMessage {
  readonly role: 'system'
  readonly name: string
  readonly content: string
}

const RECORD_NAMES: readonly string[] = ['node_transition', 'state_transition', 'agent_swap', 'sms']

export function isEventRecord(message: { readonly role: string; readonly name: string }): boolean {
  return message.role === 'system' && RECORD_NAMES.includes(message.name)
}

export function buildTransitionRecord(
  event: Extract<DialogueEvent, { type: 'node-transition' | 'state-transition' }>,
): RecordMessage {
  if (event.type === 'state-transition') {
    return buildRecord('state_transition', { former_state_name: event.from, new_state_name: event.to })
  }
  const { from, to, transitionType } = event
  return buildRecord('node_transition', {
    former_node_id: from?.nodeId ?? null,
    former_node_name: from?.nodeName ?? '',
    former_node_path: from?.path ?? [],
    new_node_id: to.nodeId,
    new_node_name: to.nodeName,
    new_node_path: to.path,
    transition_type: transitionType,
  })
}

/** Builds the record of an action, or returns `null` for actions without a record. */
export function buildActionRecord(action: DialogueAction): RecordMessage | null {
  switch (action.type) {
    case 'end':
      return null
    case 'agent-swap': {
      const { agentId, agentVersion, agentName } = action.agent
      return buildRecord('agent_swap', { agent_id: agentId, agent_version: agentVersion, agent_name: agentName })
    }
    case 'send-sms': {
      const { message, outcome } = action
      const { status, reason } = outcome
      return buildRecord('sms', { to_number: message.toNumber, text: message.text, status, reason })
    }
  }
}

function buildRecord(name: string, content: Readonly<Record<string, unknown>>): RecordMessage {
  return { role: 'system', name, content: JSON.stringify(content) }
}

/** Maximum number of messages that a turn reads. A model's context window holds far fewer. */
export const HISTORY_LIMIT = 1000

export interface ChatFilter {
  readonly agentId?: string | undefined
  readonly status?: string | undefined
  readonly startedFrom?: number | undefined
  readonly startedTo?: number | undefined
  readonly search?: string | undefined
}

const queryChatById = prepareQuery<{ chatId: string; workspaceId: number }, ChatRow>((reader, param) =>
  reader
    .selectFrom('chats')
    .selectAll()
    .where('chat_id', '=', param('chatId'))
    .where('workspace_id', '=', param('workspaceId')),
)

export async function findChat(reader: Reader, workspaceId: number, chatId: string): Promise<ChatRow | null> {
  const [row] = await queryChatById(reader, { chatId, workspaceId })
  return row ?? null
}

/** Finds a chat in any workspace. Use it only for chat ids that come from a stored turn. */
export async function findChatById(reader: Reader, chatId: string): Promise<ChatRow | null> {
  const row = await reader.selectFrom('chats').selectAll().where('chat_id', '=', chatId).executeTakeFirst()
  return row ?? null
}

const queryNewestMessages = prepareQuery<{ chatId: string; limit: number }, MessageRow>((reader, param) =>
  reader
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', param('chatId'))
    .orderBy('position', 'desc')
    .limit(param('limit')),
)

/** Returns the newest messages, sorted oldest first. */
export async function readMessages(reader: Reader, chatId: string, limit = HISTORY_LIMIT): Promise<MessageRow[]> {
  return (await queryNewestMessages(reader, { chatId, limit })).reverse()
}

export interface StoredHistory {
  /** Sorted oldest first. */
  readonly messages: readonly MessageRow[]
  /** Number of earlier messages that belong to the history. */
  readonly omittedCount: number
}

export async function readHistory(reader: Reader, chatId: string, limit = HISTORY_LIMIT): Promise<StoredHistory> {
  const messages = await readMessages(reader, chatId, limit)
  const firstMessage = messages.find((message) => !isEventRecord(message))
  if (firstMessage === undefined || messages.length < limit) return { messages, omittedCount: 0 }
  return { messages, omittedCount: await countHistoryBefore(reader, firstMessage) }
}

/** Counts the earlier messages that `toHistory` would return. Keep the filters in sync. */
async function countHistoryBefore(reader: Reader, firstMessage: MessageRow): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from (
      select position, incomplete, lead(role) over (order by position) as next_role from messages
      where chat_id = ${firstMessage.chat_id} and position <= ${firstMessage.position}
        and not (role = 'system' and name in (${sql.join(RECORD_NAMES)}))
    ) as shown
    where position < ${firstMessage.position} and (incomplete = 0 or next_role = 'user')`.execute(reader)
  return Number(rows[0]?.count ?? 0)
}

/** Turn columns that chat lists read. */
type ListedTurn = Pick<TurnRow, 'usage' | 'first_text_ms'>

export async function readTurns(
  reader: Reader,
  chatIds: readonly string[],
): Promise<(ListedTurn & Pick<TurnRow, 'chat_id'>)[]> {
  if (chatIds.length === 0) return []
  return await reader
    .selectFrom('turns')
    .select(['chat_id', 'usage', 'first_text_ms'])
    .where('chat_id', 'in', chatIds)
    .orderBy('position')
    .execute()
}

export async function findTurn(reader: Reader, chatId: string, turnId: string): Promise<TurnRow | null> {
  const row = await reader
    .selectFrom('turns')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('turn_id', '=', turnId)
    .executeTakeFirst()
  return row ?? null
}

export async function findTurnByIdempotencyHash(
  reader: Reader,
  chatId: string,
  idempotencyHash: string,
): Promise<TurnRow | null> {
  const query = reader
    .selectFrom('turns')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('idempotency_hash', '=', idempotencyHash)
  return (await query.orderBy('position', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function findLastTurn(reader: Reader, chatId: string): Promise<TurnRow | null> {
  const row = await reader
    .selectFrom('turns')
    .selectAll()
    .where('chat_id', '=', chatId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Lists a workspace's chats, newest first. */
export async function listChats(
  reader: Reader,
  workspaceId: number,
  filter: ChatFilter,
  page: PageRequest,
): Promise<Page<ChatRow>> {
  let query = reader.selectFrom('chats').selectAll().where('workspace_id', '=', workspaceId)
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.startedFrom !== undefined) query = query.where('started_at', '>=', filter.startedFrom)
  if (filter.startedTo !== undefined) query = query.where('started_at', '<=', filter.startedTo)
  if (filter.search !== undefined) query = query.where(buildSearchCondition(filter.search))
  return await readNewest(query, page, ['started_at', 'chat_id'], (row) => row)
}

const SEARCHED_COLUMNS = ['chats.chat_id', 'chats.agent_id', 'chats.agent_name'].map((column) => sql.ref(column))

/** Builds a condition that matches the text in messages, the agent's name and ids. */
function buildSearchCondition(text: string) {
  return sql<boolean>`(
    ${containsText(SEARCHED_COLUMNS, text)} or exists (
      select 1 from messages where messages.chat_id = chats.chat_id and ${containsText([sql.ref('messages.content')], text)}
    )
  )`
}

const toIsoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

export function toMessage(row: MessageRow): ChatMessage {
  return {
    message_id: row.message_id,
    role: row.role as ChatMessage['role'],
    content: row.content,
    name: row.name,
    tool_calls: JSON.parse(row.tool_calls) as ChatMessage['tool_calls'],
    tool_call_id: row.tool_call_id,
    turn_id: row.turn_id,
    incomplete: row.incomplete === 1,
    created_at: toIsoTime(row.created_at),
  }
}

export function toSummary(row: ChatRow, turns: readonly ListedTurn[]): ChatSummary {
  return {
    chatId: row.chat_id,
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    agentName: row.agent_name ?? '',
    version: row.agent_version,
    responseEngine: { type: row.engine_kind as EngineKind, id: row.engine_id, version: row.engine_version },
    status: row.status as Chat['status'],
    type: row.type as Chat['type'],
    metadata: JSON.parse(row.metadata) as Chat['metadata'],
    customAttributes: JSON.parse(row.custom_attributes) as Chat['customAttributes'],
    startedAt: toIsoTime(row.started_at),
    endedAt: row.ended_at === null ? null : toIsoTime(row.ended_at),
    chatCost: computeChatCost([...turns, { usage: row.analysis_usage }], row.markup_percent),
    latencyP50Ms: computeMedian(turns.flatMap(({ first_text_ms: ms }) => (ms === null ? [] : [ms]))),
    chatAnalysis: parseAnalysis(row),
    collectedDynamicVariables: JSON.parse(row.collected_variables) as Record<string, string>,
    service_dynamic_variables: JSON.parse(row.given_variables) as Record<string, string>,
    overrideDynamicVariables: JSON.parse(row.override_variables) as Record<string, string | null>,
    agentPath: buildAgentPath(row),
  }
}

const EMPTY_ANALYSIS: Chat['chatAnalysis'] = { summary: null, sentiment: null, successful: null, customData: {} }

function parseAnalysis({ analysis }: Pick<ChatRow, 'analysis'>): Chat['chatAnalysis'] {
  return analysis === null ? EMPTY_ANALYSIS : (JSON.parse(analysis) as Chat['chatAnalysis'])
}

/** A chat's related rows. A new chat has no turns. */
export interface ChatRelations {
  readonly messages: readonly MessageRow[]
  readonly turns?: readonly ListedTurn[]
  readonly passages?: Chat['retrievedPassages']
}

export function toChat(row: ChatRow, { messages, turns = [], passages = [] }: ChatRelations): Chat {
  return {
    ...toSummary(row, turns),
    transcript: buildTranscript(messages),
    messages: messages.map(toMessage),
    retrievedPassages: passages,
  }
}

/** Builds a transcript with one line, `Agent: …` or `User: …`, for each message. */
function buildTranscript(messages: readonly MessageRow[]): string {
  const dialogueMessages = messages.filter(
    ({ role, content }) => (role === 'user' || role === 'assistant') && content !== '',
  )
  return dialogueMessages.map(({ role, content }) => `${role === 'user' ? 'User' : 'Agent'}: ${content}`).join('\n')
}
