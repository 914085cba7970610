import type { UpdateObject } from 'kysely'
import { BatchConflictError, type BatchStatement, type Database } from '../../kernel/storage/database.ts'
import { prepareStatement } from '../../kernel/storage/prepared-query.ts'
import type { Job } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { Tables } from '../../tables/tables.ts'

type Changes = UpdateObject<Tables, 'jobs', 'jobs'>

/** Maximum number of rows per statement, so that a large backlog does not block the writer or take too many locks. */
const MAX_ROWS = 500

const UNLEASED: Changes = { leased_by: null, lease_until: null }

/** Returns the ids of the jobs that a worker holds. */
export async function readHeldJobIds({ read }: Pick<Database, 'read'>, leasedBy: string): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', 'running')
    .where('leased_by', '=', leasedBy)
    .execute()
  return new Set(rows.map((row) => row.job_id))
}

/** Whether a crashed worker left running jobs. */
export async function hasExpiredJobs({ read }: Pick<Database, 'read'>, now: number): Promise<boolean> {
  const expiredJob = await read
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', 'running')
    .where('lease_until', '<=', now)
    .limit(1)
    .executeTakeFirst()
  return expiredJob !== undefined
}

const finishJob = prepareStatement<{ jobId: string; leasedBy: string; attempt: number; now: number }>((reader, param) =>
  reader
    .updateTable('jobs')
    .set({ ...UNLEASED, status: 'done', ended_at: param('now'), last_error: null })
    .where('job_id', '=', param('jobId'))
    .where('leased_by', '=', param('leasedBy'))
    .where('attempts', '=', param('attempt')),
)

