import type { Clock, MakeId } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../kernel/database.ts'
import type { Job, JobHandler, JobSchedule } from '../../kernel/jobs.ts'
import { startJobSchedules } from './job-schedules.ts'
import {
  claimJobs,
  createJobStatements,
  forgetEndedJobs,
  hasLapsedJobs,
  readHeldJobIds,
  readNextRunAt,
  recoverLapsedJobs,
} from './job-store.ts'

const CONCURRENCY = 20
const POLL_INTERVAL_MS = 1_000
/** Jobs of a dead worker wait this long. Renewed three times within it, so that two failed renewals do no harm. */
const LEASE_MS = 10_000
const JOB_TIMEOUT_MS = 300_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 3_600_000
const CLEANING_INTERVAL_MS = 3_600_000
const KEEP_DONE_MS = 3 * 86_400_000
const KEEP_FAILED_MS = 30 * 86_400_000
const ERROR_LENGTH = 500

export interface JobWorkerOptions {
  readonly database: Pick<Database, 'read' | 'compile' | 'transaction' | 'batch' | 'capabilities'>
  readonly clock: Clock
  readonly makeId: MakeId
  /** One handler per kind; jobs of other kinds are left to other workers. */
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly logError: (name: string, error: unknown) => void
  readonly schedules?: readonly JobSchedule[]
  /** Tells of commits that wrote jobs, so that they start at once; without it they wait for the next poll. */
  readonly onJobsWritten?: (listener: () => void) => () => void
  /** Jobs run at once. */
  readonly concurrency?: number
  readonly pollIntervalMs?: number
  readonly leaseMs?: number
}

export interface JobWorker {
  /** Begins to take jobs. Throws when a schedule's pattern is none. */
  start(): void
  /**
   * Takes no more jobs and waits for those that run, at most `deadlineMs`. The rest is aborted and handed back for another
   * worker, its attempt not counted.
   */
  stop(deadlineMs: number): Promise<void>
}

interface RunningJob {
  readonly job: Job
  readonly abort: AbortController
  /** The handler is through; what it came to may not be written yet. */
  ended: boolean
}

export function createJobWorker(options: JobWorkerOptions): JobWorker {
  return new TableJobWorker(options)
}

class TableJobWorker implements JobWorker {
  readonly #options: JobWorkerOptions
  readonly #kinds: readonly string[]
  readonly #concurrency: number
  readonly #leaseMs: number
  readonly #workerId: string
  readonly #statements: ReturnType<typeof createJobStatements>
  readonly #running = new Map<string, RunningJob>()
  readonly #cancels: (() => void)[] = []
  #cancelPoll: () => void = () => undefined
  #cancelHeartbeat: () => void = () => undefined
  #cancelCleaning: () => void = () => undefined
  #polling: Promise<void> | null = null
  #pollAgain = false
  #stopping = false
  #idle: PromiseWithResolvers<void> | null = null

  constructor(options: JobWorkerOptions) {
    this.#options = options
    this.#kinds = Object.keys(options.handlers)
    this.#concurrency = options.concurrency ?? CONCURRENCY
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    this.#workerId = options.makeId('worker')
    this.#statements = createJobStatements(options.database, this.#workerId)
  }

