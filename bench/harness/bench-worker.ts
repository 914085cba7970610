import { createSharedClock } from '../../packages/server/src/kernel/work/shared-clock.ts'
import type { NodeDatabase } from '../../packages/server/src/platform/database/node-database.ts'
import { createJobWorker, type JobWorker } from '../../packages/server/src/platform/queue/job-worker.ts'
import { randomId, systemClock } from '../../packages/server/src/platform/system.ts'

/** Job kind that the benchmarks use. */
export const BENCH_KIND = 'bench'

/** Starts a worker with the server's settings. Its jobs only report that they have started. */
export function startBenchWorker(database: NodeDatabase, onStart: (jobId: string) => void): JobWorker {
  const worker = createJobWorker({
    database,
    clock: createSharedClock(systemClock),
    makeId: randomId,
    handlers: { [BENCH_KIND]: { run: async ({ jobId }) => onStart(jobId) } },
    logError: (name, error) => console.error(name, error),
    onJobsWritten: (listener) => database.onInsert('jobs', listener),
  })
  worker.start()
  return worker
}
