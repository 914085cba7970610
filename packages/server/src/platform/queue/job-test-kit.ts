import { createManualClock } from '@parley/engine/testing'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { type TemporaryDatabase, temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Job, JobHandler } from '../../kernel/work/jobs.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import type { JobRow } from '../../tables/work-tables.ts'
import { randomId } from '../system.ts'
import { createJobQueue } from './job-queue.ts'
import { createJobWorker, type JobWorker, type JobWorkerOptions } from './job-worker.ts'

/** Opens workers on one database, in virtual time. */
export async function openJobs() {
  const database = await temporaryDatabase()
  const time = createManualClock()
  const queue = createJobQueue({ database, clock: createSharedClock(time.clock), makeId: randomId })
  const logged: string[] = []
  const workers: JobWorker[] = []
  return {
    database,
    time,
    queue,
    logged,
    startWorker(handlers: Record<string, JobHandler>, options: Partial<JobWorkerOptions> = {}): JobWorker {
      const worker = createJobWorker({
        database,
        clock: createSharedClock(time.clock),
        makeId: randomId,
        handlers,
        logError: (name, error) => logged.push(`${name}: ${error instanceof Error ? error.message : error}`),
        onJobsWritten: (listener) => database.onInsert('jobs', listener),
        ...options,
      })
      worker.start()
      workers.push(worker)
      return worker
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        workers.map(async (worker) => {
          const stopping = worker.stop(0)
          await time.advance(0)
          await stopping
        }),
      )
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Returns all stored jobs. */
export const readJobs = ({ read }: TemporaryDatabase) =>
  read.selectFrom('jobs').selectAll().orderBy('created_at').execute()

/** Waits until a job matches. Checks on every turn of the event loop; the test's timeout limits the wait. */
export async function waitForJob(database: TemporaryDatabase, expected: (job: JobRow) => boolean): Promise<JobRow> {
  for (;;) {
    const job = (await readJobs(database)).find(expected)
    if (job !== undefined) return job
    await nextTurn()
  }
}

/** Creates a handler that records its jobs. */
export function createRecordingHandler() {
  const jobs: Job[] = []
  const handler: JobHandler = { run: async (job) => void jobs.push(job) }
  return { jobs, handler }
}

/** Creates a handler that waits for the test. `started` resolves with the first job. */
export function createBlockingHandler() {
  const started = Promise.withResolvers<{ job: Job; signal: AbortSignal }>()
  const gate = Promise.withResolvers<void>()
  const handler: JobHandler = {
    async run(job, signal) {
      started.resolve({ job, signal })
      await gate.promise
    },
  }
  return { handler, started: started.promise, finish: gate.resolve, fail: gate.reject }
}
