import type { Capabilities, Reader } from '../../kernel/storage/database.ts'
import type { CallFilter, CallPageIds, PageNumber } from './call-filter.ts'
import { scanCalls } from './call-scan.ts'
import { searchByMatch } from './search-by-match.ts'
import { searchByPattern } from './search-by-pattern.ts'
import type { IndexedTerm } from './search-term.ts'

/** Finds calls by three characters or more: a page of them, newest first, and how many there are. */
export type SearchCalls = (
  reader: Reader,
  filter: CallFilter,
  term: IndexedTerm,
  page: PageNumber,
) => Promise<CallPageIds>

/** The best way that the database has; without an index only the newest calls are looked at. */
export function chooseSearch({
  trigramIndex,
  trigramOperators,
}: Pick<Capabilities, 'trigramIndex' | 'trigramOperators'>): SearchCalls {
  if (trigramIndex) return searchByMatch
  if (trigramOperators) return searchByPattern
  return (reader, filter, { text }, page) => scanCalls(reader, filter, text, page)
}
