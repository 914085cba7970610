import type { CallSort } from '@parley/contract/call-history'
import { sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import { containsText } from '../../kernel/storage/text.ts'
import {
  buildWorkspaceCondition,
  type CallFilter,
  type CallPageIds,
  getPageOffset,
  isInEveryId,
  MAX_LISTED_WORKSPACES,
  type PageNumber,
} from './call-filter.ts'
import { getMedianLatency } from './call-responses.ts'

/** Maximum number of calls that a search without an index examines. The limit bounds the work of one request. */
const MAX_SCANNED_CALLS = 10_000
/** Maximum number of calls to sort by a value. Reading the values takes longer than a search. */
const MAX_SORTED_CALLS = 5_000

interface CallScan {
  /** Text to find. An empty string matches every call. */
  readonly text: string
  readonly sort?: CallSort
}

/** Searches and sorts the newest calls that match the filter. Returns a page and the number of matches. */
export async function scanCalls(
  reader: Reader,
  filter: CallFilter,
  { text, sort = '-created' }: CallScan,
  page: PageNumber,
): Promise<CallPageIds> {
  const limit = sort === '-created' ? MAX_SCANNED_CALLS : MAX_SORTED_CALLS
  const newest = selectCallIds(reader, filter, { limit, offset: 0 })
  if (newest === null) return { ids: [], total: 0 }
  const rows = await reader
    .selectFrom(newest.as('newest'))
    .innerJoin('calls', 'calls.call_id', 'newest.call_id')
    .select(['calls.call_id', sql.ref<number | string | null>(`calls.${SORTED_COLUMNS[sort]}`).as('sorted')])
    .$if(text !== '', (query) => query.where(containsText(listSearchedColumns(text), text)))
    .orderBy('newest.created_at', 'desc')
    .orderBy('newest.call_id', 'desc')
    .execute()
  const offset = getPageOffset(page)
  return {
    ids: sortCalls(rows, sort)
      .slice(offset, offset + page.limit)
      .map((row) => row.call_id),
    total: rows.length,
  }
}

const SORTED_COLUMNS = {
  '-created': 'created_at',
  duration: 'duration_ms',
  '-duration': 'duration_ms',
  latency: 'latency',
  '-latency': 'latency',
  cost: 'cost_total',
  '-cost': 'cost_total',
} as const satisfies Record<CallSort, string>

/** Sorts calls by a column. Calls without a value come last, and equal calls keep their order. */
function sortCalls<Row extends { readonly sorted: number | string | null }>(
  rows: readonly Row[],
  sort: CallSort,
): readonly Row[] {
  if (sort === '-created') return rows
  const direction = sort.startsWith('-') ? -1 : 1
  return rows
    .map((row) => {
      // The latency column is JSON.
      const value = typeof row.sorted === 'string' ? getMedianLatency(row.sorted) : row.sorted
      return { row, value: value ?? Number.POSITIVE_INFINITY * direction }
    })
    .sort((a, b) => (a.value === b.value ? 0 : (a.value - b.value) * direction))
    .map(({ row }) => row)
}

const SEARCHED_COLUMNS = ['call_id', 'call_sid', 'from_number', 'to_number', 'customer_name', 'agent_name'] as const

const listSearchedColumns = (text: string) =>
  (isInEveryId(text) ? SEARCHED_COLUMNS.filter((name) => name !== 'call_id') : SEARCHED_COLUMNS).map((name) =>
    sql.ref(`calls.${name}`),
  )

interface PageWindow {
  readonly limit: number
  readonly offset: number
}

interface ListPosition {
  readonly created_at: number
  readonly call_id: string
}

/**
 * Builds a query for the ids of matching calls, newest first, starting at `offset`. An index provides this order for
 * one workspace or agent and one value of `hidden`. For other filters, several such lists are merged.
 */
function selectCallIds(reader: Reader, filter: CallFilter, { limit, offset }: PageWindow) {
  // Each part repeats the order so that the planner does not sort the rows again.
  const queries = buildOrderedQueries(reader, filter).map((part) =>
    reader
      .selectFrom(part.orderBy('created_at', 'desc').orderBy('call_id', 'desc').as('part'))
      .select(['created_at', 'call_id']),
  )
  const [first, ...otherQueries] = queries
  if (first === undefined) return null
  return otherQueries
    .reduce((union, part) => union.unionAll(part), first)
    .orderBy('created_at', 'desc')
    .orderBy('call_id', 'desc')
    .limit(limit)
    .offset(offset)
}

export async function readCallIds(reader: Reader, filter: CallFilter, window: PageWindow): Promise<readonly string[]> {
  const rows = await selectCallIds(reader, filter, window)?.execute()
  return rows?.map((row) => row.call_id) ?? []
}

function buildOrderedQueries(reader: Reader, filter: CallFilter) {
  const { workspaceIds, agentId, hidden } = filter
  if (workspaceIds.length === 0) return []
  // `+` prevents the planner from using indexes that would require sorting.
  const workspaceCondition = buildWorkspaceCondition(sql`+workspace_id`, workspaceIds)
  if (agentId !== undefined) {
    return hidden.map((value) =>
      buildFilteredQuery(reader, filter)
        .where('agent_id', '=', agentId)
        .where('hidden', '=', value)
        .where(workspaceCondition),
    )
  }
  if (workspaceIds.length > MAX_LISTED_WORKSPACES) {
    return [
      buildFilteredQuery(reader, filter)
        .where(workspaceCondition)
        .where(sql<boolean>`+hidden in (${sql.join(hidden)})`),
    ]
  }
  return workspaceIds.flatMap((workspaceId) =>
    hidden.map((value) =>
      buildFilteredQuery(reader, filter).where('workspace_id', '=', workspaceId).where('hidden', '=', value),
    ),
  )
}

/** Builds a query with the conditions that all parts share. */
function buildFilteredQuery(reader: Reader, { status, agentVersion, createdFrom, createdTo }: CallFilter) {
  return reader
    .selectFrom('calls')
    .select(['created_at', 'call_id'])
    .$narrowType<ListPosition>()
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .$if(agentVersion !== undefined, (query) => query.where('agent_version', '=', agentVersion ?? 0))
    .$if(createdFrom !== undefined, (query) => query.where('created_at', '>=', createdFrom ?? 0))
    .$if(createdTo !== undefined, (query) => query.where('created_at', '<=', createdTo ?? 0))
}