/** Creates the batch statements of a worker. */
export function createJobStatements(database: Pick<Database, 'queryBuilder'>, leasedBy: string) {
  const { queryBuilder } = database
  /** Changes a job if this worker still runs this attempt; otherwise, the batch fails. */
  const buildChange = (job: Job, changes: Changes): BatchStatement => ({
    query: queryBuilder
      .updateTable('jobs')
      .set({ ...UNLEASED, ...changes })
      .where('job_id', '=', job.jobId)
      .where('leased_by', '=', leasedBy)
      .where('attempts', '=', job.attempt)
      .compile(),
    expectRows: 1,
  })
  return {
    buildFinish: ({ jobId, attempt }: Job, now: number): BatchStatement => ({
      query: finishJob(database, { jobId, leasedBy, attempt, now }),
      expectRows: 1,
    }),
    buildRetry: (job: Job, runAt: number, error: string) =>
      buildChange(job, { status: 'pending', run_at: runAt, last_error: error }),
    buildFailure: (job: Job, now: number, error: string) =>
      buildChange(job, { status: 'failed', ended_at: now, last_error: error }),
    /** Stopping a job does not count as an attempt. */
    buildRelease: (job: Job) => buildChange(job, { status: 'pending', attempts: job.attempt - 1 }),
    /**
     * Builds statements that renew only running jobs. A job that was claimed or ended without this worker's knowledge expires.
     */
    buildRenewals(jobIds: readonly string[], leaseUntil: number): BatchStatement[] {
      const statements: BatchStatement[] = []
      for (let start = 0; start < jobIds.length; start += MAX_ROWS) {
        const query = queryBuilder
          .updateTable('jobs')
          .set({ lease_until: leaseUntil })
          .where('job_id', 'in', jobIds.slice(start, start + MAX_ROWS))
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
 * Builds statements that free jobs of crashed workers: jobs with attempts left become pending, others fail. Workers can do this concurrently, and
 * each job is freed once.
 */
export function buildRecoveryStatements(
  { queryBuilder, capabilities }: Pick<Database, 'queryBuilder' | 'capabilities'>,
  now: number,
): BatchStatement[] {
  const buildRecovery = (changes: Changes, isExhausted: boolean): BatchStatement => {
    const expiredJobs = queryBuilder
      .selectFrom('jobs')
      .select('job_id')
      .where('status', '=', 'running')
      .where('lease_until', '<=', now)
      .whereRef('attempts', isExhausted ? '>=' : '<', 'max_attempts')
      .limit(MAX_ROWS)
    const query = queryBuilder
      // Skips rows locked by other workers, because waiting for them could deadlock.
      .with('lapsed', () => (capabilities.skipLocked ? expiredJobs.forUpdate().skipLocked() : expiredJobs))
      .updateTable('jobs')
      .set({ ...UNLEASED, ...changes, last_error: 'The process running the job stopped.' })
      .where('job_id', 'in', (select) => select.selectFrom('lapsed').select('lapsed.job_id'))
      .compile()
    return { query }
  }
  return [
    buildRecovery({ status: 'failed', ended_at: now }, true),
    buildRecovery({ status: 'pending', run_at: now }, false),
  ]
}

/** Builds a statement that deletes old ended jobs. */
export function buildCleanupStatement(
  { queryBuilder, capabilities }: Pick<Database, 'queryBuilder' | 'capabilities'>,
  status: 'done' | 'failed',
  endedBefore: number,
): BatchStatement {
  const oldJobs = queryBuilder
    .selectFrom('jobs')
    .select('job_id')
    .where('status', '=', status)
    // A job ends after its run time, so this condition finds the candidates by the index.
    .where('run_at', '<', endedBefore)
    .where('ended_at', '<', endedBefore)
    .limit(MAX_ROWS)
  const query = queryBuilder
    .with('old', () => (capabilities.skipLocked ? oldJobs.forUpdate().skipLocked() : oldJobs))
    .deleteFrom('jobs')
    .where('job_id', 'in', (select) => select.selectFrom('old').select('old.job_id'))
    .compile()
  return { query }
}

const RETRY_AFTER_MS = 1_000
/** Within this many retries, a database outage does not make finished jobs run twice. */
const MAX_FAILURES = 60

interface JobOutcomesOptions {
  readonly database: Pick<Database, 'batch'>
  readonly clock: SharedClock
  readonly logError: (name: string, error: unknown) => void
}

/** Writes the outcomes of a worker's jobs, one batch at a time. */
export interface JobOutcomes {
  /**
   * Writes a job's outcome. Resolves when the outcome is stored or abandoned. Outcomes that arrive during a running batch share
   * the next batch. A job that lost its lease does not affect the others.
   */
  write(job: Job, statement: BatchStatement): Promise<void>
  /** Runs other writes to the same rows while no batch is running, because concurrent writes could deadlock. */
  exclusively(work: () => Promise<void>): Promise<void>
  /** Stops retrying failed writes from now on. */
  stopRetrying(): void
}

interface Entry {
  readonly job: Job
  readonly statement: BatchStatement
  readonly completion: PromiseWithResolvers<void>
}

export function createJobOutcomes({ database, clock, logError }: JobOutcomesOptions): JobOutcomes {
  let waitingEntries: Entry[] = []
  let lastWork: Promise<void> = Promise.resolve()
  const retriesStopped = Promise.withResolvers<void>()
  let isRetryStopped = false

  const runExclusively = (work: () => Promise<void>): Promise<void> => {
    const workPromise = lastWork.then(work)
    lastWork = workPromise.catch(() => undefined)
    return workPromise
  }

  const abandonEntries = (entries: readonly Entry[], action: string, error: unknown): void => {
    for (const { job, completion } of entries) {
      logError(`${action} job ${job.kind} ${job.jobId}`, error)
      completion.resolve()
    }
  }

  const pause = async (): Promise<void> => {
    const pauseEnded = Promise.withResolvers<void>()
    const cancel = clock.after(RETRY_AFTER_MS, pauseEnded.resolve)
    await Promise.race([pauseEnded.promise, retriesStopped.promise])
    cancel()
  }

  const writeWaiting = async (): Promise<void> => {
    const entries = waitingEntries
    waitingEntries = []
    for (let failureCount = 0; entries.length > 0; ) {
      try {
        await database.batch(entries.map(({ statement }) => statement))
        for (const { completion } of entries) completion.resolve()
        return
      } catch (error) {
        if (error instanceof BatchConflictError) {
          abandonEntries(entries.splice(error.statement, 1), 'lost the lease of', error)
          continue
        }
        failureCount += 1
        // The lease expires and the job is retried.
        if (isRetryStopped || failureCount >= MAX_FAILURES)
          return abandonEntries(entries, 'could not write the outcome of', error)
        logError(`write the outcomes of ${entries.length} jobs, attempt ${failureCount}`, error)
        await pause()
      }
    }
  }

  return {
    write(job, statement) {
      const completion = Promise.withResolvers<void>()
      if (waitingEntries.push({ job, statement, completion }) === 1) void runExclusively(writeWaiting)
      return completion.promise
    },
    exclusively: runExclusively,
    stopRetrying() {
      isRetryStopped = true
      retriesStopped.resolve()
    },
  }
}
