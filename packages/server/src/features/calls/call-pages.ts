import { sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import { containsText } from '../../kernel/storage/text.ts'
import {
  type CallFilter,
  type CallPageIds,
  inWorkspaces,
  isInEveryId,
  MAX_LISTED_WORKSPACES,
  offsetOf,
  type PageNumber,
} from './call-filter.ts'

/** Calls that a search without an index examines, to bound the work of one request. */
const MAX_SCANNED_CALLS = 10_000

/** Searches the newest calls of the filter for a text; returns a page and the total among those examined. */
export async function scanCalls(
  reader: Reader,
  filter: CallFilter,
  text: string,
  page: PageNumber,
): Promise<CallPageIds> {
  const newest = selectCallIds(reader, filter, { limit: MAX_SCANNED_CALLS, offset: 0 })
  if (newest === null) return { ids: [], total: 0 }
  const rows = await reader
    .selectFrom(newest.as('newest'))
    .innerJoin('calls', 'calls.call_id', 'newest.call_id')
    .select('calls.call_id')
    .where(containsText(searchedColumns(text), text))
    .orderBy('newest.created_at', 'desc')
    .orderBy('newest.call_id', 'desc')
    .execute()
  const offset = offsetOf(page)
  return { ids: rows.slice(offset, offset + page.limit).map((row) => row.call_id), total: rows.length }
}

const SEARCHED = ['call_id', 'call_sid', 'from_number', 'to_number', 'customer_name', 'agent_name'] as const

const searchedColumns = (text: string) =>
  (isInEveryId(text) ? SEARCHED.filter((name) => name !== 'call_id') : SEARCHED).map((name) => sql.ref(`calls.${name}`))

interface Window {
  readonly limit: number
  readonly offset: number
}

interface ListPosition {
  readonly created_at: number
  readonly call_id: string
}

/**
 * Ids of matching calls, newest first, starting at `offset`. An index yields this order for one workspace or agent and
 * one value of `hidden`; several lists are merged as far as the page needs.
 */
function selectCallIds(reader: Reader, filter: CallFilter, { limit, offset }: Window) {
  // Each part states its order too, so that the planner has nothing left to sort.
  const queries = orderedQueries(reader, filter).map((part) =>
    reader
      .selectFrom(part.orderBy('created_at', 'desc').orderBy('call_id', 'desc').as('part'))
      .select(['created_at', 'call_id']),
  )
  const [first, ...others] = queries
  if (first === undefined) return null
  return others
    .reduce((all, part) => all.unionAll(part), first)
    .orderBy('created_at', 'desc')
    .orderBy('call_id', 'desc')
    .limit(limit)
    .offset(offset)
}

export async function readCallIds(reader: Reader, filter: CallFilter, window: Window): Promise<readonly string[]> {
  const rows = await selectCallIds(reader, filter, window)?.execute()
  return rows?.map((row) => row.call_id) ?? []
}

function orderedQueries(reader: Reader, filter: CallFilter) {
  const { workspaceIds, agentId, hidden } = filter
  if (workspaceIds.length === 0) return []
  // `+` keeps the planner from using indexes that would need sorting.
  const isReachable = inWorkspaces(sql`+workspace_id`, workspaceIds)
  if (agentId !== undefined) {
    return hidden.map((value) =>
      filteredCalls(reader, filter).where('agent_id', '=', agentId).where('hidden', '=', value).where(isReachable),
    )
  }
  if (workspaceIds.length > MAX_LISTED_WORKSPACES) {
    return [
      filteredCalls(reader, filter)
        .where(isReachable)
        .where(sql<boolean>`+hidden in (${sql.join(hidden)})`),
    ]
  }
  return workspaceIds.flatMap((workspaceId) =>
    hidden.map((value) =>
      filteredCalls(reader, filter).where('workspace_id', '=', workspaceId).where('hidden', '=', value),
    ),
  )
}

/** Conditions shared by every part, which do not affect the order. */
function filteredCalls(reader: Reader, { status, agentVersion, createdFrom, createdTo }: CallFilter) {
  return reader
    .selectFrom('calls')
    .select(['created_at', 'call_id'])
    .$narrowType<ListPosition>()
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
    .$if(agentVersion !== undefined, (query) => query.where('agent_version', '=', agentVersion ?? 0))
    .$if(createdFrom !== undefined, (query) => query.where('created_at', '>=', createdFrom ?? 0))
    .$if(createdTo !== undefined, (query) => query.where('created_at', '<=', createdTo ?? 0))
}
