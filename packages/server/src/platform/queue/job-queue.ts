import type { MakeId } from '@parley/engine/ports'
import type { CompiledQuery } from 'kysely'
import type { Database } from '../../kernel/storage/database.ts'
import type { JobQueue, NewJob } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { JobRow } from '../../tables/work-tables.ts'
import { NO_WORKSPACE } from './job-claims.ts'

const MAX_ATTEMPTS = 10

export interface JobQueueOptions {
  readonly database: Pick<Database, 'compile'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
}

/** The writing side of the jobs table. Workers learn of new jobs from the commit, not from here. */
export function createJobQueue({ database, clock, makeId }: JobQueueOptions): JobQueue {
  const compileJob = (job: NewJob): { jobId: string; query: CompiledQuery } => {
    const row = newJobRow(job, makeId('job'), clock.now())
    return { jobId: row.job_id, query: database.compile.insertInto('jobs').values(row).compile() }
  }
  return {
    async enqueue(transaction, job) {
      const { jobId, query } = compileJob(job)
      await transaction.executeQuery(query)
      return jobId
    },
    statement: compileJob,
  }
}

export function newJobRow(job: NewJob, jobId: string, now: number): JobRow {
  return {
    job_id: jobId,
    kind: job.kind,
    workspace_id: job.workspaceId ?? NO_WORKSPACE,
    payload: JSON.stringify(job.payload),
    status: 'pending',
    run_at: job.runAt ?? now,
    attempts: 0,
    max_attempts: job.maxAttempts ?? MAX_ATTEMPTS,
    leased_by: null,
    lease_until: null,
    last_error: null,
    created_at: now,
    ended_at: null,
  }
}
