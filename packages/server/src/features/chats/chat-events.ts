import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { Chat } from '@parley/contract/chat'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import type { ChatRow } from '../../tables/chat-tables.ts'
import type { PinnedAgent, PostProcessingSettings } from '../agents/public.ts'

export type ChatEventSubject = Pick<
  ChatRow,
  'chat_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'hand_overs'
>

export type EndReason = 'request' | 'agent' | 'agent_deleted'

/** Post-processing columns of a chat. */
export type EndingColumns = Pick<ChatRow, 'close_after_ms' | 'storage' | 'due_at'>

/** Notifies about chats and sets their post-processing columns. Its statements are committed with the change. */
export interface ChatEvents {
  /** Columns of a new chat with an agent. */
  start(postProcessing: PostProcessingSettings, now: number): EndingColumns
  /** Columns that a hand-over changes. */
  handOver(chat: Pick<ChatRow, 'storage'>, to: PostProcessingSettings, now: number): EndingColumns
  /** Reduces what is stored of a chat. Throws `invalid_request` for an increase. */
  tightenStorage(chat: ChatRow, setting: DataStorageSetting): readonly BatchStatement[]
  /** `agent` is the first agent of the chat. */
  started(chat: ChatEventSubject, agent: PinnedAgent): Promise<readonly BatchStatement[]>
  /** Messages were added. */
  turnsEnded(chat: ChatEventSubject): Promise<readonly BatchStatement[]>
  /** The chat ended. */
  ended(chat: ChatEventSubject, reason: EndReason): readonly BatchStatement[]
  /** The chat is deleted together with its events. */
  removed(chatId: string): readonly BatchStatement[]
}

/** Notifies nobody. */
export const NOOP_CHAT_EVENTS: ChatEvents = {
  start: () => ({ close_after_ms: null, storage: null, due_at: null }),
  handOver: () => ({ close_after_ms: null, storage: null, due_at: null }),
  tightenStorage: () => [],
  started: async () => [],
  turnsEnded: async () => [],
  ended: () => [],
  removed: () => [],
}

/** When another agent took over the chat, in milliseconds since the epoch. */
export interface HandOver {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engineId: string | null
  readonly engineVersion: number | null
  readonly at: number
  readonly settings: SwapSettings
}

/** Columns of a chat that a hand-over changes. */
export type HandOverColumns = Pick<ChatRow, 'hand_overs'> & EndingColumns

export function readHandOvers(chat: Pick<ChatRow, 'hand_overs'>): readonly HandOver[] {
  return chat.hand_overs === '[]' ? [] : (JSON.parse(chat.hand_overs) as HandOver[])
}

/** The agents of a chat in order, starting with the first. */
export function agentPathOf(
  chat: Pick<ChatRow, 'agent_id' | 'agent_version' | 'started_at' | 'hand_overs'>,
): Chat['agentPath'] {
  const first = { agentId: chat.agent_id, agentVersion: chat.agent_version, at: chat.started_at }
  return [first, ...readHandOvers(chat)].map(({ agentId, agentVersion, at }) => {
    return { agentId, agentVersion, at: new Date(at).toISOString() }
  })
}
