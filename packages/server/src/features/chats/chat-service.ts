import type { Chat, ChatSummary, CreateChatBody, UpdateChatBody } from '@parley/contract/chat'
import type { ChatTurn, Decision } from '@parley/contract/chat-turn'
import type { Explanation } from '@parley/engine/dialogue/explanation'
import type { Clock, MakeId } from '@parley/engine/ports'
import { type Page, type PageRequest, toPage } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import { BatchConflictError, type Database, type Reader, type Transaction } from '../../kernel/storage/database.ts'
import type { ChatRow, TurnRow } from '../../tables/chat-tables.ts'
import type { AgentRemoval, AgentResolver } from '../agents/public.ts'
import type { ChatEventSubject, ChatEvents } from './chat-events.ts'
import { readHandoffs } from './chat-events.ts'
import { type ChatFilter, findChat, listChats, readMessages, readTurns, toChat, toSummary } from './chat-store.ts'
import type { CompletionService } from './completion-service.ts'
import { createChat, loadInitialState } from './create-chat.ts'
import { rewindChat } from './rewind-chat.ts'

interface EndChatsDependencies {
  readonly completions: Pick<CompletionService, 'cancelAll' | 'listActiveChatIds'>
  readonly events: Pick<ChatEvents, 'onEnded'>
}

/** Number of chat ids in one statement. Databases limit the number of parameters. */
const CHAT_BATCH_SIZE = 200

/** Completes the ongoing chats that an agent started or took over, and stops their turns. */
async function endAgentChats(
  transaction: Transaction,
  { workspaceId, agentId, now }: Parameters<AgentRemoval['removeAgentReferences']>[1],
  { completions, events }: EndChatsDependencies,
): Promise<void> {
  const activeIds = new Set(completions.listActiveChatIds())
  const ongoingChats = await findAgentChats(transaction, workspaceId, agentId)
  const chatIds = ongoingChats.map(({ chat_id }) => chat_id)
  for (const batch of splitIntoChunks(chatIds, CHAT_BATCH_SIZE)) {
    await transaction
      .updateTable('chats')
      .set({ status: 'completed', ended_at: now, updated_at: now })
      .where('chat_id', 'in', batch)
      .where('status', '=', 'ongoing')
      .execute()
  }
  for (const chat of ongoingChats) {
    for (const { query } of events.onEnded(chat, 'agent_deleted')) await transaction.executeQuery(query)
  }
  // Includes chats with turns on other nodes. A queued turn stops when it finds its chat completed.
  const busyChats = ongoingChats.filter(
    ({ chat_id, active_turn_id: turnId }) => activeIds.has(chat_id) || turnId !== null,
  )
  for (const { chat_id } of busyChats) completions.cancelAll(chat_id)
}

type OngoingChat = ChatEventSubject & Pick<ChatRow, 'active_turn_id'>

const ONGOING_CHAT_COLUMNS = [
  'chat_id',
  'workspace_id',
  'agent_id',
  'agent_version',
  'engine_id',
  'engine_version',
  'hand_overs',
  'active_turn_id',
] as const satisfies readonly (keyof OngoingChat)[]

async function findAgentChats(transaction: Transaction, workspaceId: number, agentId: string): Promise<OngoingChat[]> {
  const query = transaction
    .selectFrom('chats')
    .select(ONGOING_CHAT_COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'ongoing')
  const startedChats = await query.where('agent_id', '=', agentId).execute()
  const handedOffChats = await query.where('agent_id', '<>', agentId).where('hand_overs', '<>', '[]').execute()
  return [...startedChats, ...handedOffChats.filter((chat) => readHandoffs(chat).at(-1)?.agentId === agentId)]
}

type RetrievedPassages = Chat['retrievedPassages']

/** Maximum number of turns with passages in a chat response. */
const MAX_TURNS = 100

/** Explanation type of turns with a knowledge search. */
const KNOWLEDGE_TYPE: Explanation['type'] = 'knowledge-retrieved'

/** Returns the passages that a chat's answers are based on, oldest turn first. */
async function readPassages(reader: Reader, chatId: string): Promise<RetrievedPassages> {
  const turns = await reader
    .selectFrom('turns')
    .select(['turn_id', 'explanation'])
    .where('chat_id', '=', chatId)
    .where('explanation', 'like', `%"${KNOWLEDGE_TYPE}"%`)
    .orderBy('position', 'desc')
    .limit(MAX_TURNS)
    .execute()
  return turns.reverse().flatMap(({ turn_id: turnId, explanation }) => {
    const decisions = JSON.parse(explanation) as Explanation[]
    const passages = decisions.flatMap((decision) => (decision.type === 'knowledge-retrieved' ? decision.passages : []))
    return passages.map((passage) => ({ ...passage, headings: [...passage.headings], turnId }))
  })
}

/** Lists a chat's turns, newest first. */
async function listTurns(reader: Reader, chatId: string, page: PageRequest): Promise<Page<ChatTurn>> {
  let query = reader.selectFrom('turns').selectAll().where('chat_id', '=', chatId)
  if (page.after !== null) query = query.where('position', '<', page.after.sortValue)
  const rows = await query
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute()
  return toPage(rows, page.limit, toTurn, (row) => ({ sortValue: row.position, id: row.turn_id }))
}

function toTurn(row: TurnRow): ChatTurn {
  return {
    turnId: row.turn_id,
    status: row.status as ChatTurn['status'],
    startedAt: new Date(row.started_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    firstTextMs: row.first_text_ms,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    usage: JSON.parse(row.usage) as ChatTurn['usage'],
    decisions: JSON.parse(row.explanation) as Decision[],
  }
}

/** Maximum number of messages in a response. For longer chats, only the newest messages are returned. */
const MAX_MESSAGES = 5000

interface ChatServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly agents: AgentResolver
  readonly completions: Pick<CompletionService, 'cancel' | 'cancelAll' | 'listActiveChatIds'>
  readonly events: ChatEvents
}

