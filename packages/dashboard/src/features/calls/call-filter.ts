import type { CallStatus } from '@parley/contract/call'
import type { CallSort } from '@parley/contract/call-history'
import type { RequestParams } from '../../lib/api/request.ts'
import {
  readChoice,
  readCount,
  readDay,
  readFlag,
  readText,
  removeUndefined,
  toDateRange,
} from '../../parts/transcript/search-params.ts'

/** Copied, because importing the contract's list would add its schemas to the bundle. */
export const CALL_STATUSES = [
  'registered',
  'ongoing',
  'ended',
  'not_connected',
  'error',
] as const satisfies readonly CallStatus[]

/** Sort orders other than the default. */
const SORT_ORDERS = [
  'duration',
  '-duration',
  'latency',
  '-latency',
  'cost',
  '-cost',
] as const satisfies readonly CallSort[]

/** Call history filters in the URL. */
export interface CallFilter {
  readonly agent?: string
  /** Agent version at the time of the call. */
  readonly version?: number
  readonly status?: CallStatus
  /** Days in the browser's time zone. */
  readonly from?: string
  readonly to?: string
  readonly search?: string
  readonly archived?: true
  /** Whether to include calls that other calls were split or transferred into. */
  readonly childCalls?: true
  /** Absent for the default order, latest first. */
  readonly sort?: (typeof SORT_ORDERS)[number]
  /** At least 2; absent for the first page. */
  readonly page?: number
}

export function readCallFilter(search: Record<string, unknown>): CallFilter {
  const page = readCount(search.page)
  return removeUndefined({
    agent: readText(search.agent),
    version: readCount(search.version),
    status: readChoice(search.status, CALL_STATUSES),
    from: readDay(search.from),
    to: readDay(search.to),
    search: readText(search.search),
    archived: readFlag(search.archived),
    childCalls: readFlag(search.childCalls),
    sort: readChoice(search.sort, SORT_ORDERS),
    page: page === 1 ? undefined : page,
  })
}

export function isFiltered({ page: _page, sort: _sort, ...filter }: CallFilter): boolean {
  return Object.keys(filter).length > 0
}

/** Maximum allowed by the API. */
const MAX_PAGE_ROWS = 100

export function toHistoryQuery(filter: CallFilter, page = filter.page ?? 1) {
  const { agent, version, status, from, to, search, archived, childCalls, sort } = filter
  return {
    ...removeUndefined({ agentId: agent, agentVersion: version, status, search, sort }),
    ...toDateRange(from, to),
    ...(archived && { includeArchived: true }),
    ...(childCalls && { includeChildCalls: true }),
    page,
    limit: MAX_PAGE_ROWS,
  } satisfies NonNullable<RequestParams<'listCallHistory'>['query']>
}

/** Returns the numbers of the first and last row of a page, starting at 1, or 0 if there are no rows. */
export function calculateRowRange(page: number, rowCount: number): { readonly first: number; readonly last: number } {
  const previousRows = (page - 1) * MAX_PAGE_ROWS
  return rowCount === 0 ? { first: 0, last: 0 } : { first: previousRows + 1, last: previousRows + rowCount }
}
