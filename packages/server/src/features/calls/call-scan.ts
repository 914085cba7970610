import { sql } from 'kysely'
import type { Reader } from '../../kernel/storage/database.ts'
import { containsText } from '../../kernel/storage/text.ts'
import { type CallFilter, type CallPageIds, offsetOf, type PageNumber } from './call-filter.ts'
import { selectCallIds } from './call-pages.ts'
import { isInEveryId } from './search-term.ts'

/** Calls that a search without an index looks at: what is done on the way of one request has a bound. */
const MAX_SCANNED_CALLS = 10_000

/** The newest calls of the filter that have the text in one of theirs: a page, and how many there are among those looked at. */
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
