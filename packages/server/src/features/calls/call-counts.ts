import { sql } from 'kysely'
import type { Database, Reader } from '../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'
import { buildWorkspaceCondition, type CallFilter } from './call-filter.ts'

/** Length of a `call_counts` period. The schema's triggers use the same value. */
const PERIOD_MS = 604_800_000

/** A time range split into whole periods, which have stored counts, and the remaining parts. All bounds are inclusive. */
interface TimeSplit {
  /** First and last whole period, or null if no whole period fits. A bound is null if the range is open. */
  readonly periods: { readonly first: number | null; readonly last: number | null } | null
  readonly remainders: readonly { readonly from: number; readonly to: number }[]
}

/** Splits a range of milliseconds so that each millisecond is in exactly one part. */
export function splitRange(from: number | undefined, to: number | undefined): TimeSplit {
  if (from !== undefined && to !== undefined && from > to) return { periods: null, remainders: [] }
  const first = from === undefined ? null : Math.ceil(from / PERIOD_MS)
  const last = to === undefined ? null : Math.floor((to + 1) / PERIOD_MS) - 1
  if (first !== null && last !== null && first > last)
    return { periods: null, remainders: [{ from: from ?? 0, to: to ?? 0 }] }
  const leadingRemainder = from !== undefined && first !== null ? [{ from, to: first * PERIOD_MS - 1 }] : []
  const trailingRemainder = to !== undefined && last !== null ? [{ from: (last + 1) * PERIOD_MS, to }] : []
  const remainders = [...leadingRemainder, ...trailingRemainder].filter((remainder) => remainder.from <= remainder.to)
  return { periods: { first, last }, remainders }
}

/** Counts the calls that match the filter. */
export async function countCalls(reader: Reader, filter: CallFilter): Promise<number> {
  if (filter.workspaceIds.length === 0) return 0
  const { periods, remainders } = splitRange(filter.createdFrom, filter.createdTo)
  let total = periods === null ? 0 : await sumPeriods(reader, filter, periods)
  for (const { from, to } of remainders) total += await countCallsBetween(reader, filter, from, to)
  return total
}

async function sumPeriods(
  reader: Reader,
  { workspaceIds, agentId, agentVersion, status, hidden }: CallFilter,
  { first, last }: NonNullable<TimeSplit['periods']>,
): Promise<number> {
  const row = await reader
    .selectFrom('call_counts')
    .select((select) => select.fn.sum<number | null>('calls').as('total'))
    .where(buildWorkspaceCondition(sql`workspace_id`, workspaceIds))
    .where('hidden', 'in', hidden)
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(agentVersion !== undefined, (query) => query.where('agent_version', '=', agentVersion ?? 0))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .$if(first !== null, (query) => query.where('period', '>=', first ?? 0))
    .$if(last !== null, (query) => query.where('period', '<=', last ?? 0))
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}

async function countCallsBetween(
  reader: Reader,
  { workspaceIds, agentId, agentVersion, status, hidden }: CallFilter,
  from: number,
  to: number,
): Promise<number> {
  const column = agentId === undefined ? sql`workspace_id` : sql`+workspace_id`
  const row = await reader
    .selectFrom('calls')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where(buildWorkspaceCondition(column, workspaceIds))
    .where('hidden', 'in', hidden)
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(agentVersion !== undefined, (query) => query.where('agent_version', '=', agentVersion ?? 0))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}

/** Maximum number of rows in one compaction. The limit bounds the work of one statement. */
const CHANGES_PER_COMPACTION = 20_000
/** Minimum number of changes for another compaction. Fewer changes wait for the next run. */
const MIN_CHANGES_TO_COMPACT = 1_000
/** Maximum number of compactions in one run. */
const MAX_COMPACTIONS = 500

type CompactionDatabase = Pick<Database, 'read' | 'batch' | 'queryBuilder' | 'capabilities'>

/** Recurring job that merges count changes into sums so that call totals stay cheap to read. */
interface CallCountCompaction {
  readonly handler: JobHandler
  /** Empty on databases that store only sums. */
  readonly schedules: readonly JobSchedule[]
}

export function createCallCountCompaction(database: CompactionDatabase): CallCountCompaction {
  const kind = 'fold-call-counts'
  const schedule = { name: kind, pattern: '* * * * *', kind, payload: {} }
  return {
    handler: { run: (_job, signal) => compactCallCounts(database, signal) },
    schedules: database.capabilities.hasCountDeltas ? [schedule] : [],
  }
}

/** Merges count changes into the stored sums. Totals do not change. */
export async function compactCallCounts(database: CompactionDatabase, signal?: AbortSignal): Promise<void> {
  if (!database.capabilities.hasCountDeltas) return
  for (let compaction = 0; compaction < MAX_COMPACTIONS && signal?.aborted !== true; compaction += 1) {
    const query = compactQuery.compile(database.queryBuilder)
    const emptySumsQuery = database.queryBuilder.deleteFrom('call_count_sums').where('calls', '=', 0).compile()
    await database.batch([{ query }, { query: emptySumsQuery }])
    const remainingChanges = await database.read
      .selectFrom('call_count_changes')
      .select('calls')
      .limit(1)
      .offset(MIN_CHANGES_TO_COMPACT)
      .execute()
    if (remainingChanges.length === 0) return
  }
}

/** Merges one batch of changes. Concurrent compactions lock sums in the same order, so they cannot deadlock. */
const compactQuery = sql`
  with removed as (
    delete from call_count_changes where ctid = any (array(
      select ctid from call_count_changes limit ${sql.lit(CHANGES_PER_COMPACTION)} for update skip locked
    ))
    returning workspace_id, period, agent_id, agent_version, status, hidden, calls
  )
  insert into call_count_sums as sums (workspace_id, period, agent_id, agent_version, status, hidden, calls)
  select workspace_id, period, agent_id, agent_version, status, hidden, sum(calls) from removed
  group by workspace_id, period, agent_id, agent_version, status, hidden having sum(calls) <> 0
  order by workspace_id, period, agent_id, agent_version, status, hidden
  on conflict (workspace_id, hidden, period, agent_id, agent_version, status)
  do update set calls = sums.calls + excluded.calls`
