import { createHash } from 'node:crypto'
import { Cron } from 'croner'
import type { Database } from '../../kernel/storage/database.ts'
import type { JobSchedule } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { newJobRow } from './job-queue.ts'

/** Wait before a next run that could not be written is tried again. */
const RETRY_AFTER_MS = 5_000

export interface JobSchedulesOptions {
  readonly database: Pick<Database, 'batch' | 'compile'>
  readonly clock: SharedClock
  readonly schedules: readonly JobSchedule[]
  readonly logError: (name: string, error: unknown) => void
}

/**
 * Keeps the next run of every schedule in the jobs table, so that a run missed while nothing was running is made up for once.
 * The job's id follows from schedule and time: several nodes write the same row. Returns the function that ends it.
 * Throws for a pattern that is none.
 */
export function startJobSchedules({ database, clock, schedules, logError }: JobSchedulesOptions): () => void {
  const cancelByName = new Map<string, () => void>()

  const scheduleNext = async (schedule: JobSchedule, cron: Cron, after: number): Promise<void> => {
    const next = cron.nextRun(new Date(after))?.getTime()
    if (next === undefined) return
    // Armed before the write, so that a stop meanwhile finds a timer to cancel.
    const startTimer = (delayMs: number, from: number): void => {
      cancelByName.get(schedule.name)?.()
      cancelByName.set(
        schedule.name,
        // A process that was paused for long goes on from now: what it missed is made up for once, not tick by tick.
        clock.after(delayMs, () => void scheduleNext(schedule, cron, Math.max(from, clock.now()))),
      )
    }
    startTimer(Math.max(0, next - clock.now()), next)
    try {
      await database.batch([{ query: compileRun(database, schedule, next, clock.now()) }])
    } catch (error) {
      logError(`schedule ${schedule.name}`, error)
      if (cancelByName.has(schedule.name)) startTimer(RETRY_AFTER_MS, after)
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

function compileRun({ compile }: Pick<Database, 'compile'>, schedule: JobSchedule, runAt: number, now: number) {
  const digest = createHash('sha256').update(`${schedule.name}\n${runAt}`).digest('hex')
  const row = newJobRow({ kind: schedule.kind, payload: schedule.payload, runAt }, `job_${digest.slice(0, 26)}`, now)
  return compile
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .compile()
}
