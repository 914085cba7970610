import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MakeId } from '@parley/engine/ports'
import { sql } from 'kysely'
import { connectCluster } from '../../packages/server/src/composition/connect-cluster.ts'
import { connectStorage } from '../../packages/server/src/composition/connect-storage.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import type { Job, JobHandler } from '../../packages/server/src/kernel/work/jobs.ts'
import { createJobWorker } from '../../packages/server/src/platform/queue/job-worker.ts'
import { randomFraction, randomId, systemClock } from '../../packages/server/src/platform/system.ts'
import { runContention } from './lease-contention.ts'

/** Behavior of the job by attempt. Later attempts repeat the last one. */
export interface WorkPayload {
  readonly group: string
  readonly steps: readonly WorkStep[]
}

export interface WorkStep {
  /** Null means until the work is aborted or the node receives `letGo`. */
  readonly holdMs: number | null
  /** Whether an abort ends the job. */
  readonly stopsOnAbort: boolean
}

/** Commands of a node and their results. */
export interface NodeCommands {
  take(wanted: { readonly workspaceId: number; readonly leaseIds: readonly string[] }): Promise<boolean[]>
  release(leaseIds: readonly string[]): Promise<void>
  runContention(settings: Parameters<typeof runContention>[1]): ReturnType<typeof runContention>
  /** Inserts jobs in one batch and returns their ids. */
  write(payloads: readonly WorkPayload[]): Promise<string[]>
  /** Inserts jobs repeatedly until `quiet`, and reports the stored ones. */
  stream(payload: WorkPayload): Promise<void>
  stopStream(): Promise<void>
  /** Finishes the jobs that wait for it. */
  releaseWaitingJobs(): Promise<void>
  /** Opens a transaction that locks the workspace, and leaves it open. */
  lock(workspaceId: number): Promise<void>
  /** Releases everything and stops. */
  stop(): Promise<void>
}

/** Messages that a node sends on its own. */
export type NodeEvent =
  | { readonly event: 'ready'; readonly nodeId: string; readonly workerId: string }
  | { readonly event: 'lost'; readonly leaseId: string }
  | { readonly event: 'aborted'; readonly jobId: string; readonly attempt: number }
  | { readonly event: 'wrote'; readonly group: string; readonly jobIds: readonly string[] }
  | { readonly event: 'logged'; readonly text: string }

const STREAM_PAUSE_MS = 40
const STREAM_JOBS = 4

/** Exits if the parent process ends. */
process.once('disconnect', () => process.exit(1))
const emit = (message: NodeEvent): void => void process.send?.(message)
const logError = (name: string, error: unknown): void =>
  emit({ event: 'logged', text: `${name}: ${error instanceof Error ? error.message : error}` })

let workerId = ''
const makeId: MakeId = (prefix) => {
  const id = randomId(prefix)
  if (prefix === 'worker') workerId = id
  return id
}

// Like the server, without its features.
const config = readConfig()
const storage = await connectStorage(config, { clock: systemClock, makeUuid: randomUUID, random: randomFraction })
const { database } = storage
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined, flush: () => undefined }
const runtime = { clock: systemClock, makeId, logger, logError }
const connected = await connectCluster(config, { runtime, storage })
const { bus, leases, nodes, jobs: queue } = connected
leases.onLost((leaseId) => emit({ event: 'lost', leaseId }))
database.onInsert('jobs', () => bus.publish('jobs.written', null))

async function recordRun({ jobId, attempt }: Job): Promise<void> {
  const values = sql.join([jobId, attempt, nodes.nodeId, connected.sharedClock.now()])
  const row = sql`insert into runs (job_id, attempt, node_id, began_at) values (${values})`
  await database.batch([{ query: row.compile(database.queryBuilder) }])
}

let gate = Promise.withResolvers<void>()

const work: JobHandler = {
  async run(job, signal) {
    const aborted = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => {
      emit({ event: 'aborted', jobId: job.jobId, attempt: job.attempt })
      aborted.resolve()
    })
    await recordRun(job)
    const { steps } = job.payload as unknown as WorkPayload
    const { holdMs, stopsOnAbort } = steps[Math.min(job.attempt, steps.length) - 1] ?? { holdMs: 0, stopsOnAbort: true }
    const held = holdMs === null ? gate.promise : sleep(holdMs)
    await (stopsOnAbort ? Promise.race([held, aborted.promise]) : held)
    if (stopsOnAbort) signal.throwIfAborted()
  },
}

const schedules =
  process.env.TICKS === '1' ? [{ name: 'tick', pattern: '* * * * * *', kind: 'tick', payload: null }] : []
const worker = createJobWorker({
  database,
  clock: connected.sharedClock,
  makeId,
  handlers: { work, tick: { run: recordRun } },
  schedules,
  logError,
  onJobsWritten: (listener) => bus.subscribe('jobs.written', listener),
})

let streaming = false

async function write(payloads: readonly WorkPayload[]): Promise<string[]> {
  const jobs = payloads.map((payload) =>
    queue.buildEnqueueStatement({
      kind: 'work',
      payload: { group: payload.group, steps: payload.steps.map((step) => ({ ...step })) },
    }),
  )
  await database.batch(jobs)
  return jobs.map(({ jobId }) => jobId)
}

async function stream(payload: WorkPayload): Promise<void> {
  while (streaming) {
    try {
      const jobIds = await write(Array.from({ length: STREAM_JOBS }, () => payload))
      emit({ event: 'wrote', group: payload.group, jobIds })
    } catch (error) {
      logError('write jobs', error)
    }
    await sleep(STREAM_PAUSE_MS)
  }
}

const commands: NodeCommands = {
  take: ({ workspaceId, leaseIds }) => Promise.all(leaseIds.map((leaseId) => leases.acquire(workspaceId, leaseId))),
  release: async (leaseIds) => void (await Promise.all(leaseIds.map((leaseId) => leases.release(leaseId)))),
  runContention: (settings) => runContention({ leases, now: () => database.now(), nodeId: nodes.nodeId }, settings),
  write,
  async stream(payload) {
    streaming = true
    void stream(payload)
  },
  async stopStream() {
    streaming = false
  },
  async releaseWaitingJobs() {
    gate.resolve()
    gate = Promise.withResolvers()
  },
  async lock(workspaceId) {
    const locked = Promise.withResolvers<void>()
    const unit = database.transaction(
      async (transaction) => {
        const row = transaction.selectFrom('workspaces').select('name').where('workspace_id', '=', workspaceId)
        await row.forNoKeyUpdate().execute()
        locked.resolve()
        await gate.promise
      },
      { isolation: 'read-committed' },
    )
    unit.catch((error: unknown) => logError('lock', error))
    await locked.promise
  },
  async stop() {
    streaming = false
    await worker.stop(1_000)
    await connected.stop()
    await storage.close()
  },
}

interface Call {
  readonly call: number
  readonly command: keyof NodeCommands
  readonly argument: unknown
}

process.on('message', async ({ call, command, argument }: Call) => {
  const afterSend = command === 'stop' ? () => process.exit(0) : () => undefined
  try {
    const answer = await (commands[command] as (argument: unknown) => Promise<unknown>)(argument)
    process.send?.({ call, answer }, afterSend)
  } catch (error) {
    process.send?.({ call, failure: String(error) }, afterSend)
  }
})

await connected.start()
worker.start()
emit({ event: 'ready', nodeId: nodes.nodeId, workerId })
