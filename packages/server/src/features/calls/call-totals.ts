import { sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import { type CallFilter, inWorkspaces } from './call-filter.ts'

/** What `call_counts` counts by; the schema's triggers use the same. */
const PERIOD_MS = 604_800_000

/** A range of time: whole periods, which are counted already, and what lies beside them. All bounds are included. */
export interface TimeSplit {
  /** First and last whole period, null where the range is open; null when there is no whole one. */
  readonly periods: { readonly first: number | null; readonly last: number | null } | null
  readonly remainders: readonly { readonly from: number; readonly to: number }[]
}

/** Splits a range of milliseconds so that every one of them is in exactly one part. */
export function splitRange(from: number | undefined, to: number | undefined): TimeSplit {
  if (from !== undefined && to !== undefined && from > to) return { periods: null, remainders: [] }
  const first = from === undefined ? null : Math.ceil(from / PERIOD_MS)
  const last = to === undefined ? null : Math.floor((to + 1) / PERIOD_MS) - 1
  if (first !== null && last !== null && first > last)
    return { periods: null, remainders: [{ from: from ?? 0, to: to ?? 0 }] }
  const before = from !== undefined && first !== null ? [{ from, to: first * PERIOD_MS - 1 }] : []
  const after = to !== undefined && last !== null ? [{ from: (last + 1) * PERIOD_MS, to }] : []
  const remainders = [...before, ...after].filter((remainder) => remainder.from <= remainder.to)
  return { periods: { first, last }, remainders }
}

/** How many calls the filter leaves. */
export async function countCalls(reader: Reader, filter: CallFilter): Promise<number> {
  if (filter.workspaceIds.length === 0) return 0
  const { periods, remainders } = splitRange(filter.createdFrom, filter.createdTo)
  let total = periods === null ? 0 : await sumPeriods(reader, filter, periods)
  for (const { from, to } of remainders) total += await countBetween(reader, filter, from, to)
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
    .where(inWorkspaces(sql`workspace_id`, workspaceIds))
    .where('hidden', 'in', hidden)
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(agentVersion !== undefined, (query) => query.where('agent_version', '=', agentVersion ?? 0))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .$if(first !== null, (query) => query.where('period', '>=', first ?? 0))
    .$if(last !== null, (query) => query.where('period', '<=', last ?? 0))
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}

async function countBetween(
  reader: Reader,
  { workspaceIds, agentId, agentVersion, status, hidden }: CallFilter,
  from: number,
  to: number,
): Promise<number> {
  const column = agentId === undefined ? sql`workspace_id` : sql`+workspace_id`
  const row = await reader
    .selectFrom('calls')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where(inWorkspaces(column, workspaceIds))
    .where('hidden', 'in', hidden)
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(agentVersion !== undefined, (query) => query.where('agent_version', '=', agentVersion ?? 0))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}
