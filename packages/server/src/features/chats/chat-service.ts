import type { Chat, ChatSummary, CreateChatBody, UpdateChatBody } from '@parley/contract/chat'
import type { ChatTurn } from '@parley/contract/chat-turn'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import { BatchConflictError, type Database, type Reader } from '../../kernel/storage/database.ts'
import type { ChatRow } from '../../tables/chat-tables.ts'
import type { AgentRemoval, AgentUse } from '../agents/public.ts'
import type { ChatEvents } from './chat-events.ts'
import { type ChatFilter, findChat, listChats, readMessages, readTurns, toChat, toSummary } from './chat-store.ts'
import type { CompletionService } from './completion-service.ts'
import { createChat, loadInitialState } from './create-chat.ts'
import { endChatsOf } from './end-chats-of-agent.ts'
import { rewindChat } from './rewind-chat.ts'
import { listTurns, readPassages } from './turn-reader.ts'

/** More messages than any chat that a person holds; a longer one is read from its newest end. */
const READ_LIMIT = 5000

export interface ChatServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly agents: AgentUse
  readonly completions: Pick<CompletionService, 'cancel' | 'cancelAll' | 'activeChatIds'>
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
  /** Takes back everything after the turn. */
  rewind(workspaceId: number, chatId: string, turnId: string): Promise<Chat>
  /** Completes the ongoing chats of an agent that is being deleted and stops their turns. */
  agentRemoved: AgentRemoval['agentRemoved']
}

export function createChatService(dependencies: ChatServiceDependencies): ChatService {
  const { database, completions, events } = dependencies
  const { read } = database

  /** Throws `not_found` unless the workspace has the chat. */
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
      const found = await listChats(read, workspaceId, filter, page)
      const chatIds = found.items.map((row) => row.chat_id)
      const turns = Map.groupBy(await readTurns(read, chatIds), (turn) => turn.chat_id)
      return { items: found.items.map((row) => toSummary(row, turns.get(row.chat_id) ?? [])), next: found.next }
    },

    async update(workspaceId, chatId, changes) {
      await updateChat(dependencies, { workspaceId, chatId }, changes)
      return await get(workspaceId, chatId)
    },

    async end(workspaceId, chatId) {
      const chat = await requireChat(workspaceId, chatId)
      if (chat.status === 'ongoing') await endOngoing(dependencies, chat)
      completions.cancelAll(chatId)
      return await get(workspaceId, chatId)
    },

    async remove(workspaceId, chatId) {
      await requireChat(workspaceId, chatId)
      completions.cancelAll(chatId)
      const removed = { query: database.compile.deleteFrom('chats').where('chat_id', '=', chatId).compile() }
      await database.batch([removed, ...events.removed(chatId)])
    },

    async listTurns(workspaceId, chatId, page) {
      await requireChat(workspaceId, chatId)
      return await listTurns(read, chatId, page)
    },

    async rewind(workspaceId, chatId, turnId) {
      const rewinding = { ...dependencies, loadInitialState: (chat: ChatRow) => loadInitialState(dependencies, chat) }
      await rewindChat(rewinding, { workspaceId, chatId, turnId })
      return await get(workspaceId, chatId)
    },

    agentRemoved: (transaction, removed) => endChatsOf(transaction, removed, { completions, events }),
  }
}

async function readFullChat(read: Reader, row: ChatRow): Promise<Chat> {
  const [messages, turns, passages] = await Promise.all([
    readMessages(read, row.chat_id, READ_LIMIT),
    readTurns(read, [row.chat_id]),
    readPassages(read, row.chat_id),
  ])
  return toChat(row, { messages, turns, passages })
}

async function endOngoing({ database, clock, events }: ChatServiceDependencies, chat: ChatRow): Promise<void> {
  const now = clock.now()
  const query = database.compile
    .updateTable('chats')
    .set({ status: 'completed', ended_at: now, updated_at: now })
    .where('chat_id', '=', chat.chat_id)
    .where('status', '=', 'ongoing')
  const ended = { query: query.compile(), expectRows: 1 }
  try {
    await database.batch([ended, ...events.ended(chat, 'request')])
  } catch (error) {
    // It ended by itself meanwhile, and its end was published then.
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
  const query = database.compile
    .updateTable('chats')
    .set({ ...columns, updated_at: clock.now() })
    .where('chat_id', '=', chatId)
    .where('workspace_id', '=', workspaceId)
  await database.transaction(async (transaction) => {
    const chat = await findChat(transaction, workspaceId, chatId)
    if (chat === null) throw notFound('chat', chatId)
    const tightenedPolicy = storage === undefined ? [] : events.tightenStorage(chat, storage)
    for (const statement of [{ query: query.compile() }, ...tightenedPolicy]) {
      await transaction.executeQuery(statement.query)
    }
  })
}
