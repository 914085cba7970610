import type { Pages } from './hooks.ts'

const nothing = async (): Promise<never> => Promise.reject(new Error('Everything is here.'))

/** Rows that are all here, as a list reads them. */
export function wholeList<Row>(rows: readonly Row[]): Pages<Row> {
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
