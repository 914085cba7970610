import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import type { ChatRow } from '../../tables/chat-tables.ts'
import type { PinnedAgent, PostProcessingSettings } from '../agents/public.ts'

/** A chat as those who hear of it need it. */
export type ChatEventSubject = Pick<
  ChatRow,
  'chat_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'hand_overs'
>

/** Who ended a chat. */
export type EndReason = 'request' | 'agent' | 'agent_deleted'

/** What a chat carries for the time after it. */
export type EndingColumns = Pick<ChatRow, 'close_after_ms' | 'storage' | 'due_at'>

/** Who is told what happens to chats, and what chats carry for it. Statements are committed with what they tell of. */
export interface ChatEvents {
  /** Columns of a chat that begins with an agent. */
  start(postProcessing: PostProcessingSettings, now: number): EndingColumns
  /** Columns that a hand-over changes. */
  handOver(chat: Pick<ChatRow, 'storage'>, to: PostProcessingSettings, now: number): EndingColumns
  /** Lets less of a chat be stored. Throws `invalid_request` where it would be more. */
  tightenStorage(chat: ChatRow, setting: DataStorageSetting): readonly BatchStatement[]
  /** `agent` is the one that the chat begins with. */
  started(chat: ChatEventSubject, agent: PinnedAgent): Promise<readonly BatchStatement[]>
  /** Something was said. */
  turnsEnded(chat: ChatEventSubject): Promise<readonly BatchStatement[]>
  /** The chat is over. */
  ended(chat: ChatEventSubject, reason: EndReason): readonly BatchStatement[]
  /** The chat is deleted, and with it what was told of it. */
  removed(chatId: string): readonly BatchStatement[]
}

/** Nobody is told, and nothing comes after chats. */
export const NOOP_CHAT_EVENTS: ChatEvents = {
  start: () => ({ close_after_ms: null, storage: null, due_at: null }),
  handOver: () => ({ close_after_ms: null, storage: null, due_at: null }),
  tightenStorage: () => [],
  started: async () => [],
  turnsEnded: async () => [],
  ended: () => [],
  removed: () => [],
}
