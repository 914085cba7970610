import type { BatchStatement } from '../../kernel/database.ts'
import type { PinnedAgent } from '../../kernel/pinned-agent.ts'
import type { ChatRow } from '../../kernel/tables/chat-tables.ts'

/** A chat as those who hear of it need it. */
export type ToldChat = Pick<
  ChatRow,
  'chat_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'hand_overs'
>

/** Who ended a chat. */
export type EndReason = 'request' | 'agent' | 'agent_deleted'

/** Who is told what happens to chats. The statements are committed with what they tell of. */
export interface ChatEvents {
  /** `agent` is the one that the chat begins with. */
  started(chat: ToldChat, agent: PinnedAgent): Promise<readonly BatchStatement[]>
  /** Something was said. */
  said(chat: ToldChat): Promise<readonly BatchStatement[]>
  /** The chat is over. */
  ended(chat: ToldChat, reason: EndReason): readonly BatchStatement[]
}

/** Nobody is told. */
export const SILENT_CHAT_EVENTS: ChatEvents = {
  started: async () => [],
  said: async () => [],
  ended: () => [],
}
