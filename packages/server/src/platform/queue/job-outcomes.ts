import { BatchConflictError, type BatchStatement, type Database } from '../../kernel/storage/database.ts'
import type { Job } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'

const RETRY_AFTER_MS = 1_000
/** An outage of the database up to this long does not make jobs run twice whose end could not be written. */
const MAX_FAILURES = 60

export interface JobOutcomesOptions {
  readonly database: Pick<Database, 'batch'>
  readonly clock: SharedClock
  readonly logError: (name: string, error: unknown) => void
}

/** What a worker writes about the jobs that it holds, one batch at a time. */
export interface JobOutcomes {
  /**
   * Writes what became of a job; resolves when that stands in the database or never will. What comes while a batch is under
   * way shares the next one, and one that lost its lease does not touch the others.
   */
  write(job: Job, statement: BatchStatement): Promise<void>
  /** Runs other writes about the same rows while no batch is under way: two at once could wait for each other. */
  exclusively(work: () => Promise<void>): Promise<void>
  /** From now on what cannot be written is not tried again. */
  stopRetrying(): void
}

interface Entry {
  readonly job: Job
  readonly statement: BatchStatement
  readonly written: PromiseWithResolvers<void>
}

export function createJobOutcomes({ database, clock, logError }: JobOutcomesOptions): JobOutcomes {
  let waiting: Entry[] = []
  let last: Promise<void> = Promise.resolve()
  const retriesStopped = Promise.withResolvers<void>()
  let isRetryStopped = false

  const exclusively = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  const abandonEntries = (entries: readonly Entry[], what: string, error: unknown): void => {
    for (const { job, written } of entries) {
      logError(`${what} job ${job.kind} ${job.jobId}`, error)
      written.resolve()
    }
  }

  const pause = async (): Promise<void> => {
    const pauseEnded = Promise.withResolvers<void>()
    const cancel = clock.after(RETRY_AFTER_MS, pauseEnded.resolve)
    await Promise.race([pauseEnded.promise, retriesStopped.promise])
    cancel()
  }

  const writeWaiting = async (): Promise<void> => {
    const entries = waiting
    waiting = []
    for (let failures = 0; entries.length > 0; ) {
      try {
        await database.batch(entries.map(({ statement }) => statement))
        for (const { written } of entries) written.resolve()
        return
      } catch (error) {
        if (error instanceof BatchConflictError) {
          abandonEntries(entries.splice(error.statement, 1), 'lost the lease of', error)
          continue
        }
        failures += 1
        // The lease lapses and the job is tried again.
        if (isRetryStopped || failures >= MAX_FAILURES)
          return abandonEntries(entries, 'could not write the end of', error)
        logError(`write the ends of ${entries.length} jobs, attempt ${failures}`, error)
        await pause()
      }
    }
  }

  return {
    write(job, statement) {
      const written = Promise.withResolvers<void>()
      if (waiting.push({ job, statement, written }) === 1) void exclusively(writeWaiting)
      return written.promise
    },
    exclusively,
    stopRetrying() {
      isRetryStopped = true
      retriesStopped.resolve()
    },
  }
}
