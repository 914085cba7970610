import type { Chat } from '@parley/contract/chat'
import type { MakeId } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { JobHandler, JobQueue, JobSchedule } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentResolver } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import {
  createMinuteJob,
  type DueWork,
  FAILURE_DELAY_MS,
  LOST_JOB_DELAY_MS,
  MAX_PER_BATCH,
  type MinuteJob,
  runDueWork,
} from '../due-work.ts'
import { loadChatAgents } from './analyze-chat.ts'
import { type ChatAnalysisService, createChatAnalysisService } from './chat-analysis-service.ts'
import type { ChatLifecycle } from './chat-lifecycle.ts'
import { CHAT_ENDED_JOB, createFinalizeHandler, type FinalizeJobDependencies } from './finalize-chat.ts'

/** Delay before a chat with a running turn is checked again. */
const ACTIVE_TURN_DELAY_MS = 60_000

interface DueChatsDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
  readonly agents: Pick<AgentResolver, 'load'>
  readonly lifecycle: Pick<ChatLifecycle, 'onEnded'>
  readonly webhooks: Pick<WebhookEvents, 'buildDeleteStatements'>
}

/** Creates a job that ends inactive chats, replaces lost jobs and deletes chats whose retention has expired. */
function createDueChatsJob(dependencies: DueChatsDependencies): MinuteJob {
  return createMinuteJob('look-after-chats', (signal) => processDueChats(dependencies, signal))
}

/** Processes all due chats. If some fail, throws the first error after processing the others. */
export async function processDueChats(dependencies: DueChatsDependencies, signal?: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const now = clock.now()
  const work: DueWork<DueChat> = {
    find: () => findDueChats(database, now),
    process: (chat) => processDueChat(dependencies, chat, now),
    postpone: (chat) => database.batch([buildRescheduleStatement(database, chat, now + FAILURE_DELAY_MS)]),
  }
  await runDueWork(work, signal)
}

/** Finds chats whose due time has passed. */
async function findDueChats({ read }: Pick<Database, 'read'>, now: number): Promise<DueChat[]> {
  const rows = await read
    .selectFrom('chats')
    .selectAll()
    .select((select) =>
      select
        .exists(
          select.selectFrom('waiting_turns').select('place').whereRef('waiting_turns.chat_id', '=', 'chats.chat_id'),
        )
        .as('has_waiting'),
    )
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('chat_id')
    .limit(MAX_PER_BATCH)
    .execute()
  return rows.map(({ has_waiting, ...chat }) => ({ ...chat, hasWaitingTurn: Boolean(has_waiting) }))
}

async function processDueChat(dependencies: DueChatsDependencies, chat: DueChat, now: number): Promise<void> {
  const { database, jobs } = dependencies
  const action = decideDueAction(chat, now)
  try {
    switch (action.type) {
      case 'close':
        return await closeChat(dependencies, chat, now)
      case 'finalize': {
        const job = jobs.buildEnqueueStatement({
          kind: CHAT_ENDED_JOB,
          payload: { chatId: chat.chat_id },
          workspaceId: chat.workspace_id,
        })
        return await database.batch([buildRescheduleStatement(database, chat, now + LOST_JOB_DELAY_MS), job])
      }
      case 'delete':
        return await database.batch([
          buildDeleteStatement(database, chat, now),
          ...dependencies.webhooks.buildDeleteStatements(toWebhookSubject(chat)),
        ])
      case 'check-later':
        return await database.batch([buildRescheduleStatement(database, chat, action.dueAt)])
    }
  } catch (error) {
    // A concurrent message changed the chat. The next run processes the new state.
    if (!(error instanceof BatchConflictError)) throw error
    await database.batch([buildRescheduleStatement(database, chat, now + CONFLICT_DELAY_MS)])
  }
}

const CONFLICT_DELAY_MS = 30_000

/** Builds the statement that changes the due time unless another writer has changed it. */
function buildRescheduleStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  chat: Pick<ChatRow, 'chat_id' | 'due_at'>,
  dueAt: number | null,
): BatchStatement {
  const query = queryBuilder
    .updateTable('chats')
    .set({ due_at: dueAt })
    .where('chat_id', '=', chat.chat_id)
    .where('due_at', '=', chat.due_at)
  return { query: query.compile() }
}

