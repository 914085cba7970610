import { type Kysely, sql } from 'kysely'
import type { PostgresConnections } from '../postgres-connections.ts'
import { buildTextIndex, callSideTables } from './0007-call-triggers-postgres.ts'
import { createCalls, createIndexes } from './0007-calls.ts'

/** The index exists only if call texts are indexed; see `hasTrigrams`. */
const TEXT_INDEX = 'call_search_texts'

/** Creates calls, their exact totals and their searchable texts, which are indexed if the server supports it. */
export async function addPostgresCalls(database: Kysely<unknown>): Promise<void> {
  await createCalls(database)
  await createIndexes(database)
  for (const statement of callSideTables) await sql.raw(statement).execute(database)
  await sql.raw(buildTextIndex(TEXT_INDEX)).execute(database)
}

/** Whether an index supports `like` on the searchable texts of calls, which requires an optional extension. */
export async function hasTrigrams(connections: Pick<PostgresConnections, 'run'>): Promise<boolean> {
  const { rows } = await connections.run('select 1 from pg_index where indexrelid = to_regclass($1) and indisvalid', [
    TEXT_INDEX,
  ])
  return rows.length > 0
}
