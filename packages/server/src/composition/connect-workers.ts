import type { Idempotency } from '../http/idempotency.ts'
import { createJobWorker } from '../platform/queue/job-worker.ts'
import type { FeatureJobs, Features } from './connect-features.ts'
import type { Foundation } from './foundation.ts'

/** Topic of the bus: somebody wrote jobs. */
const JOBS_WRITTEN_TOPIC = 'jobs.written'
/** Documents that are read and sites that are waited for at the same time. */
const SLOW_JOB_CONCURRENCY = 8

export interface WorkerOptions extends Pick<Features, 'webhookDispatcher'> {
  readonly jobs: FeatureJobs
  readonly idempotency: Pick<Idempotency, 'sweep'>
}

/** What this node does that nobody waits for: jobs, and webhooks that are due. */
export interface Workers {
  start(): void
  /** What still runs after the deadline is left to the next start or to other nodes. */
  stop(deadlineMs: number): Promise<void>
}

export function connectWorkers(
  { runtime, storage, cluster }: Pick<Foundation, 'runtime' | 'storage' | 'cluster'>,
  { jobs, idempotency, webhookDispatcher }: WorkerOptions,
): Workers {
  const { makeId, logError } = runtime
  const { database } = storage
  const { bus, sharedClock: clock } = cluster
  // Jobs that another node wrote are told by the bus, so that this one need not wait for its next look.
  database.onInsert('jobs', () => bus.publish(JOBS_WRITTEN_TOPIC, null))
  const onJobsWritten = (listener: () => void): (() => void) => bus.subscribe(JOBS_WRITTEN_TOPIC, listener)
  const shared = { database, clock, makeId, logError, onJobsWritten }
  const sweep = 'sweep-idempotency'
  const working = [
    createJobWorker({
      ...shared,
      handlers: { [sweep]: { run: () => idempotency.sweep() }, ...jobs.handlers },
      schedules: [{ name: sweep, pattern: '17 * * * *', kind: sweep, payload: {} }, ...jobs.schedules],
    }),
    createJobWorker({ ...shared, handlers: jobs.slowHandlers, concurrency: SLOW_JOB_CONCURRENCY }),
    webhookDispatcher,
  ]
  return {
    start() {
      for (const each of working) each.start()
    },
    async stop(deadlineMs) {
      await Promise.all(working.map((each) => each.stop(deadlineMs)))
    },
  }
}
