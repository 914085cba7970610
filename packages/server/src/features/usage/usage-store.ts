import type { CallLatency } from '@parley/contract/call-latency'
import type { Usage, UsageGroup } from '@parley/contract/usage'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import type { TurnRow } from '../../tables/chat-tables.ts'

/** Totals of the calls and chats in one group. */
export interface UsageTotals {
  calls: number
  chats: number
  durationMs: number
  /** Cost in millionths of a US dollar, excluding usage without a price. */
  microDollars: number
  analyzed: number
  successful: number
  errors: number
  /** Milliseconds to the first text or audio of each answered turn. */
  readonly answerLatenciesMs: number[]
}

export const createEmptyTotals = (): UsageTotals => ({
  calls: 0,
  chats: 0,
  durationMs: 0,
  microDollars: 0,
  analyzed: 0,
  successful: 0,
  errors: 0,
  answerLatenciesMs: [],
})

/** Converts totals to the metrics that the API returns. */
export function toUsage(key: string, totals: UsageTotals): Usage {
  // A typed array sorts unboxed numbers much faster, which matters because sorting blocks the thread.
  const sortedLatencies = Float64Array.from(totals.answerLatenciesMs).sort()
  return {
    key,
    calls: totals.calls,
    chats: totals.chats,
    minutes: Math.round(totals.durationMs / 600) / 100,
    cost: Math.round(totals.microDollars) / 1e6,
    successRate: totals.analyzed === 0 ? null : totals.successful / totals.analyzed,
    latencyP50Ms: computePercentile(sortedLatencies, 0.5),
    latencyP95Ms: computePercentile(sortedLatencies, 0.95),
    errors: totals.errors,
  }
}

/** Computes a percentile by the nearest-rank method. Returns null if there are no values. */
function computePercentile(sortedValues: Float64Array, quantile: number): number | null {
  return sortedValues[Math.max(1, Math.ceil(quantile * sortedValues.length)) - 1] ?? null
}

/** Calculates the cost of a turn in millionths of a US dollar, with markup. `usage` is the JSON from the database. */
export function computeTurnMicroDollars(usage: string, markupPercent: number): number {
  if (usage === '[]') return 0
  const items = JSON.parse(usage) as readonly { readonly cost: number | null }[]
  const microDollars = items.reduce((total, { cost }) => total + (cost ?? 0) * 1e6, 0)
  return microDollars * (1 + markupPercent / 100)
}

/**
 * Estimates the answer latencies of a call by linear interpolation between its stored percentiles. `latency` is the database's
 * JSON value.
 */
export function estimateAnswerLatencies(latency: string): readonly number[] {
  const { e2e } = JSON.parse(latency) as Partial<CallLatency>
  if (e2e === null || e2e === undefined) return []
  const { min, p50, p90, p95, p99, max, num } = e2e
  const storedPercentiles = [
    [0, min],
    [0.5, p50],
    [0.9, p90],
    [0.95, p95],
    [0.99, p99],
    [1, max],
  ] as const
  return Array.from({ length: num }, (_, index) => {
    const quantile = (index + 1) / num
    const upperIndex = storedPercentiles.findIndex(([percentile]) => percentile >= quantile)
    const [upperQuantile, upperMs] = storedPercentiles[upperIndex] ?? [1, max]
    const [lowerQuantile, lowerMs] = storedPercentiles[upperIndex - 1] ?? [0, min]
    // This order of operations keeps the fraction at most 1, so that no value exceeds the next percentile.
    return lowerMs + (upperMs - lowerMs) * ((quantile - lowerQuantile) / (upperQuantile - lowerQuantile))
  })
}

/** Selects a workspace's conversations that started in a range. Both bounds are inclusive. */
export interface UsageRange {
  readonly workspaceId: number
  readonly from: number
  readonly to: number
  readonly groupBy: UsageGroup
}

const DAY_MS = 86_400_000

/** The number of days since the Unix epoch, an agent id or a workspace id. */
type GroupValue = string | number

function selectGroup(groupBy: UsageGroup, startColumn: RawBuilder<unknown>): RawBuilder<GroupValue> {
  if (groupBy === 'day') return sql<GroupValue>`${startColumn} / ${sql.lit(DAY_MS)}`
  return groupBy === 'agent' ? sql<GroupValue>`agent_id` : sql<GroupValue>`workspace_id`
}

/** Formats a group's key for responses. */
export function formatGroupKey(groupBy: UsageGroup, value: GroupValue): string {
  return groupBy === 'day' ? new Date(Number(value) * DAY_MS).toISOString().slice(0, 10) : String(value)
}

interface CallTotals {
  readonly group: GroupValue
  readonly calls: number
  readonly durationMs: number
  readonly microDollars: number
  readonly analyzed: number
  readonly successful: number
  readonly errors: number
}

export async function sumCalls(reader: Reader, { workspaceId, from, to, groupBy }: UsageRange): Promise<CallTotals[]> {
  const group = selectGroup(groupBy, sql`created_at`)
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
    // Lists all values, so that the database can use the workspace index.
    .where('hidden', 'in', [0, 1, 2, 3])
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .groupBy(group)
    .execute()
  return rows
}

/** The position of a call in the result order. */
export interface CallPosition {
  readonly createdAt: number
  readonly callId: string
}

interface MeasuredCall {
  readonly call_id: string
  readonly created_at: number
  /** JSON of `CallLatency`. */
  readonly latency: string
  readonly group: GroupValue
}

/** Reads the calls with measured latency after a position, oldest first. */
export async function readMeasuredCalls(
  reader: Reader,
  { workspaceId, from, to, groupBy }: UsageRange,
  { after, limit }: { readonly after: CallPosition | null; readonly limit: number },
): Promise<MeasuredCall[]> {
  return await reader
    .selectFrom('calls')
    .select(['call_id', 'created_at', 'latency', selectGroup(groupBy, sql`created_at`).as('group')])
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

/** The position of a chat in the result order. */
export interface ChatPosition {
  readonly startedAt: number
  readonly chatId: string
}

interface UsageChat extends Pick<TurnRow, 'chat_id'> {
  /** The reseller's markup, in percent. */
  readonly markup_percent: number
  readonly started_at: number
  /** Usage of the chat's analyses, in the same format as the usage of turns. */
  readonly analysis_usage: string
  readonly group: GroupValue
}

/** Reads the chats after a position, oldest first. */
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
      selectGroup(groupBy, sql`started_at`).as('group'),
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

type UsageTurn = Pick<TurnRow, 'chat_id' | 'status' | 'usage' | 'first_text_ms'>

export async function readTurns(reader: Reader, chatIds: readonly string[]): Promise<UsageTurn[]> {
  return await reader
    .selectFrom('turns')
    .select(['chat_id', 'status', 'usage', 'first_text_ms'])
    .where('chat_id', 'in', chatIds)
    .execute()
}
