import type { Chat, CreateChatBody } from '@parley/contract/chat'
import type { DialogueState } from '@parley/engine/dialogue/conversation'
import { type Opening, openConversation } from '@parley/engine/dialogue/opening'
import { mergeConversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Database } from '../../kernel/storage/database.ts'
import type { ChatRow, MessageRow } from '../../tables/chat-tables.ts'
import type { AgentPin, AgentResolver, PinnedAgent } from '../agents/public.ts'
import { readMarkup } from '../workspaces/public.ts'
import type { ChatEvents, PostProcessingColumns } from './chat-events.ts'
import { toChat } from './chat-store.ts'
import { getInitialPin } from './turn/turn-context.ts'
import { toMessageRow } from './turn/turn-writes.ts'

interface CreateChatDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly agents: AgentResolver
  readonly events: Pick<ChatEvents, 'getInitialColumns' | 'onStarted'>
}

/** Creates a chat with the given agent version or the live version. Stores the agent's opening messages. */
export async function createChat(
  { database, clock, makeId, agents, events }: CreateChatDependencies,
  workspaceId: number,
  body: CreateChatBody,
): Promise<Chat> {
  const now = clock.now()
  const chatId = makeId('chat')
  const version = body.agentVersion ?? 'active'
  const request = { workspaceId, agentId: body.agentId, version, now } as const
  const pin = await database.transaction((transaction) => agents.pin(transaction, request))
  const agent = await agents.load({ ...pin, workspaceId })
  const opening = buildOpening(agent, { chatId, given: mergeGivenVariables(body), now })
  const rows = (opening?.texts ?? []).map((text, position) =>
    buildOpeningRow({ chatId, now, position, messageId: makeId('message') }, text),
  )
  const newChat = { chatId, workspaceId, now, messageCount: rows.length, state: opening?.state ?? null }
  const row = { ...buildChatRow(newChat, pin, body), ...events.getInitialColumns(agent.postProcessing, now) }
  const startStatements = await events.onStarted(row, agent)
  const chat = await database.transaction(async (transaction) => {
    // Pins the agent again because it may have been deleted in the meantime.
    await agents.pin(transaction, { ...request, version: pin.agentVersion })
    const storedRow = { ...row, markup_percent: await readMarkup(transaction, workspaceId) }
    await transaction.insertInto('chats').values(storedRow).execute()
    if (rows.length > 0) await transaction.insertInto('messages').values(rows).execute()
    for (const { query } of startStatements) await transaction.executeQuery(query)
    return storedRow
  })
  return toChat(chat, { messages: rows })
}

/** Returns a chat's initial state, or null if the engine has no state before its first turn. */
export async function loadInitialState(
  { agents }: Pick<CreateChatDependencies, 'agents'>,
  chat: ChatRow,
): Promise<DialogueState | null> {
  const agent = await agents.load(getInitialPin(chat))
  const givenVariables = JSON.parse(chat.given_variables) as Record<string, string>
  return buildOpening(agent, { chatId: chat.chat_id, given: givenVariables, now: chat.started_at })?.state ?? null
}

interface NewChat {
  readonly chatId: string
  readonly workspaceId: number
  readonly now: number
  readonly messageCount: number
  readonly state: DialogueState | null
}

function buildOpening(
  agent: PinnedAgent,
  { chatId, given, now }: { chatId: string; given: Record<string, string>; now: number },
): Opening | null {
  const system = { session_type: 'chat', chat_id: chatId, session_duration: describeDuration(0) }
  const variables = { system, given, override: {} }
  const { engine, timezone } = agent
  return openConversation(
    engine,
    mergeConversationVariables({ engine, variables, collected: {}, timezone, nowMs: now }),
  )
}

function buildOpeningRow(
  { chatId, now, position, messageId }: { chatId: string; now: number; position: number; messageId: string },
  content: string,
): MessageRow {
  return toMessageRow({ chatId, turnId: null, position, now }, { message_id: messageId, role: 'assistant', content }, 0)
}

function mergeGivenVariables(body: CreateChatBody): Record<string, string> {
  return { ...body.serviceDynamicVariables, ...body.dynamicVariables }
}

function buildChatRow(
  newChat: NewChat,
  pin: AgentPin,
  body: CreateChatBody,
): Omit<ChatRow, keyof PostProcessingColumns> {
  const { chatId, workspaceId, now, messageCount, state } = newChat
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
    given_variables: JSON.stringify(mergeGivenVariables(body)),
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
