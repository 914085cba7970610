import type { UsageGroup } from '@parley/contract/usage'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import type { TurnRow } from '../../tables/chat-tables.ts'

/** Conversations of one workspace that began in a range; both bounds are included. */
export interface UsageRange {
  readonly workspaceId: number
  readonly from: number
  readonly to: number
  readonly groupBy: UsageGroup
}

const DAY_MS = 86_400_000

/** What is grouped by: days since the Unix epoch, agent ids or workspace ids. */
type GroupValue = string | number

function groupOf(groupBy: UsageGroup, startColumn: RawBuilder<unknown>): RawBuilder<GroupValue> {
  if (groupBy === 'day') return sql<GroupValue>`${startColumn} / ${sql.lit(DAY_MS)}`
  return groupBy === 'agent' ? sql<GroupValue>`agent_id` : sql<GroupValue>`workspace_id`
}

/** The key as answers have it. */
export function printGroup(groupBy: UsageGroup, value: GroupValue): string {
  return groupBy === 'day' ? new Date(Number(value) * DAY_MS).toISOString().slice(0, 10) : String(value)
}

export interface CallSums {
  readonly group: GroupValue
  readonly calls: number
  readonly durationMs: number
  readonly microDollars: number
  readonly analyzed: number
  readonly successful: number
  readonly errors: number
}

export async function sumCalls(reader: Reader, { workspaceId, from, to, groupBy }: UsageRange): Promise<CallSums[]> {
  const group = groupOf(groupBy, sql`created_at`)
  const rows = await reader
    .selectFrom('calls')
    .select((select) => [
      group.as('group'),
      select.fn.countAll<number>().as('calls'),
      sql<number>`coalesce(sum(duration_ms), 0)`.as('durationMs'),
      sql<number>`coalesce(sum(cost_total), 0)`.as('microDollars'),
      select.fn.count<number>('successful').as('analyzed'),
      sql<number>`coalesce(sum(successful), 0)`.as('successful'),
      sql<number>`sum(case when status = 'error' then 1 else 0 end)`.as('errors'),
    ])
    .where('workspace_id', '=', workspaceId)
    // All of them: named, so that the index of workspaces can be used.
    .where('hidden', 'in', [0, 1, 2, 3])
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .groupBy(group)
    .execute()
  return rows
}

/** Where the next part of the calls begins. */
export interface CallPosition {
  readonly createdAt: number
  readonly callId: string
}

export interface MeasuredCall {
  readonly call_id: string
  readonly created_at: number
  /** JSON of `CallLatency`. */
  readonly latency: string
  readonly group: GroupValue
}

/** Calls of the range after a position in which answers were measured, oldest first. */
export async function readMeasuredCalls(
  reader: Reader,
  { workspaceId, from, to, groupBy }: UsageRange,
  { after, limit }: { readonly after: CallPosition | null; readonly limit: number },
): Promise<MeasuredCall[]> {
  return await reader
    .selectFrom('calls')
    .select(['call_id', 'created_at', 'latency', groupOf(groupBy, sql`created_at`).as('group')])
    .where('workspace_id', '=', workspaceId)
    .where('hidden', 'in', [0, 1, 2, 3])
    .where('latency', '<>', '{}')
    .where('created_at', '>=', after?.createdAt ?? from)
    .where('created_at', '<=', to)
    .$if(after !== null, (query) =>
      query.where((where) =>
        where.or([
          where('created_at', '>', after?.createdAt ?? 0),
          where.and([where('created_at', '=', after?.createdAt ?? 0), where('call_id', '>', after?.callId ?? '')]),
        ]),
      ),
    )
    .orderBy('created_at')
    .orderBy('call_id')
    .limit(limit)
    .execute()
}

/** Where the next part of the chats begins. */
export interface ChatPosition {
  readonly startedAt: number
  readonly chatId: string
}

export interface UsageChat extends Pick<TurnRow, 'chat_id'> {
  /** What the provider adds to costs, in percent. */
  readonly markup_percent: number
  readonly started_at: number
  /** What its analyses used, in the form of turns. */
  readonly analysis_usage: string
  readonly group: GroupValue
}

/** Chats of the range after a position, oldest first. */
export async function readChats(
  reader: Reader,
  { workspaceId, from, to, groupBy }: UsageRange,
  { after, limit }: { readonly after: ChatPosition | null; readonly limit: number },
): Promise<UsageChat[]> {
  return await reader
    .selectFrom('chats')
    .select([
      'chat_id',
      'started_at',
      'markup_percent',
      'analysis_usage',
      groupOf(groupBy, sql`started_at`).as('group'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('started_at', '>=', after?.startedAt ?? from)
    .where('started_at', '<=', to)
    .$if(after !== null, (query) =>
      query.where((where) =>
        where.or([
          where('started_at', '>', after?.startedAt ?? 0),
          where.and([where('started_at', '=', after?.startedAt ?? 0), where('chat_id', '>', after?.chatId ?? '')]),
        ]),
      ),
    )
    .orderBy('started_at')
    .orderBy('chat_id')
    .limit(limit)
    .execute()
}

export type UsageTurn = Pick<TurnRow, 'chat_id' | 'status' | 'usage' | 'first_text_ms'>

export async function readTurns(reader: Reader, chatIds: readonly string[]): Promise<UsageTurn[]> {
  return await reader
    .selectFrom('turns')
    .select(['chat_id', 'status', 'usage', 'first_text_ms'])
    .where('chat_id', 'in', chatIds)
    .execute()
}