function toWebhookSubject({ chat_id: id }: ChatRow) {
  return { kind: 'chat', id } as const
}

/** Builds the statement that deletes a chat with its messages and turns. */
function buildDeleteStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  { chat_id }: ChatRow,
  now: number,
): BatchStatement {
  const query = queryBuilder
    .deleteFrom('chats')
    .where('chat_id', '=', chat_id)
    .where('status', '<>', 'ongoing')
    .where('delete_at', '<=', now)
  return { query: query.compile(), expectRows: 1 }
}

/** Ends an inactive chat unless a turn was added concurrently. */
async function closeChat(dependencies: DueChatsDependencies, chat: DueChat, now: number): Promise<void> {
  const { database, makeId, lifecycle, agents } = dependencies
  const { queryBuilder } = database
  const lastAgent = (await loadChatAgents(agents, chat)).at(-1)?.agent ?? null
  const content = lastAgent?.postProcessing.autoCloseMessage ?? ''
  const endUpdate = queryBuilder
    .updateTable('chats')
    .set({
      status: 'completed',
      ended_at: now,
      updated_at: now,
      ...(content !== '' && { message_count: chat.message_count + 1 }),
    })
    .where('chat_id', '=', chat.chat_id)
    .where('status', '=', 'ongoing')
    .where('active_turn_id', 'is', null)
    .where('updated_at', '=', chat.updated_at)
    .where('message_count', '=', chat.message_count)
  const messageQuery = queryBuilder.insertInto('messages').values({
    message_id: makeId('message'),
    chat_id: chat.chat_id,
    position: chat.message_count,
    turn_id: null,
    role: 'assistant',
    content,
    name: '',
    tool_calls: '[]',
    tool_call_id: null,
    incomplete: 0,
    created_at: now,
  })
  await database.batch([
    { query: endUpdate.compile(), expectRows: 1 },
    ...(content === '' ? [] : [{ query: messageQuery.compile() }]),
    ...lifecycle.onEnded(chat, 'silence'),
  ])
}

/** A chat whose due time has passed. */
export interface DueChat extends ChatRow {
  /** Whether a turn is waiting in the chat's queue. */
  readonly hasWaitingTurn: boolean
}

/** The action for a due chat. If `dueAt` is null, the chat is never due again. */
type DueAction =
  | { readonly type: 'close' }
  | { readonly type: 'finalize' }
  | { readonly type: 'delete' }
  | { readonly type: 'check-later'; readonly dueAt: number | null }

/** Decides what to do with a due chat. Messages do not change the due time, so recent activity is checked here. */
export function decideDueAction(chat: DueChat, now: number): DueAction {
  const { status, close_after_ms, updated_at, stored_as, delete_at } = chat
  if (status !== 'ongoing') {
    if (stored_as === null) return { type: 'finalize' }
    return delete_at !== null && delete_at <= now ? { type: 'delete' } : { type: 'check-later', dueAt: delete_at }
  }
  if (close_after_ms === null) return { type: 'check-later', dueAt: null }
  const closesAt = updated_at + close_after_ms
  if (closesAt > now) return { type: 'check-later', dueAt: closesAt }
  const isBusy = chat.active_turn_id !== null || chat.hasWaitingTurn
  return isBusy ? { type: 'check-later', dueAt: now + ACTIVE_TURN_DELAY_MS } : { type: 'close' }
}

interface ChatPostProcessingDependencies extends FinalizeJobDependencies {
  readonly makeId: MakeId
  readonly lifecycle: Pick<ChatLifecycle, 'onEnded'>
  /** Reads a chat in its API representation. */
  readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
}

/** Job handlers and recurring jobs that end chats and process ended chats. */
export interface ChatPostProcessing {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  readonly analysisService: ChatAnalysisService
}

export function createChatPostProcessing(dependencies: ChatPostProcessingDependencies): ChatPostProcessing {
  const dueChats = createDueChatsJob(dependencies)
  return {
    handlers: { [CHAT_ENDED_JOB]: createFinalizeHandler(dependencies), ...dueChats.handlers },
    schedules: dueChats.schedules,
    analysisService: createChatAnalysisService(dependencies),
  }
}
