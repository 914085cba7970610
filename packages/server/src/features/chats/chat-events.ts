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

/** A chat's post-processing columns. */
export type PostProcessingColumns = Pick<ChatRow, 'close_after_ms' | 'storage' | 'due_at'>

/** Builds post-processing columns and the statements that publish chat events. Commit both with the change. */
export interface ChatEvents {
  /** Returns the columns of a new chat. */
  getInitialColumns(postProcessing: PostProcessingSettings, now: number): PostProcessingColumns
  /** Returns the columns that a handoff changes. */
  getHandoffColumns(
    chat: Pick<ChatRow, 'storage'>,
    settings: PostProcessingSettings,
    now: number,
  ): PostProcessingColumns
  /** Reduces the stored data of a chat. Throws `invalid_request` if the setting would store more. */
  tightenStorage(chat: ChatRow, setting: DataStorageSetting): readonly BatchStatement[]
  /** Builds the statements for a started chat. `agent` is the chat's first agent. */
  onStarted(chat: ChatEventSubject, agent: PinnedAgent): Promise<readonly BatchStatement[]>
  /** Builds the statements for a chat with new messages. */
  onTurnsEnded(chat: ChatEventSubject): Promise<readonly BatchStatement[]>
  /** Builds the statements for an ended chat. */
  onEnded(chat: ChatEventSubject, reason: EndReason): readonly BatchStatement[]
  /** Builds the statements that delete a chat's events. */
  onRemoved(chatId: string): readonly BatchStatement[]
}

/** Implementation that publishes no events. */
export const NOOP_CHAT_EVENTS: ChatEvents = {
  getInitialColumns: () => ({ close_after_ms: null, storage: null, due_at: null }),
  getHandoffColumns: () => ({ close_after_ms: null, storage: null, due_at: null }),
  tightenStorage: () => [],
  onStarted: async () => [],
  onTurnsEnded: async () => [],
  onEnded: () => [],
  onRemoved: () => [],
}

/** A handoff to another agent. `at` is in milliseconds since the epoch. */
export interface Handoff {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engineId: string | null
  readonly engineVersion: number | null
  readonly at: number
  readonly settings: SwapSettings
}

/** Chat columns that a handoff changes. */
export type HandoffColumns = Pick<ChatRow, 'hand_overs'> & PostProcessingColumns

export function readHandoffs(chat: Pick<ChatRow, 'hand_overs'>): readonly Handoff[] {
  return chat.hand_overs === '[]' ? [] : (JSON.parse(chat.hand_overs) as Handoff[])
}

/** Returns the chat's agents in order, starting with the first agent. */
export function buildAgentPath(
  chat: Pick<ChatRow, 'agent_id' | 'agent_version' | 'started_at' | 'hand_overs'>,
): Chat['agentPath'] {
  const firstAgent = { agentId: chat.agent_id, agentVersion: chat.agent_version, at: chat.started_at }
  return [firstAgent, ...readHandoffs(chat)].map(({ agentId, agentVersion, at }) => {
    return { agentId, agentVersion, at: new Date(at).toISOString() }
  })
}
