import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { PostProcessingSettings } from '../../agents/public.ts'
import { LOST_JOB_DELAY_MS } from '../due-work.ts'
import { policyOf, readPolicy, type StoragePolicy, strictestWith, tightenedPolicy } from '../policy/storage-policy.ts'
import { CHAT_ENDED } from './finalize-chat.ts'

/** Why a chat is over. */
export type ChatEndReason = 'request' | 'agent' | 'silence' | 'agent_deleted'

/** What a chat carries from its beginning on, so that it ends as its agents want even when they are gone. */
export type EndingColumns = Pick<ChatRow, 'close_after_ms' | 'storage' | 'due_at'>

type EndedChat = Pick<ChatRow, 'chat_id' | 'workspace_id'>

/** What whoever begins, hands over and ends chats has to write for their time afterwards. */
export interface ChatLifecycle {
  /** Columns of a chat that begins with an agent. */
  start(postProcessing: PostProcessingSettings, now: number): EndingColumns
  /** Columns that a hand-over changes. */
  handOver(chat: Pick<ChatRow, 'storage'>, to: PostProcessingSettings, now: number): EndingColumns
  /** Belongs into the commit that ends a chat, behind the statement that ends it. More than once does no harm. */
  ended(chat: EndedChat, reason: ChatEndReason): readonly BatchStatement[]
  /**
   * Lets less of a chat be stored than its agents say, of one that is over as well. Throws `invalid_request` where it would
   * be more.
   */
  tightenStorage(chat: ChatRow, setting: DataStorageSetting): readonly BatchStatement[]
}

export interface ChatLifecycleDependencies {
  readonly database: Pick<Database, 'compile'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'statement'>
}

export function createChatLifecycle({ database, clock, jobs }: ChatLifecycleDependencies): ChatLifecycle {
  const job = (chat: EndedChat): BatchStatement =>
    jobs.statement({ kind: CHAT_ENDED, payload: { chatId: chat.chat_id }, workspaceId: chat.workspace_id })

  return {
    start: (postProcessing, now) => columnsOf(postProcessing, policyOf(postProcessing), now),

    handOver(chat, to, now) {
      return columnsOf(to, strictestWith(readPolicy(chat.storage), [policyOf(to)]), now)
    },

    ended(chat, reason) {
      const mark = database.compile
        .updateTable('chats')
        .set({ end_reason: reason, due_at: clock.now() + LOST_JOB_DELAY_MS })
        .where('chat_id', '=', chat.chat_id)
        .where('end_reason', 'is', null)
      return [{ query: mark.compile() }, job(chat)]
    },

    tightenStorage(chat, setting) {
      const policy = tightenedPolicy(chat, setting)
      if (policy === null) return []
      const storage = JSON.stringify(policy)
      const query = database.compile.updateTable('chats').set({ storage }).where('chat_id', '=', chat.chat_id)
      const stored = { query: query.compile() }
      return chat.status === 'ongoing' ? [stored] : [stored, job(chat)]
    },
  }
}

function columnsOf({ endAfterSilenceMs }: PostProcessingSettings, policy: StoragePolicy, now: number): EndingColumns {
  return { close_after_ms: endAfterSilenceMs, storage: JSON.stringify(policy), due_at: now + endAfterSilenceMs }
}
