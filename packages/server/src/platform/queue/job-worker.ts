import type { MakeId } from '@parley/engine/ports'
import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import type { Job, JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { createJobClaims, type JobClaims } from './job-claims.ts'
import { createJobOutcomes, type JobOutcomes } from './job-outcomes.ts'
import { startJobSchedules } from './job-schedules.ts'
import {
  createJobStatements,
  forgetEndedJobs,
  hasExpiredJobs,
  readHeldJobIds,
  recoverExpiredJobs,
} from './job-store.ts'

const CONCURRENCY = 20
/** Of the slots: the rest is free for other workspaces at once, however long the jobs of one take. */
const MAX_WORKSPACE_SHARE = 0.75
const POLL_INTERVAL_MS = 1_000
/** Told of new jobs so often for nothing, a worker looks no more often than this until it finds some. */
const HINT_INTERVAL_MS = 10
const MAX_EMPTY_HINTS = 3
/**
 * Jobs of a dead worker wait this long and until the next beat of another one, a third of it: 12 s at most. Renewed three
 * times within it, so that two failed renewals do no harm.
 */
const LEASE_MS = 9_000
const JOB_TIMEOUT_MS = 300_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 3_600_000
const CLEANUP_INTERVAL_MS = 3_600_000
const DONE_RETENTION_MS = 3 * 86_400_000
const FAILED_RETENTION_MS = 30 * 86_400_000
const ERROR_LENGTH = 500

export interface JobWorkerOptions {
  readonly database: Pick<Database, 'read' | 'compile' | 'transaction' | 'batch' | 'capabilities'>
  /** With several nodes, the same time on all of them. */
  readonly clock: SharedClock
  readonly makeId: MakeId
  /** One handler per kind; jobs of other kinds are left to other workers. */
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly logError: (name: string, error: unknown) => void
  readonly schedules?: readonly JobSchedule[]
  /** Tells of commits that wrote jobs, so that they start at once; without it they wait for the next poll. As often as it likes. */
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
  readonly #claims: JobClaims
  readonly #statements: ReturnType<typeof createJobStatements>
  readonly #outcomes: JobOutcomes
  readonly #running = new Map<string, RunningJob>()
  /** Of those the ones whose handlers run. */
  #active = 0
  readonly #cancelByName: (() => void)[] = []
  #cancelPoll: () => void = () => undefined
  #cancelHeartbeat: () => void = () => undefined
  #cancelCleaning: () => void = () => undefined
  #polling: Promise<void> | null = null
  #shouldPollAgain = false
  /** Hints in a row that came to nothing. */
  #emptyHints = 0
  /** The next look answers a hint. */
  #isFromHint = false
  /** The last claim got all it asked for. */
  #isMoreWorkLikely = false
  /** A due job may wait for its workspace's share of the slots. */
  #mayHaveWaitingJobs = false
  /** A renewal waits for the writes before it; one is enough. */
  #isRenewalDue = false
  #stopping = false
  #idle: PromiseWithResolvers<void> | null = null

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
    if (onJobsWritten !== undefined) this.#cancelByName.push(onJobsWritten(() => this.#hint()))
    this.#cancelByName.push(startJobSchedules({ database, clock, schedules, logError }))
    void this.#heartbeat()
    void this.#clean()
    this.#poll()
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#stopping = true
    for (const cancel of this.#cancelByName.splice(0)) cancel()
    this.#cancelPoll()
    this.#cancelCleaning()
    // A claim under way may still bring jobs.
    await this.#polling
    if (this.#running.size > 0) await this.#waitForRunning(deadlineMs)
    this.#cancelHeartbeat()
    this.#outcomes.stopRetrying()
    const left = [...this.#running.values()]
    this.#running.clear()
    await Promise.all(
      left.map(({ job, abort }) => {
        abort.abort(new Error('The process stops.'))
        return this.#outcomes.write(job, this.#statements.releaseJob(job))
      }),
    )
  }

  async #waitForRunning(deadlineMs: number): Promise<void> {
    this.#idle = Promise.withResolvers()
    const cancel = this.#options.clock.after(deadlineMs, this.#idle.resolve)
    await this.#idle.promise
    cancel()
  }

  /** There may be new jobs. Many hints at once, or many that come to nothing, lead to few looks. */
  #hint(): void {
    // With every slot taken the next end of a job looks anyway.
    if (this.#stopping || this.#isFromHint || this.#freeSlots() <= 0) return
    this.#isFromHint = true
    if (this.#emptyHints < MAX_EMPTY_HINTS) this.#poll()
    else if (this.#polling === null) this.#pollAfter(HINT_INTERVAL_MS)
  }

  #pollAfter(delayMs: number): void {
    this.#cancelPoll()
    this.#cancelPoll = this.#options.clock.after(delayMs, () => {
      if (!this.#isFromHint) this.#emptyHints = 0
      this.#poll()
    })
  }

  /** Looks for due jobs now; while it is looking already, once more afterwards. */
  #poll(): void {
    if (this.#stopping) return
    if (this.#polling !== null) {
      this.#shouldPollAgain = true
      return
    }
    this.#cancelPoll()
    const isFromHint = this.#isFromHint
    this.#isFromHint = false
    this.#polling = this.#takeDueJobs(isFromHint).finally(() => {
      this.#polling = null
      if (!this.#shouldPollAgain) return
      this.#shouldPollAgain = false
      this.#poll()
    })
  }

  /** A job whose end is being written takes no slot, as long as there are not too many of them. */
  #freeSlots(): number {
    return Math.min(this.#concurrency - this.#active, this.#maxHeld() - this.#running.size)
  }

  #maxHeld(): number {
    return 2 * this.#concurrency
  }

  async #takeDueJobs(isFromHint: boolean): Promise<void> {
    const { logError, pollIntervalMs = POLL_INTERVAL_MS } = this.#options
    let waitMs = pollIntervalMs
    try {
      waitMs = Math.min(pollIntervalMs, await this.#look(isFromHint))
    } catch (error) {
      logError('take jobs', error)
    }
    if (!this.#stopping) this.#pollAfter(this.#isFromHint ? Math.min(waitMs, HINT_INTERVAL_MS) : waitMs)
  }

  /** Takes what is due as far as slots are free; returns how long to wait at most before the next look. */
  async #look(isFromHint: boolean): Promise<number> {
    // Jobs whose ends were written together free their slots one after another: one look serves them all.
    await Promise.resolve()
    const limit = this.#freeSlots()
    if (limit <= 0) return Number.POSITIVE_INFINITY
    // A claim costs more than a look, but where there is something to claim the look is wasted.
    const isWorkLikely = this.#isMoreWorkLikely || (isFromHint && this.#emptyHints === 0)
    if (!isWorkLikely) {
      const dueInMs = await this.#nextDueInMs()
      if (dueInMs > 0) {
        if (isFromHint) this.#emptyHints += 1
        return dueInMs
      }
    }
    // A claim does not see what is written while it runs: such an end looks again.
    this.#mayHaveWaitingJobs = true
    const found = await this.#claim(limit)
    this.#isMoreWorkLikely = found === limit
    this.#mayHaveWaitingJobs = found < limit
    if (found > 0) this.#emptyHints = 0
    else if (isFromHint) this.#emptyHints += 1
    // With every slot taken the next end of a job looks again.
    if (found === limit) return Number.POSITIVE_INFINITY
    if (found > 0) return 0
    // Others were faster, it is not due yet, or its workspace holds its share of the slots.
    const dueInMs = await this.#nextDueInMs()
    if (dueInMs > 0) this.#mayHaveWaitingJobs = false
    return dueInMs || Number.POSITIVE_INFINITY
  }

  async #nextDueInMs(): Promise<number> {
    const nextRunAt = await this.#claims.readNextRunAt()
    return nextRunAt === null ? Number.POSITIVE_INFINITY : Math.max(0, nextRunAt - this.#options.clock.now())
  }

  /** Claims and starts up to `limit` jobs; returns how many there were. */
  async #claim(limit: number): Promise<number> {
    const { clock } = this.#options
    const now = clock.now()
    const leaseUntil = now + this.#leaseMs
    const jobs = await this.#claims.claim({ limit, now, leaseUntil })
    // The process was suspended meanwhile: others may have them. Not being renewed, the rest is freed as well.
    if (clock.now() >= leaseUntil) return 0
    for (const job of jobs) {
      // Its lease lapsed and it came back: only the new attempt counts.
      this.#running.get(job.jobId)?.abort.abort(new Error('The lease of the job lapsed.'))
      const running: RunningJob = { job, abort: new AbortController(), ended: false }
      this.#running.set(job.jobId, running)
      void this.#runJob(running)
    }
    return jobs.length
  }

  async #runJob(running: RunningJob): Promise<void> {
    const { job } = running
    const { clock, logError, handlers } = this.#options
    const handler = handlers[job.kind]
    if (handler === undefined) return
    let statement: BatchStatement
    let willRetry = false
    this.#active += 1
    try {
      await this.#runWithin(handler, running)
      statement = this.#statements.finish(job, clock.now())
    } catch (error) {
      logError(`job ${job.kind} ${job.jobId}, attempt ${job.attempt} of ${job.maxAttempts}`, error)
      const now = clock.now()
      willRetry = job.attempt < job.maxAttempts
      statement = willRetry
        ? this.#statements.retry(job, now + retryDelay(handler, job.attempt), describe(error))
        : this.#statements.fail(job, now, describe(error))
    }
    running.ended = true
    this.#active -= 1
    this.#poll()
    // Handed back, or lost to another worker: what became of it is no longer ours to write.
    if (this.#running.get(job.jobId) !== running) return
    await this.#outcomes.write(job, statement)
    const wasFull = this.#running.size >= this.#maxHeld()
    if (this.#running.get(job.jobId) === running) this.#running.delete(job.jobId)
    if (this.#running.size === 0) this.#idle?.resolve()
    // A workspace's share counts a job until its end is written.
    if (wasFull || willRetry || this.#mayHaveWaitingJobs) this.#poll()
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

  /** Keeps own jobs, aborts those that were lost, frees those of dead workers. */
  async #heartbeat(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#cancelHeartbeat = clock.after(this.#leaseMs / 3, () => void this.#heartbeat())
    try {
      if (this.#running.size > 0 && !this.#isRenewalDue) {
        this.#isRenewalDue = true
        await this.#outcomes.exclusively(() => this.#renew())
      }
      if (this.#stopping || !(await hasExpiredJobs(database, clock.now()))) return
      await database.batch(recoverExpiredJobs(database, clock.now()))
      this.#poll()
    } catch (error) {
      logError('renew leases of jobs', error)
    }
  }

  async #renew(): Promise<void> {
    const { database, clock } = this.#options
    this.#isRenewalDue = false
    const before = [...this.#running.values()]
    await database.batch(this.#statements.renew([...this.#running.keys()], clock.now() + this.#leaseMs))
    const held = await readHeldJobIds(database, this.#workerId)
    for (const { job, abort, ended } of before) {
      // One that ended meanwhile is no longer held either.
      if (!ended && !held.has(job.jobId)) abort.abort(new Error('Another worker took the job over.'))
    }
  }

  async #clean(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#cancelCleaning = clock.after(CLEANUP_INTERVAL_MS, () => void this.#clean())
    const now = clock.now()
    try {
      await database.batch([
        forgetEndedJobs(database, 'done', now - DONE_RETENTION_MS),
        forgetEndedJobs(database, 'failed', now - FAILED_RETENTION_MS),
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
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  // No text of a database holds a zero character.
  return text.replaceAll('\0', '').slice(0, ERROR_LENGTH)
}
