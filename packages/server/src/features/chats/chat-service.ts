import type { Chat, ChatSummary, CreateChatBody, UpdateChatBody } from '@parley/contract/chat'
import type { ChatTurn } from '@parley/contract/chat-turn'
import type { DialogueState } from '@parley/engine/dialogue/conversation'
import { type Opening, openConversation } from '@parley/engine/dialogue/opening'
import { conversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { AgentRemoval } from '../../kernel/agent-removal.ts'
import { BatchConflictError, type Database } from '../../kernel/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'
import type { AgentPin, AgentUse, PinnedAgent } from '../../kernel/pinned-agent.ts'
import type { ChatRow, MessageRow } from '../../kernel/tables/chat-tables.ts'
import type { ChatEvents, EndingColumns } from './chat-events.ts'
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
import { endChatsOf } from './end-chats-of-agent.ts'
import { rewindChat } from './rewind-chat.ts'
import { firstPinOf } from './turn/turn-context.ts'
import { toRow } from './turn/turn-writes.ts'
import { listTurns } from './turn-list.ts'
import { readPassages } from './turn-passages.ts'

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
  const { database, clock, makeId, agents, completions, events } = dependencies

  async function readChat(workspaceId: number, chatId: string): Promise<Chat> {
    const row = await findChat(database.read, workspaceId, chatId)
    if (row === null) throw notFound('chat', chatId)
    const [messages, turns, passages] = await Promise.all([
      readMessages(database.read, chatId, READ_LIMIT),
      readTurns(database.read, [chatId]),
      readPassages(database.read, chatId),
    ])
    return toChat(row, { messages, turns, passages })
  }

  async function endOngoing(chat: ChatRow): Promise<void> {
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
      // It ended by itself meanwhile, which was told then.
      if (!(error instanceof BatchConflictError)) throw error
    }
  }

  async function stateAtStart(chat: ChatRow): Promise<DialogueState | null> {
    const agent = await agents.load(firstPinOf(chat))
    const given = JSON.parse(chat.given_variables) as Record<string, string>
    return openingOf(agent, { chatId: chat.chat_id, given, now: chat.started_at })?.state ?? null
  }

  return {
    async create(workspaceId, body) {
      const now = clock.now()
      const chatId = makeId('chat')
      const version = body.agentVersion ?? 'active'
      const request = { workspaceId, agentId: body.agentId, version, now } as const
      const pin = await database.transaction((transaction) => agents.pin(transaction, request))
      const agent = await agents.load({ ...pin, workspaceId })
      const opening = openingOf(agent, { chatId, given: givenVariables(body), now })
      const rows = (opening?.texts ?? []).map((text, position) =>
        openingRow({ chatId, now, position, messageId: makeId('message') }, text),
      )
      const begun = { chatId, workspaceId, now, messageCount: rows.length, state: opening?.state ?? null }
      const row = { ...newChat(begun, pin, body), ...events.begin(agent.afterwards, now) }
      const told = await events.started(row, agent)
      const chat = await database.transaction(async (transaction) => {
        // Once more: the agent may have been deleted since.
        await agents.pin(transaction, { ...request, version: pin.agentVersion })
        const stored = { ...row, markup_percent: await readMarkup(transaction, workspaceId) }
        await transaction.insertInto('chats').values(stored).execute()
        if (rows.length > 0) await transaction.insertInto('messages').values(rows).execute()
        for (const { query } of told) await transaction.executeQuery(query)
        return stored
      })
      return toChat(chat, { messages: rows })
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
      const { data_storage_setting: storage } = changes
      const query = database.compile
        .updateTable('chats')
        .set({ ...columns, updated_at: clock.now() })
        .where('chat_id', '=', chatId)
        .where('workspace_id', '=', workspaceId)
      await database.transaction(async (transaction) => {
        const chat = await findChat(transaction, workspaceId, chatId)
        if (chat === null) throw notFound('chat', chatId)
        const tightened = storage === undefined ? [] : events.tighten(chat, storage)
        for (const statement of [{ query: query.compile() }, ...tightened]) {
          await transaction.executeQuery(statement.query)
        }
      })
      return await readChat(workspaceId, chatId)
    },

    async end(workspaceId, chatId) {
      const chat = await findChat(database.read, workspaceId, chatId)
      if (chat === null) throw notFound('chat', chatId)
      if (chat.status === 'ongoing') await endOngoing(chat)
      completions.cancelAll(chatId)
      return await readChat(workspaceId, chatId)
    },

    async remove(workspaceId, chatId) {
      if ((await findChat(database.read, workspaceId, chatId)) === null) throw notFound('chat', chatId)
      completions.cancelAll(chatId)
      const removed = { query: database.compile.deleteFrom('chats').where('chat_id', '=', chatId).compile() }
      await database.batch([removed, ...events.removed(chatId)])
    },

    async listTurns(workspaceId, chatId, page) {
      if ((await findChat(database.read, workspaceId, chatId)) === null) throw notFound('chat', chatId)
      return await listTurns(database.read, chatId, page)
    },

    async rewind(workspaceId, chatId, turnId) {
      await rewindChat({ database, clock, completions, stateAtStart }, { workspaceId, chatId, turnId })
      return await readChat(workspaceId, chatId)
    },

    agentRemoved: (transaction, removed) => endChatsOf(transaction, removed, { completions, events }),
  }
}

interface NewChat {
  readonly chatId: string
  readonly workspaceId: number
  readonly now: number
  readonly messageCount: number
  readonly state: DialogueState | null
}

function openingOf(
  agent: PinnedAgent,
  { chatId, given, now }: { chatId: string; given: Record<string, string>; now: number },
): Opening | null {
  const system = { session_type: 'chat', chat_id: chatId, session_duration: describeDuration(0) }
  const variables = { system, given, override: {} }
  const { engine, timezone } = agent
  return openConversation(engine, conversationVariables({ engine, variables, collected: {}, timezone, nowMs: now }))
}

function openingRow(
  { chatId, now, position, messageId }: { chatId: string; now: number; position: number; messageId: string },
  content: string,
): MessageRow {
  return toRow({ chatId, turnId: null, position, now }, { message_id: messageId, role: 'assistant', content }, 0)
}

function givenVariables(body: CreateChatBody): Record<string, string> {
  return { ...body.serviceDynamicVariables, ...body.dynamicVariables }
}

function newChat(begun: NewChat, pin: AgentPin, body: CreateChatBody): Omit<ChatRow, keyof EndingColumns> {
  const { chatId, workspaceId, now, messageCount, state } = begun
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
    state: state === null ? null : JSON.stringify(state),
    hand_overs: '[]',
    rewind_count: 0,
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
    markup_percent: 0,
    started_at: now,
    ended_at: null,
    updated_at: now,
  }
}
