import type { JsonValue } from '@parley/engine/ports'
import type { UpdateObject } from 'kysely'
import type { BatchStatement, Database, Transaction } from '../../kernel/database.ts'
import type { Job } from '../../kernel/jobs.ts'
import type { JobRow } from '../../kernel/tables/work-tables.ts'
import type { Tables } from '../../kernel/tables.ts'

type Changes = UpdateObject<Tables, 'jobs', 'jobs'>

/** Rows removed by one statement, so that a large backlog does not hold the writer. */
const MOST_FORGOTTEN = 500

const FREE: Changes = { leased_by: null, lease_until: null }

export interface Claim {
  readonly kinds: readonly string[]
  readonly limit: number
  readonly now: number
  readonly leasedBy: string
  readonly leaseUntil: number
}

/** When the earliest waiting job of these kinds may start; null when none waits. */
export async function readNextRunAt(
  { read }: Pick<Database, 'read'>,
  kinds: readonly string[],
): Promise<number | null> {
  const next = await read
    .selectFrom('jobs')
    .select('run_at')
    .where('status', '=', 'pending')
    .where('kind', 'in', kinds)
    .orderBy('run_at')
    .limit(1)
    .executeTakeFirst()
  return next?.run_at ?? null
}

/** Takes due jobs, oldest first, for the claimant. Their attempt counts from this moment, so that a crash uses one up. */
export async function claimJobs(
  transaction: Transaction,
  { kinds, limit, now, leasedBy, leaseUntil }: Claim,
  skipLocked: boolean,
): Promise<Job[]> {
  const due = transaction
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', 'pending')
    .where('run_at', '<=', now)
    .where('kind', 'in', kinds)
    .orderBy('run_at')
    .limit(limit)
  const rows = await transaction
    .updateTable('jobs')
    .set((job) => ({
      status: 'running',
      leased_by: leasedBy,
      lease_until: leaseUntil,
      attempts: job('attempts', '+', 1),
    }))
    .where('job_id', 'in', skipLocked ? due.forUpdate().skipLocked() : due)
    .returningAll()
    .execute()
  return rows.sort((a, b) => a.run_at - b.run_at).map(jobOfRow)
}

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
export async function hasLapsedJobs({ read }: Pick<Database, 'read'>, now: number): Promise<boolean> {
  const lapsed = await read
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', 'running')
    .where('lease_until', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return lapsed !== undefined
}

/** The statements of a worker: `batch` runs them. */
export function createJobStatements({ compile }: Pick<Database, 'compile'>, leasedBy: string) {
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
    finish: (job: Job, now: number) => change(job, { status: 'done', ended_at: now, last_error: null }),
    retry: (job: Job, runAt: number, error: string) =>
      change(job, { status: 'pending', run_at: runAt, last_error: error }),
    fail: (job: Job, now: number, error: string) => change(job, { status: 'failed', ended_at: now, last_error: error }),
    /** A stop is not the job's fault: the attempt does not count. */
    handBack: (job: Job) => change(job, { status: 'pending', attempts: job.attempt - 1 }),
    renew: (leaseUntil: number): BatchStatement => ({
      query: compile
        .updateTable('jobs')
        .set({ lease_until: leaseUntil })
        .where('status', '=', 'running')
        .where('leased_by', '=', leasedBy)
        .compile(),
    }),
  }
}

/** Frees the jobs of dead workers: those with attempts left wait again, the others have failed. */
export function recoverLapsedJobs({ compile }: Pick<Database, 'compile'>, now: number): BatchStatement[] {
  const lapsed = compile.updateTable('jobs').where('status', '=', 'running').where('lease_until', '<=', now)
  const last_error = 'The process that ran the job stopped.'
  return [
    lapsed
      .set({ ...FREE, status: 'failed', ended_at: now, last_error })
      .whereRef('attempts', '>=', 'max_attempts')
      .compile(),
    lapsed.set({ ...FREE, status: 'pending', run_at: now, last_error }).compile(),
  ].map((query) => ({ query }))
}

/** Removes ended jobs that nobody will ask about any more. */
export function forgetEndedJobs(
  { compile }: Pick<Database, 'compile'>,
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
    .limit(MOST_FORGOTTEN)
  return { query: compile.deleteFrom('jobs').where('job_id', 'in', old).compile() }
}

function jobOfRow(row: JobRow): Job {
  return {
    jobId: row.job_id,
    kind: row.kind,
    payload: JSON.parse(row.payload) as JsonValue,
    attempt: row.attempts,
    maxAttempts: row.max_attempts,
  }
}
