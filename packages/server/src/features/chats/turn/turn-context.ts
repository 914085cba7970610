import type { Conversation, DialogueState } from '@parley/engine/dialogue/conversation'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { JsonObject } from '@parley/engine/ports'
import type { PinnedAgent } from '../../../kernel/pinned-agent.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../kernel/tables/chat-tables.ts'
import { toHistory } from '../chat-store.ts'

/** Nothing is open after a whole answer, so that its turn need not be looked at. */
export function isAnswered(messages: readonly MessageRow[]): boolean {
  const last = messages.at(-1)
  return last === undefined || (last.role === 'assistant' && last.incomplete === 0 && last.tool_calls === '[]')
}

/** The user's message that a failed or interrupted turn left without a whole answer. */
export function unansweredMessage(messages: readonly MessageRow[], lastTurn: TurnRow | null): MessageRow | null {
  if (lastTurn === null || (lastTurn.status !== 'failed' && lastTurn.status !== 'interrupted')) return null
  return messages.find((message) => message.message_id === lastTurn.user_message_id) ?? null
}

/** What the engine starts a turn from. */
export function toConversation(
  chat: ChatRow,
  messages: readonly MessageRow[],
  agent: PinnedAgent,
  now: number,
): Conversation {
  const metadata = JSON.parse(chat.metadata) as JsonObject
  return {
    engine: agent.engine,
    state: chat.state === null ? null : (JSON.parse(chat.state) as DialogueState),
    history: toHistory(messages),
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
    toolContext: {
      chat: {
        chat_id: chat.chat_id,
        agent_id: chat.agent_id,
        agent_version: chat.agent_version,
        metadata,
      },
    },
    metadata,
    conversationId: chat.chat_id,
  }
}
