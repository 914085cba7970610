import type { Chat } from '@parley/contract/chat'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { EndingColumns } from '../chat-events.ts'

/** From this moment on, in milliseconds since the epoch, another agent held the chat. */
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

/** The agents that held a chat, the one it began with first. */
export function agentPathOf(
  chat: Pick<ChatRow, 'agent_id' | 'agent_version' | 'started_at' | 'hand_overs'>,
): Chat['agentPath'] {
  const first = { agentId: chat.agent_id, agentVersion: chat.agent_version, at: chat.started_at }
  return [first, ...readHandOvers(chat)].map(({ agentId, agentVersion, at }) => {
    return { agentId, agentVersion, at: new Date(at).toISOString() }
  })
}
