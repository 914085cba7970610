import type { CallStatus } from '@parley/contract/call'
import type { Parts } from '../../lib/api/request.ts'
import { countIn, dayIn, daysToInstants, textIn, withoutEmpty, wordIn } from '../../parts/transcript/search-words.ts'

export const CALL_STATUSES = [
  'registered',
  'ongoing',
  'ended',
  'not_connected',
  'error',
] as const satisfies readonly CallStatus[]

/** What the history of calls is narrowed by, as the address has it. */
export interface CallFilter {
  readonly agent?: string
  /** Version of the agent when the call was made. */
  readonly version?: number
  readonly status?: CallStatus
  /** Days where the person is. */
  readonly from?: string
  readonly to?: string
  readonly search?: string
  /** Archived calls as well. */
  readonly archived?: true
  /** Calls as well that others were split or transferred into. */
  readonly parts?: true
  /** From 1; the first one is not named. */
  readonly page?: number
}

/** Reads the filter out of an address. */
export function readCallFilter(search: Record<string, unknown>): CallFilter {
  const page = countIn(search.page)
  return withoutEmpty({
    agent: textIn(search.agent),
    version: countIn(search.version),
    status: wordIn(search.status, CALL_STATUSES),
    from: dayIn(search.from),
    to: dayIn(search.to),
    search: textIn(search.search),
    archived: search.archived === true ? (true as const) : undefined,
    parts: search.parts === true ? (true as const) : undefined,
    page: page === 1 ? undefined : page,
  })
}

/** Whether anything is left out, or shown that is mostly not. */
export function isFiltered({ page: _page, ...filter }: CallFilter): boolean {
  return Object.keys(filter).length > 0
}

/** Calls of one answer: the most that the server gives. */
export const PAGE_ROWS = 100

/** The query of one page of what a filter shows. */
export function toHistoryQuery(filter: CallFilter, page = filter.page ?? 1) {
  const { agent, version, status, from, to, search, archived, parts } = filter
  return {
    ...withoutEmpty({ agentId: agent, agentVersion: version, status, search }),
    ...daysToInstants(from, to),
    ...(archived && { includeArchived: true }),
    ...(parts && { includeChildCalls: true }),
    page,
    limit: PAGE_ROWS,
  } satisfies NonNullable<Parts<'listCallHistory'>['query']>
}
