import type { JsonValue } from '@parley/engine/ports'
import type { BatchStatement, Transaction } from '../storage/database.ts'

/** A job to run after the change that caused it is committed. */
export interface NewJob {
  readonly kind: string
  readonly payload: JsonValue
  /** Jobs of different workspaces run in turn. Absent for jobs of the whole installation. */
  readonly workspaceId?: number
  /** Earliest start in milliseconds since the epoch; defaults to now. */
  readonly runAt?: number
  /** Maximum number of starts, including starts that crashed; defaults to 10. */
  readonly maxAttempts?: number
}

/** Enqueues jobs in the transaction or batch that causes them, so that both are stored or neither. */
export interface JobQueue {
  /** Enqueues the job within a transaction. Returns the job id. */
  enqueue(transaction: Transaction, job: NewJob): Promise<string>
  /** Builds a batch statement that enqueues the job. */
  buildEnqueueStatement(job: NewJob): BatchStatement & { readonly jobId: string }
}

/** A job passed to its handler. `attempt` counts from 1. */
export interface Job {
  readonly jobId: string
  readonly kind: string
  readonly payload: JsonValue
  readonly workspaceId?: number
  readonly attempt: number
  readonly maxAttempts: number
}

/**
 * Handles one kind of job. A job can run more than once, so repeating it must be harmless. After a rejection, the job
 * is retried until no attempts are left.
 */
export interface JobHandler {
  /** Runs the job. `signal` aborts if the job loses its lease, times out or the process stops. */
  run(job: Job, signal: AbortSignal): Promise<void>
  /** Returns the delay after failed attempt `attempt`. The default delay doubles from one second up to one hour. */
  retryDelayMs?(attempt: number): number
  /** Timeout of one attempt; defaults to five minutes. */
  readonly timeoutMs?: number
}

export type JobHandlers = Readonly<Record<string, JobHandler>>

/** A job that is enqueued on a schedule, once across all nodes. */
export interface JobSchedule {
  /** Unique, stable name that is part of each job's id. */
  readonly name: string
  /** Cron pattern in UTC with five or six fields. With six fields, the first field is seconds. */
  readonly pattern: string
  readonly kind: string
  readonly payload: JsonValue
}
