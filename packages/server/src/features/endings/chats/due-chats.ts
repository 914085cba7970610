import type { MakeId } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import {
  type DueWork,
  FAILED_MS,
  LOST_JOB_MS,
  lookAfterDue,
  type MinuteJob,
  MOST_PER_LOOK,
  minuteJob,
} from '../look-after.ts'
import { loadChatAgents } from './chat-agents.ts'
import type { ChatEndings } from './chat-endings.ts'
import { CHAT_ENDED } from './settle-chat.ts'

/** Before a turn that runs has ended nothing is known of silence. */
const TURN_MS = 60_000

export interface DueChatsDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly agents: Pick<AgentUse, 'load'>
  readonly endings: Pick<ChatEndings, 'ended'>
  readonly webhooks: Pick<WebhookEvents, 'forget'>
}

/** Every minute: ends silent chats, makes up for lost jobs, deletes what is not to be kept any longer. */
export function createDueChats(dependencies: DueChatsDependencies): MinuteJob {
  return minuteJob('look-after-chats', (signal) => lookAfterChats(dependencies, signal))
}

/** Looks after every chat that is due now. Throws the first failure, once all others were looked after. */
export async function lookAfterChats(dependencies: DueChatsDependencies, signal?: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const now = clock.now()
  const work: DueWork<DueChat> = {
    find: () => findDueChats(database, now),
    lookAfter: (chat) => lookAfter(dependencies, chat, now),
    postpone: (chat) => database.batch([lookAgain(database, chat, now + FAILED_MS)]),
  }
  await lookAfterDue(work, signal)
}

/** By the index of what is due, whatever the number of chats. */
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
    .limit(MOST_PER_LOOK)
    .execute()
  return rows.map(({ has_waiting, ...chat }) => ({ ...chat, isWaitedFor: Boolean(has_waiting) }))
}

async function lookAfter(dependencies: DueChatsDependencies, chat: DueChat, now: number): Promise<void> {
  const { database, jobs } = dependencies
  const decision = decideDue(chat, now)
  try {
    switch (decision.type) {
      case 'close':
        return await close(dependencies, chat, now)
      case 'settle': {
        const job = jobs.statement({
          kind: CHAT_ENDED,
          payload: { chatId: chat.chat_id },
          workspaceId: chat.workspace_id,
        })
        return await database.batch([lookAgain(database, chat, now + LOST_JOB_MS), job])
      }
      case 'delete':
        return await database.batch([deletion(database, chat, now), ...dependencies.webhooks.forget(subjectOf(chat))])
      case 'look-at':
        return await database.batch([lookAgain(database, chat, decision.at)])
    }
  } catch (error) {
    // Somebody wrote to the chat meanwhile: the next look sees how it is then.
    if (!(error instanceof BatchConflictError)) throw error
    await database.batch([lookAgain(database, chat, now + SOON_MS)])
  }
}

const SOON_MS = 30_000

/** Only where nobody else has set another time. */
function lookAgain(
  { compile }: Pick<Database, 'compile'>,
  chat: Pick<ChatRow, 'chat_id' | 'due_at'>,
  at: number | null,
): BatchStatement {
  const query = compile
    .updateTable('chats')
    .set({ due_at: at })
    .where('chat_id', '=', chat.chat_id)
    .where('due_at', '=', chat.due_at)
  return { query: query.compile() }
}

function subjectOf({ chat_id: id }: ChatRow) {
  return { kind: 'chat', id } as const
}

/** Takes messages and turns with it. */
function deletion({ compile }: Pick<Database, 'compile'>, { chat_id }: ChatRow, now: number): BatchStatement {
  const query = compile
    .deleteFrom('chats')
    .where('chat_id', '=', chat_id)
    .where('status', '<>', 'ongoing')
    .where('delete_at', '<=', now)
  return { query: query.compile(), expectRows: 1 }
}

/** Ends a silent chat, unless somebody has come to write meanwhile. */
async function close(dependencies: DueChatsDependencies, chat: DueChat, now: number): Promise<void> {
  const { database, makeId, endings, agents } = dependencies
  const { compile } = database
  const holder = (await loadChatAgents(agents, chat)).at(-1)?.agent ?? null
  const content = holder?.afterwards.autoCloseMessage ?? ''
  const end = compile
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
  const message = compile.insertInto('messages').values({
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
    { query: end.compile(), expectRows: 1 },
    ...(content === '' ? [] : [{ query: message.compile() }]),
    ...endings.ended(chat, 'silence'),
  ])
}

/** A chat whose time has come. */
export interface DueChat extends ChatRow {
  /** A turn stands in line for it. */
  readonly isWaitedFor: boolean
}

/** What is done about it; `look-at` comes back to it later, or never. */
type DueDecision =
  | { readonly type: 'close' }
  | { readonly type: 'settle' }
  | { readonly type: 'delete' }
  | { readonly type: 'look-at'; readonly at: number | null }

/**
 * The time at which a chat is looked at is not moved with every message: it is found here that somebody wrote since, so that
 * turns need not write to its index.
 */
export function decideDue(chat: DueChat, now: number): DueDecision {
  const { status, close_after_ms, updated_at, stored_as, delete_at } = chat
  if (status !== 'ongoing') {
    if (stored_as === null) return { type: 'settle' }
    return delete_at !== null && delete_at <= now ? { type: 'delete' } : { type: 'look-at', at: delete_at }
  }
  if (close_after_ms === null) return { type: 'look-at', at: null }
  const silentAt = updated_at + close_after_ms
  if (silentAt > now) return { type: 'look-at', at: silentAt }
  const isBusy = chat.active_turn_id !== null || chat.isWaitedFor
  return isBusy ? { type: 'look-at', at: now + TURN_MS } : { type: 'close' }
}
