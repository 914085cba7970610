import type { UpdateObject } from 'kysely'
import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import { prepareStatement } from '../../kernel/storage/prepared-query.ts'
import type { Job } from '../../kernel/work/jobs.ts'
import type { Tables } from '../../tables/tables.ts'

type Changes = UpdateObject<Tables, 'jobs', 'jobs'>

/** Rows changed by one statement, so that a large backlog does not hold the writer or too many locks. */
const MOST_AT_ONCE = 500

const FREE: Changes = { leased_by: null, lease_until: null }

/** Ids of the jobs that a worker holds. */
export async function readHeldJobIds({ read }: Pick<Database, 'read'>, leasedBy: string): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', 'running')
    .where('leased_by', '=', leasedBy)
    .execute()
  return new Set(rows.map((row) => row.job_id))
}

/** Whether a worker died with jobs in its hands. */
export async function hasExpiredJobs({ read }: Pick<Database, 'read'>, now: number): Promise<boolean> {
  const lapsed = await read
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', 'running')
    .where('lease_until', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return lapsed !== undefined
}

const finishJob = prepareStatement<{ jobId: string; leasedBy: string; attempt: number; now: number }>((reader, slot) =>
  reader
    .updateTable('jobs')
    .set({ ...FREE, status: 'done', ended_at: slot('now'), last_error: null })
    .where('job_id', '=', slot('jobId'))
    .where('leased_by', '=', slot('leasedBy'))
    .where('attempts', '=', slot('attempt')),
)

/** The statements of a worker: `batch` runs them. */
export function createJobStatements(database: Pick<Database, 'compile'>, leasedBy: string) {
  const { compile } = database
  /** Changes one job if this worker still holds this attempt of it; else the batch fails. */
  const change = (job: Job, changes: Changes): BatchStatement => ({
    query: compile
      .updateTable('jobs')
      .set({ ...FREE, ...changes })
      .where('job_id', '=', job.jobId)
      .where('leased_by', '=', leasedBy)
      .where('attempts', '=', job.attempt)
      .compile(),
    expectRows: 1,
  })
  return {
    finish: ({ jobId, attempt }: Job, now: number): BatchStatement => ({
      query: finishJob(database, { jobId, leasedBy, attempt, now }),
      expectRows: 1,
    }),
    retry: (job: Job, runAt: number, error: string) =>
      change(job, { status: 'pending', run_at: runAt, last_error: error }),
    fail: (job: Job, now: number, error: string) => change(job, { status: 'failed', ended_at: now, last_error: error }),
    /** A stop is not the job's fault: the attempt does not count. */
    releaseJob: (job: Job) => change(job, { status: 'pending', attempts: job.attempt - 1 }),
    /** Only jobs that really run: one that was claimed or ended without this worker knowing is to lapse. */
    renew(jobIds: readonly string[], leaseUntil: number): BatchStatement[] {
      const statements: BatchStatement[] = []
      for (let start = 0; start < jobIds.length; start += MOST_AT_ONCE) {
        const query = compile
          .updateTable('jobs')
          .set({ lease_until: leaseUntil })
          .where('job_id', 'in', jobIds.slice(start, start + MOST_AT_ONCE))
          .where('status', '=', 'running')
          .where('leased_by', '=', leasedBy)
          .compile()
        statements.push({ query })
      }
      return statements
    },
  }
}

/**
 * Frees jobs of dead workers: those with attempts left wait again, the others have failed. Several workers may do this at
 * once: each job is freed by one of them.
 */
export function recoverExpiredJobs(
  { compile, capabilities }: Pick<Database, 'compile' | 'capabilities'>,
  now: number,
): BatchStatement[] {
  const free = (changes: Changes, isExhausted: boolean): BatchStatement => {
    const lapsed = compile
      .selectFrom('jobs')
      .select('job_id')
      .where('status', '=', 'running')
      .where('lease_until', '<=', now)
      .whereRef('attempts', isExhausted ? '>=' : '<', 'max_attempts')
      .limit(MOST_AT_ONCE)
    const query = compile
      // Rows that another one has locked are about to change: waiting for them could end in a deadlock.
      .with('lapsed', () => (capabilities.skipLocked ? lapsed.forUpdate().skipLocked() : lapsed))
      .updateTable('jobs')
      .set({ ...FREE, ...changes, last_error: 'The process that ran the job stopped.' })
      .where('job_id', 'in', (select) => select.selectFrom('lapsed').select('lapsed.job_id'))
      .compile()
    return { query }
  }
  return [free({ status: 'failed', ended_at: now }, true), free({ status: 'pending', run_at: now }, false)]
}

/** Removes ended jobs that nobody will ask about any more. */
export function forgetEndedJobs(
  { compile, capabilities }: Pick<Database, 'compile' | 'capabilities'>,
  status: 'done' | 'failed',
  endedBefore: number,
): BatchStatement {
  const old = compile
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', status)
    // A job ends after its time to run: this finds the candidates through the index.
    .where('run_at', '<', endedBefore)
    .where('ended_at', '<', endedBefore)
    .limit(MOST_AT_ONCE)
  const query = compile
    .with('old', () => (capabilities.skipLocked ? old.forUpdate().skipLocked() : old))
    .deleteFrom('jobs')
    .where('job_id', 'in', (select) => select.selectFrom('old').select('old.job_id'))
    .compile()
  return { query }
}
