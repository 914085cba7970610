import type { MakeId } from '@parley/engine/ports'
import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import type { Job, JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { createJobClaims, type JobClaims } from './job-claims.ts'
import { startJobSchedules } from './job-queue.ts'
import {
  buildCleanupStatement,
  buildRecoveryStatements,
  createJobOutcomes,
  createJobStatements,
  hasExpiredJobs,
  type JobOutcomes,
  readHeldJobIds,
} from './job-store.ts'

const CONCURRENCY = 20
/** Share of the slots that one workspace can use, so that long jobs never occupy all slots. */
const MAX_WORKSPACE_SHARE = 0.75
const POLL_INTERVAL_MS = 1_000
/** Poll interval of a worker after too many hints without new jobs, until it finds jobs again. */
const HINT_INTERVAL_MS = 10
const MAX_EMPTY_HINTS = 3
/**
 * Jobs of a crashed worker wait for this time and the next heartbeat of another worker, 12 s at most. A lease is renewed three
 * times within this period, so two failed renewals are harmless.
 */
const LEASE_MS = 9_000
const JOB_TIMEOUT_MS = 300_000
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 3_600_000
const CLEANUP_INTERVAL_MS = 3_600_000
const DONE_RETENTION_MS = 3 * 86_400_000
const FAILED_RETENTION_MS = 30 * 86_400_000
const ERROR_LENGTH = 500

export interface JobWorkerOptions {
  readonly database: Pick<Database, 'read' | 'queryBuilder' | 'transaction' | 'batch' | 'capabilities'>
  /** The clock that all nodes share. */
  readonly clock: SharedClock
  readonly makeId: MakeId
  /** One handler per kind. Other workers run other kinds. */
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly logError: (name: string, error: unknown) => void
  readonly schedules?: readonly JobSchedule[]
  /**
   * Notifies of commits that wrote jobs, so that jobs start immediately instead of at the next poll. Can notify at any rate.
   */
  readonly onJobsWritten?: (listener: () => void) => () => void
  /** Maximum number of concurrent jobs. */
  readonly concurrency?: number
  readonly pollIntervalMs?: number
  readonly leaseMs?: number
}

export interface JobWorker {
  /** Starts claiming jobs. Throws if a schedule pattern is invalid. */
  start(): void
  /**
   * Stops claiming jobs and waits for running jobs, at most `deadlineMs`. Remaining jobs are aborted and released to other
   * workers without counting the attempt.
   */
  stop(deadlineMs: number): Promise<void>
}

interface RunningJob {
  readonly job: Job
  readonly abortController: AbortController
  /** True if the handler has ended. The outcome may not be written yet. */
  hasEnded: boolean
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
  readonly #claims: JobClaims
  readonly #statements: ReturnType<typeof createJobStatements>
  readonly #outcomes: JobOutcomes
  readonly #runningJobs = new Map<string, RunningJob>()
  /** Number of running handlers. */
  #activeHandlers = 0
  readonly #cancelCallbacks: (() => void)[] = []
  #cancelPoll: () => void = () => undefined
  #cancelHeartbeat: () => void = () => undefined
  #cancelCleanup: () => void = () => undefined
  #pollPromise: Promise<void> | null = null
  #shouldPollAgain = false
  /** Number of consecutive hints without jobs. */
  #emptyHints = 0
  /** Whether a hint caused the next poll. */
  #isFromHint = false
  /** Whether the last claim filled its limit. */
  #isMoreWorkLikely = false
  /** Whether a ready job may be waiting because its workspace used up its share of the slots. */
  #mayHaveWaitingJobs = false
  /** Whether a renewal is pending behind other writes. */
  #isRenewalDue = false
  #isStopping = false
  #idlePromise: PromiseWithResolvers<void> | null = null

  constructor(options: JobWorkerOptions) {
    this.#options = options
    this.#kinds = Object.keys(options.handlers)
    this.#concurrency = options.concurrency ?? CONCURRENCY
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    this.#workerId = options.makeId('worker')
    this.#claims = createJobClaims(options.database, {
      kinds: this.#kinds,
      leasedBy: this.#workerId,
      maxPerWorkspace: Math.max(1, Math.floor(this.#concurrency * MAX_WORKSPACE_SHARE)),
    })
    this.#statements = createJobStatements(options.database, this.#workerId)
    this.#outcomes = createJobOutcomes(options)
  }

  start(): void {
    const { onJobsWritten, schedules = [], database, clock, logError } = this.#options
    if (this.#kinds.length === 0) return
    if (onJobsWritten !== undefined) this.#cancelCallbacks.push(onJobsWritten(() => this.#handleHint()))
    this.#cancelCallbacks.push(startJobSchedules({ database, clock, schedules, logError }))
    void this.#heartbeat()
    void this.#deleteOldJobs()
    this.#poll()
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true
    for (const cancel of this.#cancelCallbacks.splice(0)) cancel()
    this.#cancelPoll()
    this.#cancelCleanup()
    // A running claim can still start jobs.
    await this.#pollPromise
    if (this.#runningJobs.size > 0) await this.#waitForRunning(deadlineMs)
    this.#cancelHeartbeat()
    this.#outcomes.stopRetrying()
    const remainingJobs = [...this.#runningJobs.values()]
    this.#runningJobs.clear()
    await Promise.all(
      remainingJobs.map(({ job, abortController }) => {
        abortController.abort(new Error('The process is stopping.'))
        return this.#outcomes.write(job, this.#statements.buildRelease(job))
      }),
    )
  }

  async #waitForRunning(deadlineMs: number): Promise<void> {
    this.#idlePromise = Promise.withResolvers()
    const cancel = this.#options.clock.after(deadlineMs, this.#idlePromise.resolve)
    await this.#idlePromise.promise
    cancel()
  }

  /** Handles a hint that there may be new jobs. Many hints in a row, or many without jobs, cause few polls. */
  #handleHint(): void {
    // If all slots are in use, the worker polls anyway when the next job ends.
    if (this.#isStopping || this.#isFromHint || this.#countFreeSlots() <= 0) return
    this.#isFromHint = true
    if (this.#emptyHints < MAX_EMPTY_HINTS) this.#poll()
    else if (this.#pollPromise === null) this.#schedulePoll(HINT_INTERVAL_MS)
  }

  #schedulePoll(delayMs: number): void {
    this.#cancelPoll()
    this.#cancelPoll = this.#options.clock.after(delayMs, () => {
      if (!this.#isFromHint) this.#emptyHints = 0
      this.#poll()
    })
  }

  /** Polls for jobs that are ready to run. If a poll is running, polls once more after it. */
  #poll(): void {
    if (this.#isStopping) return
    if (this.#pollPromise !== null) {
      this.#shouldPollAgain = true
      return
    }
    this.#cancelPoll()
    const isFromHint = this.#isFromHint
    this.#isFromHint = false
    this.#pollPromise = this.#pollOnce(isFromHint).finally(() => {
      this.#pollPromise = null
      if (!this.#shouldPollAgain) return
      this.#shouldPollAgain = false
      this.#poll()
    })
  }

  /** Returns the number of free slots. Jobs with an outcome that is being written take no slot, up to a limit. */
  #countFreeSlots(): number {
    return Math.min(this.#concurrency - this.#activeHandlers, this.#getMaxHeldJobs() - this.#runningJobs.size)
  }

  #getMaxHeldJobs(): number {
    return 2 * this.#concurrency
  }

  async #pollOnce(isFromHint: boolean): Promise<void> {
    const { logError, pollIntervalMs = POLL_INTERVAL_MS } = this.#options
    let waitMs = pollIntervalMs
    try {
      waitMs = Math.min(pollIntervalMs, await this.#fillSlots(isFromHint))
    } catch (error) {
      logError('take jobs', error)
    }
    if (!this.#isStopping) this.#schedulePoll(this.#isFromHint ? Math.min(waitMs, HINT_INTERVAL_MS) : waitMs)
  }

  /** Claims jobs for the free slots. Returns the maximum delay until the next poll. */
  async #fillSlots(isFromHint: boolean): Promise<number> {
    // Jobs with outcomes written together free their slots in a row, and one poll covers all of them.
    await Promise.resolve()
    const limit = this.#countFreeSlots()
    if (limit <= 0) return Number.POSITIVE_INFINITY
    // A claim costs more than reading the next run time, but is skipped only if no work is likely.
    const isWorkLikely = this.#isMoreWorkLikely || (isFromHint && this.#emptyHints === 0)
    if (!isWorkLikely) {
      const nextDelayMs = await this.#getNextDelayMs()
      if (nextDelayMs > 0) {
        if (isFromHint) this.#emptyHints += 1
        return nextDelayMs
      }
    }
    // A claim does not see concurrent writes, so a job that ends during the claim polls again.
    this.#mayHaveWaitingJobs = true
    const startedCount = await this.#claimJobs(limit)
    this.#isMoreWorkLikely = startedCount === limit
    this.#mayHaveWaitingJobs = startedCount < limit
    if (startedCount > 0) this.#emptyHints = 0
    else if (isFromHint) this.#emptyHints += 1
    // If all slots are in use, the worker polls again when the next job ends.
    if (startedCount === limit) return Number.POSITIVE_INFINITY
    if (startedCount > 0) return 0
    // Other workers were faster, no job is ready, or the workspace used up its share of the slots.
    const remainingMs = await this.#getNextDelayMs()
    if (remainingMs > 0) this.#mayHaveWaitingJobs = false
    return remainingMs || Number.POSITIVE_INFINITY
  }

  async #getNextDelayMs(): Promise<number> {
    const nextRunAt = await this.#claims.readNextRunAt()
    return nextRunAt === null ? Number.POSITIVE_INFINITY : Math.max(0, nextRunAt - this.#options.clock.now())
  }

  /** Claims and starts up to `limit` jobs. Returns the number of started jobs. */
  async #claimJobs(limit: number): Promise<number> {
    const { clock } = this.#options
    const now = clock.now()
    const leaseUntil = now + this.#leaseMs
    const jobs = await this.#claims.claim({ limit, now, leaseUntil })
    // The process was suspended, so other nodes may own the jobs. Leases that are not renewed expire.
    if (clock.now() >= leaseUntil) return 0
    for (const job of jobs) {
      // The lease expired and this worker claimed the job again, so only the new attempt counts.
      this.#runningJobs.get(job.jobId)?.abortController.abort(new Error('The lease of the job expired.'))
      const runningJob: RunningJob = { job, abortController: new AbortController(), hasEnded: false }
      this.#runningJobs.set(job.jobId, runningJob)
      void this.#runJob(runningJob)
    }
    return jobs.length
  }

  async #runJob(runningJob: RunningJob): Promise<void> {
    const { job } = runningJob
    const { clock, logError, handlers } = this.#options
    const handler = handlers[job.kind]
    if (handler === undefined) return
    let statement: BatchStatement
    let willRetry = false
    this.#activeHandlers += 1
    try {
      await this.#runWithTimeout(handler, runningJob)
      statement = this.#statements.buildFinish(job, clock.now())
    } catch (error) {
      logError(`job ${job.kind} ${job.jobId}, attempt ${job.attempt} of ${job.maxAttempts}`, error)
      const now = clock.now()
      willRetry = job.attempt < job.maxAttempts
      statement = willRetry
        ? this.#statements.buildRetry(job, now + getRetryDelayMs(handler, job.attempt), describeJobError(error))
        : this.#statements.buildFailure(job, now, describeJobError(error))
    }
    runningJob.hasEnded = true
    this.#activeHandlers -= 1
    this.#poll()
    // The job was released or lost to another worker, so its outcome must not be written.
    if (this.#runningJobs.get(job.jobId) !== runningJob) return
    await this.#outcomes.write(job, statement)
    const wasAtCapacity = this.#runningJobs.size >= this.#getMaxHeldJobs()
    if (this.#runningJobs.get(job.jobId) === runningJob) this.#runningJobs.delete(job.jobId)
    if (this.#runningJobs.size === 0) this.#idlePromise?.resolve()
    // A job counts against its workspace's share until its outcome is written.
    if (wasAtCapacity || willRetry || this.#mayHaveWaitingJobs) this.#poll()
  }

  async #runWithTimeout(handler: JobHandler, { job, abortController }: RunningJob): Promise<void> {
    const timeoutMs = handler.timeoutMs ?? JOB_TIMEOUT_MS
    const timeout = Promise.withResolvers<never>()
    const cancel = this.#options.clock.after(timeoutMs, () => {
      const error = new Error(`The job timed out after ${timeoutMs} ms.`)
      abortController.abort(error)
      timeout.reject(error)
    })
    try {
      await Promise.race([handler.run(job, abortController.signal), timeout.promise])
    } finally {
      cancel()
    }
  }

  /** Renews this worker's leases, aborts lost jobs and frees the jobs of crashed workers. */
  async #heartbeat(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#cancelHeartbeat = clock.after(this.#leaseMs / 3, () => void this.#heartbeat())
    try {
      if (this.#runningJobs.size > 0 && !this.#isRenewalDue) {
        this.#isRenewalDue = true
        await this.#outcomes.exclusively(() => this.#renewLeases())
      }
      if (this.#isStopping || !(await hasExpiredJobs(database, clock.now()))) return
      await database.batch(buildRecoveryStatements(database, clock.now()))
      this.#poll()
    } catch (error) {
      logError('renew leases of jobs', error)
    }
  }

  async #renewLeases(): Promise<void> {
    const { database, clock } = this.#options
    this.#isRenewalDue = false
    const renewedJobs = [...this.#runningJobs.values()]
    await database.batch(this.#statements.buildRenewals([...this.#runningJobs.keys()], clock.now() + this.#leaseMs))
    const heldJobIds = await readHeldJobIds(database, this.#workerId)
    for (const { job, abortController, hasEnded } of renewedJobs) {
      // A job that has just ended is no longer held.
      if (!hasEnded && !heldJobIds.has(job.jobId)) abortController.abort(new Error('Another worker took over the job.'))
    }
  }

  async #deleteOldJobs(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#cancelCleanup = clock.after(CLEANUP_INTERVAL_MS, () => void this.#deleteOldJobs())
    const now = clock.now()
    try {
      await database.batch([
        buildCleanupStatement(database, 'done', now - DONE_RETENTION_MS),
        buildCleanupStatement(database, 'failed', now - FAILED_RETENTION_MS),
      ])
    } catch (error) {
      logError('delete ended jobs', error)
    }
  }
}

function getRetryDelayMs(handler: JobHandler, attempt: number): number {
  return handler.retryDelayMs?.(attempt) ?? Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1))
}

function describeJobError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  // PostgreSQL text cannot contain U+0000.
  return text.replaceAll('\0', '').slice(0, ERROR_LENGTH)
}
