import type { ChatMessage } from '@parley/contract/chat-message'
import { createChannel } from '@parley/engine/dialogue/channel'
import type { Conversation, DialogueState, HistoryMessage } from '@parley/engine/dialogue/conversation'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { JsonObject, ResolveModel } from '@parley/engine/ports'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { BatchConflictError } from '../../../kernel/storage/database.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import {
  type AgentResolver,
  checkModels,
  type PinnedAgent,
  type StoredPin,
  type UsableModels,
} from '../../agents/public.ts'
import { isEventRecord, type StoredHistory } from '../chat-store.ts'

export interface PrepareTurnDependencies {
  readonly agents: AgentResolver
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
}

/** The agent and models that answer in a chat. */
export interface PreparedTurn {
  readonly agent: PinnedAgent
  readonly resolveModel: ResolveModel
}

/** Loads the agent and models. Runs every check that can reject a message before it is stored. */
export async function prepareTurn(dependencies: PrepareTurnDependencies, chat: ChatRow): Promise<PreparedTurn> {
  if (chat.status !== 'ongoing') throw createChatEndedError(chat.chat_id)
  const agentPromise = dependencies.agents.load(getCurrentPin(chat))
  const [agent, models] = await Promise.all([agentPromise, dependencies.models.forWorkspace(chat.workspace_id)])
  checkModels(agent, models)
  return { agent, resolveModel: models.resolve }
}

/** Returns the pin of the chat's first agent. */
export function getInitialPin(chat: ChatRow): StoredPin {
  return {
    workspaceId: chat.workspace_id,
    agentId: chat.agent_id,
    agentVersion: chat.agent_version,
    engineId: chat.engine_id,
    engineVersion: chat.engine_version,
  }
}

/** Returns the pin of the chat's current agent: the first agent or the last handoff target. */
function getCurrentPin(chat: ChatRow): StoredPin {
  const state = chat.state === null ? null : (JSON.parse(chat.state) as DialogueState)
  if (state?.agent === undefined) return getInitialPin(chat)
  const { agent, engine } = state
  return { workspaceId: chat.workspace_id, ...agent, engineId: engine.id, engineVersion: engine.version }
}

/** Whether the last message is a complete answer. An empty chat counts as answered. */
export function isAnswered(messages: readonly MessageRow[]): boolean {
  const lastMessage = messages.at(-1)
  if (lastMessage === undefined) return true
  return lastMessage.role === 'assistant' && lastMessage.incomplete === 0 && lastMessage.tool_calls === '[]'
}

/** Returns the user message of a failed or interrupted last turn, or null if the last turn was answered. */
export function findUnansweredMessage(messages: readonly MessageRow[], lastTurn: TurnRow | null): MessageRow | null {
  if (lastTurn === null || (lastTurn.status !== 'failed' && lastTurn.status !== 'interrupted')) return null
  return messages.find((message) => message.message_id === lastTurn.user_message_id) ?? null
}

interface ContextOptions {
  readonly now: number
  /** Whether the turn answers a message that the history already contains. */
  readonly isContinuation: boolean
}

/** Builds the engine's input for a turn. */
export function toConversation(
  chat: ChatRow,
  { history, agent }: { readonly history: StoredHistory; readonly agent: PinnedAgent },
  { now, isContinuation }: ContextOptions,
): Conversation {
  const metadata = JSON.parse(chat.metadata) as JsonObject
  const { chat_id, agent_id, agent_version } = chat
  return {
    engine: agent.engine,
    channel: createChannel(chat.type === 'sms_chat' ? 'sms' : 'chat'),
    state: chat.state === null ? null : (JSON.parse(chat.state) as DialogueState),
    history: toHistory(history.messages, isContinuation),
    omittedMessages: history.omittedCount,
    variables: {
      system: {
        session_type: 'chat',
        chat_id: chat.chat_id,
        session_duration: describeDuration(now - chat.started_at),
      },
      given: JSON.parse(chat.given_variables) as Record<string, string>,
      override: JSON.parse(chat.override_variables) as Record<string, string | null>,
    },
    timezone: agent.timezone,
    fallbackModels: agent.fallbackModels,
    fallbackMessage: agent.fallbackMessage,
    toolContext: { chat: { chat_id, agent_id, agent_version, metadata } },
    metadata,
    conversationId: chat.chat_id,
  }
}

/** Builds the model's history without event records. Includes an incomplete answer only if a user message follows it. */
export function toHistory(messages: readonly MessageRow[], isContinuation: boolean): HistoryMessage[] {
  const dialogueRows = messages.filter((row) => !isEventRecord(row))
  return dialogueRows
    .filter((row, index) => row.incomplete === 0 || isFollowedByUser(dialogueRows[index + 1], isContinuation))
    .map(toHistoryMessage)
}

function isFollowedByUser(nextMessage: MessageRow | undefined, isContinuation: boolean): boolean {
  return nextMessage === undefined ? !isContinuation : nextMessage.role === 'user'
}

function toHistoryMessage(row: MessageRow): HistoryMessage {
  if (row.role === 'tool')
    return { role: 'tool', toolCallId: row.tool_call_id ?? '', name: row.name, content: row.content }
  if (row.role !== 'assistant') return { role: row.role === 'user' ? 'user' : 'system', content: row.content }
  const calls = row.tool_calls === '[]' ? [] : (JSON.parse(row.tool_calls) as ChatMessage['tool_calls'])
  const toolCalls = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    argumentsText: call.function.arguments,
  }))
  return { role: 'assistant', content: row.content, toolCalls }
}

/** Maps a failure to start or store a turn to an API error. A chat deleted during its turn is `not_found`. */
export function toApiError(error: unknown, chatId: string): AppError {
  if (error instanceof AppError) return error
  if (error instanceof BatchConflictError) return notFound('chat', chatId)
  return new AppError('internal_error', 'The turn could not be stored.', { cause: error })
}

export function createKeyReusedError(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  )
}

export function createChatEndedError(chatId: string): AppError {
  return new AppError('chat_ended', `The chat "${chatId}" has ended. Create a new chat to continue.`)
}

export function createTurnNotRunningError(status: string): AppError {
  return new AppError('turn_not_running', `The turn has ended (${status}) and cannot be cancelled.`)
}
