import type { UseQueryResult } from '@tanstack/react-query'
import type { Pages } from './hooks.ts'
import type { Problem } from './problem.ts'

const nothing = async (): Promise<undefined> => undefined

/** Loaded rows in the shape of a paged list. */
export function singlePage<Row>(rows: readonly Row[]): Pages<Row> {
  return {
    rows,
    error: null,
    isPending: false,
    isFetching: false,
    hasNextPage: false,
    isFetchingNextPage: false,
    fetchNextPage: nothing,
    refetch: nothing,
  }
}

/** The rows of a read that returns all rows at once. */
export function toPages<Value, Row>(
  read: UseQueryResult<Value, Problem>,
  rowsOf: (value: Value) => readonly Row[],
): Pages<Row> {
  const { data, error, isPending, isFetching, refetch } = read
  return { ...singlePage(data === undefined ? [] : rowsOf(data)), error, isPending, isFetching, refetch }
}
