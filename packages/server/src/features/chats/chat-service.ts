import type { Chat, ChatSummary, CreateChatBody, UpdateChatBody } from '@parley/contract/chat'
import { openingMessage } from '@parley/engine/dialogue/opening'
import { conversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { AgentRemoval } from '../../kernel/agent-removal.ts'
import type { Database } from '../../kernel/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'
import type { AgentPin, AgentUse, PinnedAgent } from '../../kernel/pinned-agent.ts'
import type { ChatRow, MessageRow } from '../../kernel/tables/chat-tables.ts'
import {
  type ChatFilter,
  findChat,
  listChats,
  readMarkup,
  readMessages,
  readTurns,
  toChat,
  toSummary,
} from './chat-store.ts'
import type { CompletionService } from './completion-service.ts'
import { toRow } from './turn-writes.ts'

/** More messages than any chat that a person holds; a longer one is read from its newest end. */
const READ_LIMIT = 5000

export interface ChatServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly agents: AgentUse
  readonly completions: Pick<CompletionService, 'cancelAll' | 'activeChatIds'>
}

export interface ChatService {
  create(workspaceId: number, body: CreateChatBody): Promise<Chat>
  list(workspaceId: number, filter: ChatFilter, page: PageRequest): Promise<Page<ChatSummary>>
  get(workspaceId: number, chatId: string): Promise<Chat>
  update(workspaceId: number, chatId: string, changes: UpdateChatBody): Promise<Chat>
  end(workspaceId: number, chatId: string): Promise<Chat>
  remove(workspaceId: number, chatId: string): Promise<void>
  /** Completes the ongoing chats of an agent that is being deleted and stops their turns. */
  agentRemoved: AgentRemoval['agentRemoved']
}

export function createChatService(dependencies: ChatServiceDependencies): ChatService {
  const { database, clock, makeId, agents, completions } = dependencies

  async function readChat(workspaceId: number, chatId: string): Promise<Chat> {
    const row = await findChat(database.read, workspaceId, chatId)
    if (row === null) throw notFound('chat', chatId)
    const [messages, turns] = await Promise.all([
      readMessages(database.read, chatId, READ_LIMIT),
      readTurns(database.read, [chatId]),
    ])
    return toChat(row, messages, turns)
  }

  return {
    async create(workspaceId, body) {
      const now = clock.now()
      const chatId = makeId('chat')
      const version = body.agentVersion ?? 'active'
      const { chat, messages } = await database.transaction(async (transaction) => {
        const pin = await agents.pin(transaction, { workspaceId, agentId: body.agentId, version, now })
        const agent = await agents.load({ ...pin, workspaceId }, transaction)
        const opening = openingOf(agent, { chatId, given: givenVariables(body), now })
        const rows = opening === null ? [] : [openingRow({ chatId, now, messageId: makeId('message') }, opening)]
        const markupPercent = await readMarkup(transaction, workspaceId)
        const row = newChat({ chatId, workspaceId, now, messageCount: rows.length, markupPercent }, pin, body)
        await transaction.insertInto('chats').values(row).execute()
        if (rows.length > 0) await transaction.insertInto('messages').values(rows).execute()
        return { chat: row, messages: rows }
      })
      return toChat(chat, messages, [])
    },

    async list(workspaceId, filter, page) {
      const found = await listChats(database.read, workspaceId, filter, page)
      const turns = Map.groupBy(
        await readTurns(
          database.read,
          found.items.map((row) => row.chat_id),
        ),
        (turn) => turn.chat_id,
      )
      return { items: found.items.map((row) => toSummary(row, turns.get(row.chat_id) ?? [])), next: found.next }
    },

    get: readChat,

    async update(workspaceId, chatId, changes) {
      const columns = {
        ...(changes.metadata !== undefined && { metadata: JSON.stringify(changes.metadata) }),
        ...(changes.custom_attributes !== undefined && {
          custom_attributes: JSON.stringify(changes.custom_attributes),
        }),
        ...(changes.override_dynamic_variables !== undefined && {
          override_variables: JSON.stringify(changes.override_dynamic_variables),
        }),
      }
      await readChat(workspaceId, chatId)
      const query = database.compile
        .updateTable('chats')
        .set({ ...columns, updated_at: clock.now() })
        .where('chat_id', '=', chatId)
        .where('workspace_id', '=', workspaceId)
      await database.batch([{ query: query.compile() }])
      return await readChat(workspaceId, chatId)
    },

    async end(workspaceId, chatId) {
      const chat = await findChat(database.read, workspaceId, chatId)
      if (chat === null) throw notFound('chat', chatId)
      const now = clock.now()
      const query = database.compile
        .updateTable('chats')
        .set({ status: 'completed', ended_at: now, updated_at: now })
        .where('chat_id', '=', chatId)
        .where('status', '=', 'ongoing')
      await database.batch([{ query: query.compile() }])
      completions.cancelAll(chatId)
      return await readChat(workspaceId, chatId)
    },

    async remove(workspaceId, chatId) {
      if ((await findChat(database.read, workspaceId, chatId)) === null) throw notFound('chat', chatId)
      completions.cancelAll(chatId)
      await database.batch([{ query: database.compile.deleteFrom('chats').where('chat_id', '=', chatId).compile() }])
    },

    async agentRemoved(transaction, { workspaceId, agentId, now }) {
      const chatsOfAgent = transaction
        .selectFrom('chats')
        .select('chat_id')
        .where('workspace_id', '=', workspaceId)
        .where('agent_id', '=', agentId)
      // Turns that run on other nodes; those that only wait find their chat completed.
      const busy = await chatsOfAgent.where('status', '=', 'ongoing').where('active_turn_id', 'is not', null).execute()
      const running = completions.activeChatIds()
      const chats = transaction.updateTable('chats').set({ status: 'completed', ended_at: now, updated_at: now })
      await chats
        .where('workspace_id', '=', workspaceId)
        .where('agent_id', '=', agentId)
        .where('status', '=', 'ongoing')
        .execute()
      const here = running.length === 0 ? [] : await chatsOfAgent.where('chat_id', 'in', running).execute()
      for (const chatId of new Set([...busy, ...here].map(({ chat_id }) => chat_id))) completions.cancelAll(chatId)
    },
  }
}

