import type { UseQueryResult } from '@tanstack/react-query'
import type { Pages } from './hooks.ts'
import type { Problem } from './problem.ts'

const doNothing = async (): Promise<undefined> => undefined

/** Wraps loaded rows as a paged list with one page. */
export function createSinglePage<Row>(rows: readonly Row[]): Pages<Row> {
  return {
    rows,
    error: null,
    isPending: false,
    isFetching: false,
    hasNextPage: false,
    isFetchingNextPage: false,
    fetchNextPage: doNothing,
    refetch: doNothing,
  }
}

/** Wraps a read that returns all rows at once as a paged list. */
export function toPages<Value, Row>(
  query: UseQueryResult<Value, Problem>,
  getRows: (value: Value) => readonly Row[],
): Pages<Row> {
  const { data, error, isPending, isFetching, refetch } = query
  return { ...createSinglePage(data === undefined ? [] : getRows(data)), error, isPending, isFetching, refetch }
}
