import type { CallEvent } from '@parley/contract/call-event'
import { sql } from 'kysely'
import type { BatchStatement, Database, Reader } from '../../../kernel/storage/database.ts'
import { prepareQuery } from '../../../kernel/storage/prepared-query.ts'
import type { CallEventRow } from '../../../tables/call-tables.ts'

/** Maximum number of events in one read. A day-long call produces fewer events. */
const MAX_EVENTS = 50_000

/**
 * Builds a statement that inserts events of live calls only. A node that reconnects to the database may find its
 * calls ended as lost and their content removed. Existing events stay unchanged.
 */
export function buildAppendStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  rows: readonly CallEventRow[],
): BatchStatement {
  const fields = rows.map(
    ({ call_id, position, at_ms, created_at, type, content }) => sql`(
      cast(${call_id} as text), cast(${position} as integer), cast(${at_ms} as integer),
      cast(${created_at} as bigint), cast(${type} as text), cast(${content} as text))`,
  )
  const query = sql`
    with added (call_id, "position", at_ms, created_at, "type", content) as (values ${sql.join(fields)})
    insert into call_events (call_id, "position", at_ms, created_at, "type", content)
    select call_id, "position", at_ms, created_at, "type", content from added
    where exists (select 1 from calls where calls.call_id = added.call_id and calls.status = 'ongoing')
    on conflict (call_id, "position") do nothing`
  return { query: query.compile(queryBuilder) }
}

/** Builds a statement that writes events. Existing events stay unchanged, so the statement is idempotent. */
export function buildInsertStatement(
  database: Pick<Database, 'queryBuilder'>,
  rows: readonly CallEventRow[],
): BatchStatement {
  const query = database.queryBuilder
    .insertInto('call_events')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['call_id', 'position']).doNothing())
  return { query: query.compile() }
}

type StoredEvent = Omit<CallEventRow, 'call_id'>

const queryEvents = prepareQuery<{ callId: string; fromPosition: number; limit: number }, StoredEvent>(
  (reader, param) =>
    reader
      .selectFrom('call_events')
      .select(['position', 'at_ms', 'created_at', 'type', 'content'])
      .where('call_id', '=', param('callId'))
      .where('position', '>=', param('fromPosition'))
      .orderBy('position')
      .limit(param('limit')),
)

/** Reads events in order, from a position to the end of the call. */
export async function readEvents(
  reader: Reader,
  callId: string,
  { fromPosition = 0, limit = MAX_EVENTS }: { readonly fromPosition?: number; readonly limit?: number } = {},
): Promise<CallEvent[]> {
  const rows = await queryEvents(reader, { callId, fromPosition, limit })
  const endIndex = rows.findIndex((row) => row.type === 'call-ended')
  return (endIndex === -1 ? rows : rows.slice(0, endIndex + 1)).map(toEvent)
}

function toEvent({ position, at_ms, created_at, type, content }: StoredEvent): CallEvent {
  const fields = JSON.parse(content) as object
  const at = new Date(created_at).toISOString()
  return { ...fields, position, atMs: at_ms, at, type } as CallEvent
}
