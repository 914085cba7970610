import type { JsonValue } from '@parley/engine/ports'
import type { BatchStatement, Transaction } from '../storage/database.ts'

/** Work to run after the change that caused it is committed. */
export interface NewJob {
  readonly kind: string
  readonly payload: JsonValue
  /** Workspaces take turns. Absent for work of the installation. */
  readonly workspaceId?: number
  /** Earliest start in milliseconds since the epoch; now when absent. */
  readonly runAt?: number
  /** Maximum starts including crashes; 10 when absent. */
  readonly maxAttempts?: number
}

/** Writes jobs in the transaction or batch that causes them: both are stored or neither. */
export interface JobQueue {
  /** Writes the job within a transaction; returns its id. */
  enqueue(transaction: Transaction, job: NewJob): Promise<string>
  /** Returns the job as a batch statement. */
  statement(job: NewJob): BatchStatement & { readonly jobId: string }
}

/** A job for its handler. `attempt` counts from 1. */
export interface Job {
  readonly jobId: string
  readonly kind: string
  readonly payload: JsonValue
  readonly workspaceId?: number
  readonly attempt: number
  readonly maxAttempts: number
}

/**
 * Runs one kind of job at least once, so repeats must be harmless. A rejection retries later until the attempts are
 * used up.
 */
export interface JobHandler {
  /** `signal` aborts when the job loses its lease, times out or the process stops. */
  run(job: Job, signal: AbortSignal): Promise<void>
  /** Delay after failed attempt `attempt`; doubles from one second to an hour when absent. */
  retryDelayMs?(attempt: number): number
  /** Deadline of one attempt; five minutes when absent. */
  readonly timeoutMs?: number
}

export type JobHandlers = Readonly<Record<string, JobHandler>>

/** A job enqueued by the clock, once across all nodes. */
export interface JobSchedule {
  /** Unique and stable, part of each job's id. */
  readonly name: string
  /** Cron pattern of five or six fields (seconds first when six), in UTC. */
  readonly pattern: string
  readonly kind: string
  readonly payload: JsonValue
}
