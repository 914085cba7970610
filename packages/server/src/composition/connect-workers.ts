import type { Idempotency } from '../http/idempotency.ts'
import { createJobWorker } from '../platform/queue/job-worker.ts'
import type { FeatureJobs, Features } from './connect-features.ts'
import type { Foundation } from './foundation.ts'

/** Bus topic for new jobs. */
const JOBS_WRITTEN_TOPIC = 'jobs.written'
/** Number of documents and websites processed at the same time. */
const SLOW_JOB_CONCURRENCY = 8

export interface WorkerOptions extends Pick<Features, 'webhookDispatcher'> {
  readonly jobs: FeatureJobs
  readonly idempotency: Pick<Idempotency, 'sweep'>
}

/** Background workers of this node, for jobs and webhook deliveries. */
export interface Workers {
  start(): void
  /** Stops the workers. Work that exceeds the deadline is left to other nodes or the next start. */
  stop(deadlineMs: number): Promise<void>
}

export function connectWorkers(
  { runtime, storage, cluster }: Pick<Foundation, 'runtime' | 'storage' | 'cluster'>,
  { jobs, idempotency, webhookDispatcher }: WorkerOptions,
): Workers {
  const { makeId, logError } = runtime
  const { database } = storage
  const { bus, sharedClock: clock } = cluster
  // Announces jobs over the bus, so that other nodes do not have to wait for their next poll.
  database.onInsert('jobs', () => bus.publish(JOBS_WRITTEN_TOPIC, null))
  const onJobsWritten = (listener: () => void): (() => void) => bus.subscribe(JOBS_WRITTEN_TOPIC, listener)
  const workerDependencies = { database, clock, makeId, logError, onJobsWritten }
  const sweep = 'sweep-idempotency'
  const workers = [
    createJobWorker({
      ...workerDependencies,
      handlers: { [sweep]: { run: () => idempotency.sweep() }, ...jobs.handlers },
      schedules: [{ name: sweep, pattern: '17 * * * *', kind: sweep, payload: {} }, ...jobs.schedules],
    }),
    createJobWorker({ ...workerDependencies, handlers: jobs.slowHandlers, concurrency: SLOW_JOB_CONCURRENCY }),
    webhookDispatcher,
  ]
  return {
    start() {
      for (const worker of workers) worker.start()
    },
    async stop(deadlineMs) {
      await Promise.all(workers.map((worker) => worker.stop(deadlineMs)))
    },
  }
}
