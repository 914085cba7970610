import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { PostProcessingSettings } from '../../agents/public.ts'
import { LOST_JOB_DELAY_MS } from '../due-work.ts'
import {
  combineWithStoredPolicy,
  parsePolicy,
  type StoragePolicy,
  tightenPolicy,
  toStoragePolicy,
} from '../policy/storage-policy.ts'
import { CHAT_ENDED_JOB } from './finalize-chat.ts'

/** The reason why a chat ended. */
type ChatEndReason = 'request' | 'agent' | 'silence' | 'agent_deleted'

/** Settings that are stored with a chat so that they apply even after its agents are deleted. */
export type PostProcessingColumns = Pick<ChatRow, 'close_after_ms' | 'storage' | 'due_at'>

type EndedChat = Pick<ChatRow, 'chat_id' | 'workspace_id'>

/** Builds post-processing columns and statements to commit with the start, handoffs and end of a chat. */
export interface ChatLifecycle {
  /** Builds the columns of a new chat. */
  getInitialColumns(postProcessing: PostProcessingSettings, now: number): PostProcessingColumns
  /** Builds the columns that a handoff changes. */
  getHandoffColumns(
    chat: Pick<ChatRow, 'storage'>,
    postProcessing: PostProcessingSettings,
    now: number,
  ): PostProcessingColumns
  /** Builds idempotent statements to commit after the statement that ends a chat. */
  onEnded(chat: EndedChat, reason: ChatEndReason): readonly BatchStatement[]
  /** Reduces the stored content of a chat, even after its end. Throws `invalid_request` for a less strict setting. */
  tightenStorage(chat: ChatRow, setting: DataStorageSetting): readonly BatchStatement[]
}

interface ChatLifecycleDependencies {
  readonly database: Pick<Database, 'queryBuilder'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
}

export function createChatLifecycle({ database, clock, jobs }: ChatLifecycleDependencies): ChatLifecycle {
  const buildEndJobStatement = (chat: EndedChat): BatchStatement =>
    jobs.buildEnqueueStatement({
      kind: CHAT_ENDED_JOB,
      payload: { chatId: chat.chat_id },
      workspaceId: chat.workspace_id,
    })

  return {
    getInitialColumns: (postProcessing, now) =>
      buildPostProcessingColumns(postProcessing, toStoragePolicy(postProcessing), now),

    getHandoffColumns(chat, postProcessing, now) {
      return buildPostProcessingColumns(
        postProcessing,
        combineWithStoredPolicy(parsePolicy(chat.storage), [toStoragePolicy(postProcessing)]),
        now,
      )
    },

    onEnded(chat, reason) {
      const endUpdate = database.queryBuilder
        .updateTable('chats')
        .set({ end_reason: reason, due_at: clock.now() + LOST_JOB_DELAY_MS })
        .where('chat_id', '=', chat.chat_id)
        .where('end_reason', 'is', null)
      return [{ query: endUpdate.compile() }, buildEndJobStatement(chat)]
    },

    tightenStorage(chat, setting) {
      const policy = tightenPolicy(chat, setting)
      if (policy === null) return []
      const storage = JSON.stringify(policy)
      const query = database.queryBuilder.updateTable('chats').set({ storage }).where('chat_id', '=', chat.chat_id)
      const storageUpdate = { query: query.compile() }
      return chat.status === 'ongoing' ? [storageUpdate] : [storageUpdate, buildEndJobStatement(chat)]
    },
  }
}

function buildPostProcessingColumns(
  { endAfterSilenceMs }: PostProcessingSettings,
  policy: StoragePolicy,
  now: number,
): PostProcessingColumns {
  return { close_after_ms: endAfterSilenceMs, storage: JSON.stringify(policy), due_at: now + endAfterSilenceMs }
}
