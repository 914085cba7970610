import type { Transaction } from '../../kernel/storage/database.ts'
import type { ChatRow } from '../../tables/chat-tables.ts'
import type { AgentRemoval } from '../agents/public.ts'
import type { ChatEventSubject, ChatEvents } from './chat-events.ts'
import type { CompletionService } from './completion-service.ts'
import { readHandOvers } from './turn/hand-overs.ts'

export interface EndChatsDependencies {
  readonly completions: Pick<CompletionService, 'cancelAll' | 'activeChatIds'>
  readonly events: Pick<ChatEvents, 'ended'>
}

/** Values of one statement; databases bound their number. */
const CHAT_BATCH_SIZE = 200

/** Completes the ongoing chats that began with an agent or are held by it, and stops their turns. */
export async function endChatsOf(
  transaction: Transaction,
  { workspaceId, agentId, now }: Parameters<AgentRemoval['agentRemoved']>[1],
  { completions, events }: EndChatsDependencies,
): Promise<void> {
  const running = new Set(completions.activeChatIds())
  const ongoing = await findChatsOf(transaction, workspaceId, agentId)
  for (let from = 0; from < ongoing.length; from += CHAT_BATCH_SIZE) {
    const some = ongoing.slice(from, from + CHAT_BATCH_SIZE)
    await transaction
      .updateTable('chats')
      .set({ status: 'completed', ended_at: now, updated_at: now })
      .where(
        'chat_id',
        'in',
        some.map(({ chat_id }) => chat_id),
      )
      .where('status', '=', 'ongoing')
      .execute()
  }
  for (const chat of ongoing) {
    for (const { query } of events.ended(chat, 'agent_deleted')) await transaction.executeQuery(query)
  }
  // Turns that run on other nodes too; those that only wait find their chat completed.
  const busy = ongoing.filter(({ chat_id, active_turn_id: turnId }) => running.has(chat_id) || turnId !== null)
  for (const { chat_id } of busy) completions.cancelAll(chat_id)
}

type OngoingChat = ChatEventSubject & Pick<ChatRow, 'active_turn_id'>

const COLUMNS = [
  'chat_id',
  'workspace_id',
  'agent_id',
  'agent_version',
  'engine_id',
  'engine_version',
  'hand_overs',
  'active_turn_id',
] as const satisfies readonly (keyof OngoingChat)[]

async function findChatsOf(transaction: Transaction, workspaceId: number, agentId: string): Promise<OngoingChat[]> {
  const chats = transaction
    .selectFrom('chats')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'ongoing')
  const startedByAgent = await chats.where('agent_id', '=', agentId).execute()
  const swapped = await chats.where('agent_id', '<>', agentId).where('hand_overs', '<>', '[]').execute()
  return [...startedByAgent, ...swapped.filter((chat) => readHandOvers(chat).at(-1)?.agentId === agentId)]
}
