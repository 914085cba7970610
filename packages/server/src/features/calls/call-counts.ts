import { sql } from 'kysely'
import type { Database } from '../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'

/** Changes that are folded at once: writers of these rows wait for nobody, but what one statement does has a bound. */
const CHANGES_PER_COMPACTION = 20_000
/** Fewer than these are left to the next run. */
const MIN_CHANGES_TO_COMPACT = 1_000
/** Of one run. */
const MAX_COMPACTIONS = 500

type CompactionDatabase = Pick<Database, 'read' | 'batch' | 'compile' | 'capabilities'>

/** What keeps the totals of calls cheap to read where writers leave changes of them behind. */
export interface CallCountCompaction {
  readonly handler: JobHandler
  /** None where counts are always sums. */
  readonly schedules: readonly JobSchedule[]
}

export function createCallCountCompaction(database: CompactionDatabase): CallCountCompaction {
  const kind = 'fold-call-counts'
  const schedule = { name: kind, pattern: '* * * * *', kind, payload: {} }
  return {
    handler: { run: (_job, signal) => compactCallCounts(database, signal) },
    schedules: database.capabilities.spreadCounts ? [schedule] : [],
  }
}

/** Adds the changes of counts to their sums. Totals are the same before, after and meanwhile. */
export async function compactCallCounts(database: CompactionDatabase, signal?: AbortSignal): Promise<void> {
  if (!database.capabilities.spreadCounts) return
  for (let compaction = 0; compaction < MAX_COMPACTIONS && signal?.aborted !== true; compaction += 1) {
    const query = compactQuery.compile(database.compile)
    const removeEmpty = database.compile.deleteFrom('call_count_sums').where('calls', '=', 0).compile()
    await database.batch([{ query }, { query: removeEmpty }])
    const rest = await database.read
      .selectFrom('call_count_changes')
      .select('calls')
      .limit(1)
      .offset(MIN_CHANGES_TO_COMPACT)
      .execute()
    if (rest.length === 0) return
  }
}

/** Another node that folds takes other rows. Sums are locked in one order, so that two of them cannot wait for each other. */
const compactQuery = sql`
  with taken as (
    delete from call_count_changes where ctid = any (array(
      select ctid from call_count_changes limit ${sql.lit(CHANGES_PER_COMPACTION)} for update skip locked
    ))
    returning workspace_id, period, agent_id, agent_version, status, hidden, calls
  )
  insert into call_count_sums as sums (workspace_id, period, agent_id, agent_version, status, hidden, calls)
  select workspace_id, period, agent_id, agent_version, status, hidden, sum(calls) from taken
  group by workspace_id, period, agent_id, agent_version, status, hidden having sum(calls) <> 0
  order by workspace_id, period, agent_id, agent_version, status, hidden
  on conflict (workspace_id, hidden, period, agent_id, agent_version, status)
  do update set calls = sums.calls + excluded.calls`