export interface ChatService {
  create(workspaceId: number, body: CreateChatBody): Promise<Chat>
  list(workspaceId: number, filter: ChatFilter, page: PageRequest): Promise<Page<ChatSummary>>
  get(workspaceId: number, chatId: string): Promise<Chat>
  update(workspaceId: number, chatId: string, changes: UpdateChatBody): Promise<Chat>
  end(workspaceId: number, chatId: string): Promise<Chat>
  remove(workspaceId: number, chatId: string): Promise<void>
  listTurns(workspaceId: number, chatId: string, page: PageRequest): Promise<Page<ChatTurn>>
  /** Removes all messages and turns after the given turn. */
  rewind(workspaceId: number, chatId: string, turnId: string): Promise<Chat>
  /** Completes a deleted agent's ongoing chats and stops their turns. */
  removeAgentReferences: AgentRemoval['removeAgentReferences']
}

export function createChatService(dependencies: ChatServiceDependencies): ChatService {
  const { database, completions, events } = dependencies
  const { read } = database

  /** Returns the workspace's chat or throws `not_found`. */
  async function requireChat(workspaceId: number, chatId: string): Promise<ChatRow> {
    const chat = await findChat(read, workspaceId, chatId)
    if (chat === null) throw notFound('chat', chatId)
    return chat
  }

  const get = async (workspaceId: number, chatId: string): Promise<Chat> =>
    await readFullChat(read, await requireChat(workspaceId, chatId))

  return {
    create: (workspaceId, body) => createChat(dependencies, workspaceId, body),
    get,

    async list(workspaceId, filter, page) {
      const chatPage = await listChats(read, workspaceId, filter, page)
      const chatIds = chatPage.items.map((row) => row.chat_id)
      const turns = Map.groupBy(await readTurns(read, chatIds), (turn) => turn.chat_id)
      return { items: chatPage.items.map((row) => toSummary(row, turns.get(row.chat_id) ?? [])), next: chatPage.next }
    },

    async update(workspaceId, chatId, changes) {
      await updateChat(dependencies, { workspaceId, chatId }, changes)
      return await get(workspaceId, chatId)
    },

    async end(workspaceId, chatId) {
      const chat = await requireChat(workspaceId, chatId)
      if (chat.status === 'ongoing') await endOngoingChat(dependencies, chat)
      completions.cancelAll(chatId)
      return await get(workspaceId, chatId)
    },

    async remove(workspaceId, chatId) {
      await requireChat(workspaceId, chatId)
      completions.cancelAll(chatId)
      const deletion = { query: database.queryBuilder.deleteFrom('chats').where('chat_id', '=', chatId).compile() }
      await database.batch([deletion, ...events.onRemoved(chatId)])
    },

    async listTurns(workspaceId, chatId, page) {
      await requireChat(workspaceId, chatId)
      return await listTurns(read, chatId, page)
    },

    async rewind(workspaceId, chatId, turnId) {
      const rewindDependencies = {
        ...dependencies,
        loadInitialState: (chat: ChatRow) => loadInitialState(dependencies, chat),
      }
      await rewindChat(rewindDependencies, { workspaceId, chatId, turnId })
      return await get(workspaceId, chatId)
    },

    removeAgentReferences: (transaction, removal) => endAgentChats(transaction, removal, { completions, events }),
  }
}

async function readFullChat(read: Reader, row: ChatRow): Promise<Chat> {
  const [messages, turns, passages] = await Promise.all([
    readMessages(read, row.chat_id, MAX_MESSAGES),
    readTurns(read, [row.chat_id]),
    readPassages(read, row.chat_id),
  ])
  return toChat(row, { messages, turns, passages })
}

async function endOngoingChat({ database, clock, events }: ChatServiceDependencies, chat: ChatRow): Promise<void> {
  const now = clock.now()
  const query = database.queryBuilder
    .updateTable('chats')
    .set({ status: 'completed', ended_at: now, updated_at: now })
    .where('chat_id', '=', chat.chat_id)
    .where('status', '=', 'ongoing')
  const endStatement = { query: query.compile(), expectRows: 1 }
  try {
    await database.batch([endStatement, ...events.onEnded(chat, 'request')])
  } catch (error) {
    // The chat ended concurrently, and its end was already published.
    if (!(error instanceof BatchConflictError)) throw error
  }
}

async function updateChat(
  { database, clock, events }: ChatServiceDependencies,
  { workspaceId, chatId }: { readonly workspaceId: number; readonly chatId: string },
  changes: UpdateChatBody,
): Promise<void> {
  const { metadata, custom_attributes, override_dynamic_variables, data_storage_setting: storage } = changes
  const columns = {
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    ...(custom_attributes !== undefined && { custom_attributes: JSON.stringify(custom_attributes) }),
    ...(override_dynamic_variables !== undefined && {
      override_variables: JSON.stringify(override_dynamic_variables),
    }),
  }
  const query = database.queryBuilder
    .updateTable('chats')
    .set({ ...columns, updated_at: clock.now() })
    .where('chat_id', '=', chatId)
    .where('workspace_id', '=', workspaceId)
  await database.transaction(async (transaction) => {
    const chat = await findChat(transaction, workspaceId, chatId)
    if (chat === null) throw notFound('chat', chatId)
    const storageStatements = storage === undefined ? [] : events.tightenStorage(chat, storage)
    for (const statement of [{ query: query.compile() }, ...storageStatements]) {
      await transaction.executeQuery(statement.query)
    }
  })
}
