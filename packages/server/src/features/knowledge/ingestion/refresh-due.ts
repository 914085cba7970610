import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import type { IngestionDependencies } from './ingest-ports.ts'
import { refreshBase } from './refresh-base.ts'

const KIND = 'knowledge-refresh-due'
const BASES_PER_BATCH = 50

type RefreshDueDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs'>

/** Every few minutes: begins the refreshes that are due. */
export function createDueRefreshes({ database, clock, makeId, jobs }: RefreshDueDependencies): {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
} {
  const refresh = (knowledgeBaseId: string, now: number): Promise<boolean> =>
    database.transaction(async (transaction) => {
      // Another run may have begun it already.
      const { numUpdatedRows } = await transaction
        .updateTable('knowledge_bases')
        .set({ refresh_due_at: null })
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('refresh_due_at', '<=', now)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) return false
      await refreshBase(transaction, { knowledgeBaseId, now }, { jobs, makeId })
      return true
    })

  const run: JobHandler['run'] = async (_job, signal) => {
    const now = clock.now()
    for (;;) {
      signal.throwIfAborted()
      const due = await database.read
        .selectFrom('knowledge_bases')
        .select('knowledge_base_id')
        .where('refresh_due_at', '<=', now)
        .where('edit_count', '>', 0)
        .orderBy('refresh_due_at')
        .orderBy('knowledge_base_id')
        .limit(BASES_PER_BATCH)
        .execute()
      for (const { knowledge_base_id } of due) await refresh(knowledge_base_id, now)
      if (due.length < BASES_PER_BATCH) return
    }
  }

  return {
    handlers: { [KIND]: { run } },
    schedules: [{ name: KIND, pattern: '1-59/3 * * * *', kind: KIND, payload: {} }],
  }
}
