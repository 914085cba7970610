import type { JsonValue } from '@parley/engine/ports'
import type { BatchStatement, Transaction } from '../storage/database.ts'

/** Work to be done once the change that caused it is committed. */
export interface NewJob {
  readonly kind: string
  readonly payload: JsonValue
  /** Whose work it is: workspaces take turns. Absent for the installation's own work. */
  readonly workspaceId?: number
  /** Not before; now when absent. Milliseconds since the epoch. */
  readonly runAt?: number
  /** How often it may be started, crashes included; 10 when absent. */
  readonly maxAttempts?: number
}

/** Writes jobs in the transaction or batch that causes them: either both are stored or neither. */
export interface JobQueue {
  /** Writes the job within a unit of work; returns its id. */
  enqueue(transaction: Transaction, job: NewJob): Promise<string>
  /** The same as a statement for a batch. */
  statement(job: NewJob): BatchStatement & { readonly jobId: string }
}

/** A job as its handler sees it. `attempt` counts from 1. */
export interface Job {
  readonly jobId: string
  readonly kind: string
  readonly payload: JsonValue
  /** As the job was written with. */
  readonly workspaceId?: number
  readonly attempt: number
  readonly maxAttempts: number
}

/**
 * Does one kind of job. A job runs at least once: after a crash it is started again, so that doing it twice must be harmless.
 * Resolving ends the job, rejecting tries it again later until its attempts are used up.
 */
export interface JobHandler {
  /** `signal` aborts when the job has lost its lease, took too long or the process stops. */
  run(job: Job, signal: AbortSignal): Promise<void>
  /** Wait before the next attempt, after `attempt` failed; doubling from a second to an hour when absent. */
  retryDelayMs?(attempt: number): number
  /** Deadline of one attempt; five minutes when absent. */
  readonly timeoutMs?: number
}

/** By kind of job. */
export type JobHandlers = Readonly<Record<string, JobHandler>>

/** A job that is written again and again by the clock, once over all nodes. */
export interface JobSchedule {
  /** Unique and stable: it takes part in the id of each job. */
  readonly name: string
  /** A cron pattern of five or six fields (seconds first when six), in UTC. */
  readonly pattern: string
  readonly kind: string
  readonly payload: JsonValue
}
