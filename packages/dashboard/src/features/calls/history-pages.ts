import type { CallHistoryItem } from '@parley/contract/call-history'
import { type Pages, useRead } from '../../lib/api/hooks.ts'
import { type CallFilter, PAGE_ROWS, toHistoryQuery } from './call-filter.ts'

/** One page of the history, in the form of a list. */
export interface HistoryPage {
  readonly list: Pages<CallHistoryItem>
  /** Null until it is known. */
  readonly place: PagePlace | null
}

/** Where a page stands among all. */
export interface PagePlace {
  /** From 1; 0 where there is nothing. */
  readonly first: number
  readonly last: number
  readonly total: number
  readonly page: number
  readonly pages: number
}

/** The history is read a page at a time: its totals are exact, and any page can be gone to. */
export function useHistoryPage(filter: CallFilter): HistoryPage {
  const read = useRead('listCallHistory', { query: toHistoryQuery(filter) }, { keepsPrevious: true })
  const rows = read.data?.calls ?? []
  return {
    list: {
      rows,
      error: read.error,
      isPending: read.isPending,
      isFetching: read.isFetching,
      refetch: read.refetch,
      hasNextPage: false,
      isFetchingNextPage: false,
      fetchNextPage: read.refetch,
    },
    place: read.data === undefined ? null : placeOf(read.data.pagination, rows.length),
  }
}

export function placeOf(
  { page, total, pages }: { readonly page: number; readonly total: number; readonly pages: number },
  rows: number,
): PagePlace {
  const before = (page - 1) * PAGE_ROWS
  return { first: rows === 0 ? 0 : before + 1, last: rows === 0 ? 0 : before + rows, total, page, pages }
}