interface NewChat {
  readonly chatId: string
  readonly workspaceId: number
  readonly now: number
  readonly messageCount: number
  readonly markupPercent: number
}

function openingOf(
  agent: PinnedAgent,
  { chatId, given, now }: { chatId: string; given: Record<string, string>; now: number },
): string | null {
  const system = { session_type: 'chat', chat_id: chatId, session_duration: describeDuration(0) }
  const variables = { system, given, override: {} }
  const { engine, timezone } = agent
  return openingMessage(engine, conversationVariables({ engine, variables, collected: {}, timezone, nowMs: now }))
}

function openingRow(
  { chatId, now, messageId }: { chatId: string; now: number; messageId: string },
  content: string,
): MessageRow {
  return toRow({ chatId, turnId: null, position: 0, now }, { message_id: messageId, role: 'assistant', content }, 0)
}

function givenVariables(body: CreateChatBody): Record<string, string> {
  return { ...body.serviceDynamicVariables, ...body.dynamicVariables }
}

function newChat(begun: NewChat, pin: AgentPin, body: CreateChatBody): ChatRow {
  const { chatId, workspaceId, now, messageCount, markupPercent } = begun
  return {
    chat_id: chatId,
    workspace_id: workspaceId,
    agent_id: pin.agentId,
    agent_version: pin.agentVersion,
    agent_name: pin.agentName,
    engine_kind: pin.engineKind,
    engine_id: pin.engineId,
    engine_version: pin.engineVersion,
    type: body.type,
    status: 'ongoing',
    metadata: JSON.stringify(body.metadata),
    custom_attributes: JSON.stringify(body.customAttributes),
    given_variables: JSON.stringify(givenVariables(body)),
    collected_variables: '{}',
    override_variables: '{}',
    state: null,
    hand_overs: '[]',
    rewind_count: 0,
    close_after_ms: null,
    storage: null,
    due_at: null,
    delete_at: null,
    end_reason: null,
    end_told_at: null,
    stored_as: null,
    analysis: null,
    analysed_at: null,
    analysis_usage: '[]',
    message_count: messageCount,
    turn_count: 0,
    active_turn_id: null,
    markup_percent: markupPercent,
    started_at: now,
    ended_at: null,
    updated_at: now,
  }
}
