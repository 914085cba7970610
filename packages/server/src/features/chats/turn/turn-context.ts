import type { ChatMessage } from '@parley/contract/chat-message'
import { channelOf } from '@parley/engine/dialogue/channel'
import type { Conversation, DialogueState, HistoryMessage } from '@parley/engine/dialogue/conversation'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { JsonObject, ResolveModel } from '@parley/engine/ports'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import { type AgentUse, checkModels, type LoadedPin, type PinnedAgent, type UsableModels } from '../../agents/public.ts'
import type { StoredHistory } from '../chat-store.ts'
import { isRecord } from '../record-messages.ts'
import { chatEnded } from './turn-problems.ts'

/** What a turn starts from: who answers, with which models, and what was said before. */

export interface PrepareTurnDependencies {
  readonly agents: AgentUse
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
}

/** Who answers in a chat, and with which models. */
export interface PreparedTurn {
  readonly agent: PinnedAgent
  readonly resolveModel: ResolveModel
}

/** Everything that can refuse a message before it is stored. */
export async function prepareTurn(dependencies: PrepareTurnDependencies, chat: ChatRow): Promise<PreparedTurn> {
  if (chat.status !== 'ongoing') throw chatEnded(chat.chat_id)
  const loading = dependencies.agents.load(pinOf(chat))
  const [agent, models] = await Promise.all([loading, dependencies.models.forWorkspace(chat.workspace_id)])
  checkModels(agent, models)
  return { agent, resolveModel: models.resolve }
}

/** The agent that the chat began with. */
export function initialPinOf(chat: ChatRow): LoadedPin {
  return {
    workspaceId: chat.workspace_id,
    agentId: chat.agent_id,
    agentVersion: chat.agent_version,
    engineId: chat.engine_id,
    engineVersion: chat.engine_version,
  }
}

/** The agent that holds the chat now: the one it began with, or the last that it was handed over to. */
function pinOf(chat: ChatRow): LoadedPin {
  const state = chat.state === null ? null : (JSON.parse(chat.state) as DialogueState)
  if (state?.agent === undefined) return initialPinOf(chat)
  const { agent, engine } = state
  return { workspaceId: chat.workspace_id, ...agent, engineId: engine.id, engineVersion: engine.version }
}

/** Whether the chat ends in a whole answer, so that no message can be open. */
export function isAnswered(messages: readonly MessageRow[]): boolean {
  const last = messages.at(-1)
  return last === undefined || (last.role === 'assistant' && last.incomplete === 0 && last.tool_calls === '[]')
}

/** The user's message that a failed or interrupted turn left without a whole answer. */
export function unansweredMessage(messages: readonly MessageRow[], lastTurn: TurnRow | null): MessageRow | null {
  if (lastTurn === null || (lastTurn.status !== 'failed' && lastTurn.status !== 'interrupted')) return null
  return messages.find((message) => message.message_id === lastTurn.user_message_id) ?? null
}

interface ContextOptions {
  readonly now: number
  /** The turn answers the message that the history has already. */
  readonly isContinuation: boolean
}

/** What the engine starts a turn from. */
export function toConversation(
  chat: ChatRow,
  { history, agent }: { readonly history: StoredHistory; readonly agent: PinnedAgent },
  { now, isContinuation }: ContextOptions,
): Conversation {
  const metadata = JSON.parse(chat.metadata) as JsonObject
  const { chat_id, agent_id, agent_version } = chat
  return {
    engine: agent.engine,
    channel: channelOf(chat.type === 'sms_chat' ? 'sms' : 'chat'),
    state: chat.state === null ? null : (JSON.parse(chat.state) as DialogueState),
    history: toHistory(history.messages, isContinuation),
    omittedMessages: history.omitted,
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

/**
 * What the model sees of the past: what the user saw. Words that were cut off count, unless the same message was or is answered
 * again. Records of what happened beside what was said do not.
 */
export function toHistory(messages: readonly MessageRow[], isContinuation: boolean): HistoryMessage[] {
  const withoutRecords = messages.filter((row) => !isRecord(row))
  return withoutRecords
    .filter((row, index) => row.incomplete === 0 || isFollowedByUser(withoutRecords[index + 1], isContinuation))
    .map(toMessage)
}

function isFollowedByUser(next: MessageRow | undefined, isContinuation: boolean): boolean {
  return next === undefined ? !isContinuation : next.role === 'user'
}

function toMessage(row: MessageRow): HistoryMessage {
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
