import { sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import { type CallFilter, inWorkspaces, MAX_LISTED_WORKSPACES } from './call-filter.ts'

interface Window {
  readonly limit: number
  readonly offset: number
}

interface ListPosition {
  readonly created_at: number
  readonly call_id: string
}

/**
 * Ids of the calls that the filter leaves, newest first, from `offset` on. An index gives them in this order for one workspace,
 * or one agent, and one value of `hidden`; where there are several, their lists are merged as far as the page goes.
 */
export function selectCallIds(reader: Reader, filter: CallFilter, { limit, offset }: Window) {
  // Each part says its order too: a planner that does not look for it in the parts finds nothing left to sort then.
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
  // `+` keeps the planner from indexes that would have to be sorted.
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

/** What every part has in common: the conditions that leave the order alone. */
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
