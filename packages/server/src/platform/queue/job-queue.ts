import { createHash } from 'node:crypto'
import type { MakeId } from '@parley/engine/ports'
import { Cron } from 'croner'
import type { CompiledQuery } from 'kysely'
import type { Database } from '../../kernel/storage/database.ts'
import type { JobQueue, JobSchedule, NewJob } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { JobRow } from '../../tables/work-tables.ts'
import { NO_WORKSPACE } from './job-claims.ts'

const MAX_ATTEMPTS = 10

export interface JobQueueOptions {
  readonly database: Pick<Database, 'queryBuilder'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
}

/** Creates the job queue. Committing a job notifies workers. */
export function createJobQueue({ database, clock, makeId }: JobQueueOptions): JobQueue {
  const compileJob = (job: NewJob): { jobId: string; query: CompiledQuery } => {
    const row = buildJobRow(job, makeId('job'), clock.now())
    return { jobId: row.job_id, query: database.queryBuilder.insertInto('jobs').values(row).compile() }
  }
  return {
    async enqueue(transaction, job) {
      const { jobId, query } = compileJob(job)
      await transaction.executeQuery(query)
      return jobId
    },
    buildEnqueueStatement: compileJob,
  }
}

function buildJobRow(job: NewJob, jobId: string, now: number): JobRow {
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

/** Delay before retrying a failed write of the next run. */
const RETRY_AFTER_MS = 5_000

interface JobSchedulesOptions {
  readonly database: Pick<Database, 'batch' | 'queryBuilder'>
  readonly clock: SharedClock
  readonly schedules: readonly JobSchedule[]
  readonly logError: (name: string, error: unknown) => void
}

/**
 * Keeps the next run of every schedule in the jobs table, so that a run missed during downtime runs once afterwards. The job id
 * derives from schedule and time, so several nodes write the same row. Returns the stop function. Throws if a pattern is
 * invalid.
 */
export function startJobSchedules({ database, clock, schedules, logError }: JobSchedulesOptions): () => void {
  const cancelByName = new Map<string, () => void>()

  const scheduleNext = async (schedule: JobSchedule, cron: Cron, afterMs: number): Promise<void> => {
    const nextRunAt = cron.nextRun(new Date(afterMs))?.getTime()
    if (nextRunAt === undefined) return
    // The timer starts before the write, so that a concurrent stop can cancel it.
    const startTimer = (delayMs: number, earliestMs: number): void => {
      cancelByName.get(schedule.name)?.()
      cancelByName.set(
        schedule.name,
        // After a long pause of the process, the missed runs are replaced by a single run.
        clock.after(delayMs, () => void scheduleNext(schedule, cron, Math.max(earliestMs, clock.now()))),
      )
    }
    startTimer(Math.max(0, nextRunAt - clock.now()), nextRunAt)
    try {
      await database.batch([{ query: compileRun(database, schedule, nextRunAt, clock.now()) }])
    } catch (error) {
      logError(`schedule ${schedule.name}`, error)
      if (cancelByName.has(schedule.name)) startTimer(RETRY_AFTER_MS, afterMs)
    }
  }

  for (const schedule of schedules) {
    void scheduleNext(schedule, new Cron(schedule.pattern, { timezone: 'UTC' }), clock.now())
  }
  return () => {
    for (const cancel of cancelByName.values()) cancel()
    cancelByName.clear()
  }
}

function compileRun(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  schedule: JobSchedule,
  runAt: number,
  now: number,
) {
  const digest = createHash('sha256').update(`${schedule.name}\n${runAt}`).digest('hex')
  const row = buildJobRow({ kind: schedule.kind, payload: schedule.payload, runAt }, `job_${digest.slice(0, 26)}`, now)
  return queryBuilder
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .compile()
}
