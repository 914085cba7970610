import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createSharedClock } from '../packages/server/src/kernel/work/shared-clock.ts'
import type { NodeDatabase } from '../packages/server/src/platform/database/node-database.ts'
import { openPostgresDatabase } from '../packages/server/src/platform/database/open-postgres.ts'
import { createJobQueue } from '../packages/server/src/platform/queue/job-queue.ts'
import { randomId, systemClock } from '../packages/server/src/platform/system.ts'
import { findPostgres, startPrivatePostgres } from '../testing/private-postgres.ts'
import { temporarySqliteDatabase } from '../testing/temporary-database.ts'
import { BENCH_KIND, startBenchWorker } from './harness/bench-worker.ts'
import { startProcess } from './harness/child-process.ts'
import { readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculatePercentile, roundStat } from './harness/statistics.ts'

/**
 * Measures the delay from sending a job to its start on an idle worker, and the throughput of ten thousand jobs that are due
 * immediately: on SQLite, on a durable PostgreSQL, and on PostgreSQL with two workers in two processes.
 */
const { smoke } = readOptions()
const MEASURED_JOBS = smoke ? 10 : 300
const WARM_UPS = smoke ? 2 : 30
const DRAINED_JOBS = smoke ? 200 : 10_000
const ROUNDS = smoke ? 1 : 3
const WRITE_BATCH_SIZE = 500
const WORKER_FILE = 'bench/harness/job-worker-server.ts'

interface StartStats {
  /** Time from the start of the transaction that writes the job to the start of the job. */
  readonly startP50Ms: number
  readonly startP95Ms: number
  /** Commit time, which depends on the database and its disk. */
  readonly commitP50Ms: number
}

interface Stats {
  readonly starts: StartStats | null
  /** Median throughput over all rounds. */
  readonly drainPerSecond: number
}

/** Sends jobs in sequence to a worker in this process. */
async function measureStarts(database: NodeDatabase): Promise<StartStats> {
  let started = Promise.withResolvers<number>()
  const worker = startBenchWorker(database, () => started.resolve(performance.now()))
  const queue = createJobQueue({ database, clock: createSharedClock(systemClock), makeId: randomId })
  const startTimes: number[] = []
  const commitTimes: number[] = []
  for (let count = -WARM_UPS; count < MEASURED_JOBS; count += 1) {
    started = Promise.withResolvers()
    const sentAt = performance.now()
    await database.transaction((transaction) => queue.enqueue(transaction, { kind: BENCH_KIND, payload: { count } }))
    const committedAt = performance.now()
    const startedAt = await started.promise
    if (count >= 0) {
      startTimes.push(startedAt - sentAt)
      commitTimes.push(committedAt - sentAt)
    }
    // The end of one job must not affect the next measurement.
    await delay(10)
  }
  await worker.stop(5_000)
  return {
    startP50Ms: roundStat(calculatePercentile(startTimes, 0.5)),
    startP95Ms: roundStat(calculatePercentile(startTimes, 0.95)),
    commitP50Ms: roundStat(calculatePercentile(commitTimes, 0.5)),
  }
}

/** Writes jobs that are due simultaneously, waits until all have run, and returns the jobs per second from their due time. */
async function measureDrain(database: NodeDatabase): Promise<number> {
  const { queryBuilder } = database
  await database.batch([{ query: queryBuilder.deleteFrom('jobs').compile() }])
  const queue = createJobQueue({ database, clock: createSharedClock(systemClock), makeId: randomId })
  const runAt = Date.now() + (smoke ? 1_000 : 5_000)
  for (let writtenCount = 0; writtenCount < DRAINED_JOBS; writtenCount += WRITE_BATCH_SIZE) {
    const count = Math.min(WRITE_BATCH_SIZE, DRAINED_JOBS - writtenCount)
    const job = { kind: BENCH_KIND, payload: { purpose: 'drain' }, runAt }
    await database.batch(Array.from({ length: count }, () => queue.buildEnqueueStatement(job)))
  }
  if (Date.now() > runAt) throw new Error('The jobs were not written before their due time.')
  for (;;) {
    await delay(200)
    const pendingJob = await database.read
      .selectFrom('jobs')
      .select('job_id')
      .where('status', 'in', ['pending', 'running'])
      .limit(1)
      .executeTakeFirst()
    if (pendingJob === undefined) break
  }
  const { lastEndedAt } = await database.read
    .selectFrom('jobs')
    .select((select) => select.fn.max('ended_at').as('lastEndedAt'))
    .executeTakeFirstOrThrow()
  return (DRAINED_JOBS * 1_000) / (Number(lastEndedAt) - runAt)
}

async function measureDrains(database: NodeDatabase): Promise<number> {
  const rates: number[] = []
  for (let count = 0; count < ROUNDS; count += 1) rates.push(await measureDrain(database))
  return roundStat(calculatePercentile(rates, 0.5))
}

async function measureSingleProcess(database: NodeDatabase): Promise<Stats> {
  const starts = await measureStarts(database)
  const worker = startBenchWorker(database, () => undefined)
  const drainPerSecond = await measureDrains(database)
  await worker.stop(5_000)
  return { starts, drainPerSecond }
}

async function measureProcesses(database: NodeDatabase, url: string, count: number): Promise<Stats> {
  await using processes = new AsyncDisposableStack()
  for (let index = 0; index < count; index += 1) {
    const child = processes.use(startProcess(WORKER_FILE, { programArguments: [url] }))
    await Promise.race([child.firstLine, child.failure])
  }
  return { starts: null, drainPerSecond: await measureDrains(database) }
}

async function measureSqlite(): Promise<Stats> {
  await using database = await temporarySqliteDatabase()
  return await measureSingleProcess(database)
}

async function measurePostgres(): Promise<Readonly<Record<string, Stats>>> {
  await using postgres = await startPrivatePostgres({ durable: true })
  const url = await postgres.createDatabase('bench')
  const database = await openPostgresDatabase({ url, clock: systemClock, random: Math.random })
  try {
    const singleProcess = await measureSingleProcess(database)
    return { PostgreSQL: singleProcess, 'PostgreSQL, two processes': await measureProcesses(database, url, 2) }
  } finally {
    await database.close()
  }
}

const stats: Record<string, Stats> = { SQLite: await measureSqlite() }
if (findPostgres() === null) console.log('PostgreSQL was not found; measuring SQLite only.')
else Object.assign(stats, await measurePostgres())

printTable(
  ['jobs', 'send to start p50 ms', 'p95 ms', 'of which commit p50 ms', 'drained per second'],
  Object.entries(stats).map(([name, { starts, drainPerSecond }]) => [
    name,
    starts?.startP50Ms ?? '',
    starts?.startP95Ms ?? '',
    starts?.commitP50Ms ?? '',
    drainPerSecond,
  ]),
)
printResult('jobs', smoke, { loadAverage: loadavg().map(roundStat), drained: DRAINED_JOBS, stats })
