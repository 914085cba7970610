import type { CallStatus } from '@parley/contract/call'
import type { RequestParts } from '../../lib/api/request.ts'
import {
  daysToInstants,
  readChoice,
  readCount,
  readDay,
  readFlag,
  readText,
  withoutEmpty,
} from '../../parts/transcript/search-params.ts'

/** Repeated here: the contract's own list would bring its schemas into the bundle. */
export const CALL_STATUSES = [
  'registered',
  'ongoing',
  'ended',
  'not_connected',
  'error',
] as const satisfies readonly CallStatus[]

/** Filters and page of the call history, as in the address. */
export interface CallFilter {
  readonly agent?: string
  /** Of the agent when the call was made. */
  readonly version?: number
  readonly status?: CallStatus
  /** Days in the zone of the browser. */
  readonly from?: string
  readonly to?: string
  readonly search?: string
  readonly archived?: true
  /** Also calls that others were split or transferred into. */
  readonly parts?: true
  /** From 2; absent for the first page. */
  readonly page?: number
}

export function readCallFilter(search: Record<string, unknown>): CallFilter {
  const page = readCount(search.page)
  return withoutEmpty({
    agent: readText(search.agent),
    version: readCount(search.version),
    status: readChoice(search.status, CALL_STATUSES),
    from: readDay(search.from),
    to: readDay(search.to),
    search: readText(search.search),
    archived: readFlag(search.archived),
    parts: readFlag(search.parts),
    page: page === 1 ? undefined : page,
  })
}

export function isFiltered({ page: _page, ...filter }: CallFilter): boolean {
  return Object.keys(filter).length > 0
}

/** The maximum of the API. */
const PAGE_ROWS = 100

export function toHistoryQuery(filter: CallFilter, page = filter.page ?? 1) {
  const { agent, version, status, from, to, search, archived, parts } = filter
  return {
    ...withoutEmpty({ agentId: agent, agentVersion: version, status, search }),
    ...daysToInstants(from, to),
    ...(archived && { includeArchived: true }),
    ...(parts && { includeChildCalls: true }),
    page,
    limit: PAGE_ROWS,
  } satisfies NonNullable<RequestParts<'listCallHistory'>['query']>
}

/** The numbers of the first and the last row of a page, from 1; 0 without rows. */
export function rowRange(page: number, rows: number): { readonly first: number; readonly last: number } {
  const before = (page - 1) * PAGE_ROWS
  return rows === 0 ? { first: 0, last: 0 } : { first: before + 1, last: before + rows }
}