  start(): void {
    const { onJobsWritten, schedules = [], database, clock, logError } = this.#options
    if (this.#kinds.length === 0) return
    if (onJobsWritten !== undefined) this.#cancels.push(onJobsWritten(() => this.#poll()))
    this.#cancels.push(startJobSchedules({ database, clock, schedules, logError }))
    void this.#beat()
    void this.#clean()
    this.#poll()
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#stopping = true
    for (const cancel of this.#cancels.splice(0)) cancel()
    this.#cancelPoll()
    this.#cancelCleaning()
    // A claim under way may still bring jobs.
    await this.#polling
    if (this.#running.size > 0) await this.#waitForRunning(deadlineMs)
    this.#cancelHeartbeat()
    const left = [...this.#running.values()]
    this.#running.clear()
    for (const { job, abort } of left) {
      abort.abort(new Error('The process stops.'))
      await this.#write(job, this.#statements.handBack(job))
    }
  }

  async #waitForRunning(deadlineMs: number): Promise<void> {
    this.#idle = Promise.withResolvers()
    const cancel = this.#options.clock.after(deadlineMs, this.#idle.resolve)
    await this.#idle.promise
    cancel()
  }

  /** Looks for due jobs now; while it is looking already, once more afterwards. */
  #poll(): void {
    if (this.#stopping) return
    if (this.#polling !== null) {
      this.#pollAgain = true
      return
    }
    this.#cancelPoll()
    this.#polling = this.#takeDueJobs().finally(() => {
      this.#polling = null
      if (!this.#pollAgain) return
      this.#pollAgain = false
      this.#poll()
    })
  }

  async #takeDueJobs(): Promise<void> {
    const { database, clock, logError, pollIntervalMs = POLL_INTERVAL_MS } = this.#options
    let waitMs = pollIntervalMs
    try {
      const nextRunAt = await readNextRunAt(database, this.#kinds)
      const limit = this.#concurrency - this.#running.size
      if (nextRunAt !== null && limit > 0) {
        waitMs = Math.min(pollIntervalMs, Math.max(0, nextRunAt - clock.now()))
        if (waitMs === 0) waitMs = await this.#claim(limit)
      }
    } catch (error) {
      logError('take jobs', error)
    }
    if (!this.#stopping) this.#cancelPoll = clock.after(waitMs, () => this.#poll())
  }

  /** Claims and starts up to `limit` jobs; returns how long to wait before the next look. */
  async #claim(limit: number): Promise<number> {
    const { database, clock, pollIntervalMs = POLL_INTERVAL_MS } = this.#options
    const now = clock.now()
    const claim = { kinds: this.#kinds, limit, now, leasedBy: this.#workerId, leaseUntil: now + this.#leaseMs }
    const jobs = await database.transaction((transaction) =>
      claimJobs(transaction, claim, database.capabilities.skipLocked),
    )
    for (const job of jobs) {
      const running: RunningJob = { job, abort: new AbortController(), ended: false }
      this.#running.set(job.jobId, running)
      void this.#runJob(running)
    }
    // With every slot taken the next end of a job looks again; other workers may have been faster than this one.
    return jobs.length === limit || jobs.length === 0 ? pollIntervalMs : 0
  }

  async #runJob(running: RunningJob): Promise<void> {
    const { job } = running
    const { clock, logError, handlers } = this.#options
    const handler = handlers[job.kind]
    if (handler === undefined) return
    let statement: BatchStatement
    try {
      await this.#runWithin(handler, running)
      statement = this.#statements.finish(job, clock.now())
    } catch (error) {
      logError(`job ${job.kind} ${job.jobId}, attempt ${job.attempt} of ${job.maxAttempts}`, error)
      const now = clock.now()
      statement =
        job.attempt >= job.maxAttempts
          ? this.#statements.fail(job, now, describe(error))
          : this.#statements.retry(job, now + retryDelay(handler, job.attempt), describe(error))
    }
    running.ended = true
    // Handed back, or lost to another worker: what became of it is no longer ours to write.
    if (this.#running.get(job.jobId) !== running) return
    await this.#write(job, statement)
    if (this.#running.get(job.jobId) === running) this.#running.delete(job.jobId)
    if (this.#running.size === 0) this.#idle?.resolve()
    this.#poll()
  }

  async #runWithin(handler: JobHandler, { job, abort }: RunningJob): Promise<void> {
    const timeoutMs = handler.timeoutMs ?? JOB_TIMEOUT_MS
    const expired = Promise.withResolvers<never>()
    const cancel = this.#options.clock.after(timeoutMs, () => {
      const error = new Error(`The job took longer than ${timeoutMs} ms.`)
      abort.abort(error)
      expired.reject(error)
    })
    try {
      await Promise.race([handler.run(job, abort.signal), expired.promise])
    } finally {
      cancel()
    }
  }

  async #write(job: Job, statement: BatchStatement): Promise<void> {
    try {
      await this.#options.database.batch([statement])
    } catch (error) {
      // Not written, the lease lapses and the job is tried again; a conflict says that this has happened already.
      const name = error instanceof BatchConflictError ? 'lost the lease of' : 'could not write the end of'
      this.#options.logError(`${name} job ${job.kind} ${job.jobId}`, error)
    }
  }

  /** Keeps own jobs, aborts those that were lost, frees those of dead workers. */
  async #beat(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#cancelHeartbeat = clock.after(this.#leaseMs / 3, () => void this.#beat())
    try {
      if (this.#running.size > 0) {
        const before = [...this.#running.values()]
        await database.batch([this.#statements.renew(clock.now() + this.#leaseMs)])
        const held = await readHeldJobIds(database, this.#workerId)
        for (const { job, abort, ended } of before) {
          // One that ended meanwhile is no longer held either.
          if (!ended && !held.has(job.jobId)) abort.abort(new Error('Another worker took the job over.'))
        }
      }
      if (this.#stopping || !(await hasLapsedJobs(database, clock.now()))) return
      await database.batch(recoverLapsedJobs(database, clock.now()))
      this.#poll()
    } catch (error) {
      logError('renew leases of jobs', error)
    }
  }

  async #clean(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#cancelCleaning = clock.after(CLEANING_INTERVAL_MS, () => void this.#clean())
    const now = clock.now()
    try {
      await database.batch([
        forgetEndedJobs(database, 'done', now - KEEP_DONE_MS),
        forgetEndedJobs(database, 'failed', now - KEEP_FAILED_MS),
      ])
    } catch (error) {
      logError('forget ended jobs', error)
    }
  }
}

function retryDelay(handler: JobHandler, attempt: number): number {
  return handler.retryDelayMs?.(attempt) ?? Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1))
}

function describe(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, ERROR_LENGTH)
}
