import { describe, expect, test } from 'vitest'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createUnavailableError } from '../database/failure-error.ts'
import { createBlockingHandler, createRecordingHandler, openJobs, readJobs, waitForJob } from './job-test-kit.ts'

const send = { kind: 'send', payload: null }

describe('several workers', () => {
  test('run each of a thousand jobs once', async () => {
    await using world = await openJobs()
    const { database, queue } = world
    const runs = new Map<string, string[]>()
    const all = Promise.withResolvers<void>()
    const both = Promise.withResolvers<void>()
    const started = new Set<string>()
    const handlerOf = (worker: string) => ({
      run: async ({ jobId }: { jobId: string }) => {
        runs.set(jobId, [...(runs.get(jobId) ?? []), worker])
        if (started.add(worker).size === 2) both.resolve()
        // Neither can take all while the other one takes its time.
        await both.promise
        await nextTurn()
        if (runs.size === 1_000) all.resolve()
      },
    })
    world.startWorker({ send: handlerOf('a') })
    world.startWorker({ send: handlerOf('b') })
    for (let batch = 0; batch < 10; batch += 1) {
      await database.batch(Array.from({ length: 100 }, () => queue.buildEnqueueStatement(send)))
    }
    await all.promise
    const isDone = async () => (await readJobs(database)).every(({ status }) => status === 'done')
    while (!(await isDone())) await nextTurn()
    expect([...runs.values()].filter((workers) => workers.length !== 1)).toEqual([])
    expect(new Set([...runs.values()].flat())).toEqual(new Set(['a', 'b']))
    expect((await readJobs(database)).every(({ attempts }) => attempts === 1)).toBe(true)
    expect(world.logged).toEqual([])
  })

  test('resume each job of a crashed worker exactly once', async () => {
    await using world = await openJobs()
    const { database, queue } = world
    const dead = createBlockingHandler()
    const stoppedClock = { now: world.time.clock.now, after: () => () => undefined }
    world.startWorker({ send: dead.handler }, { clock: createSharedClock(stoppedClock) })
    await database.batch(Array.from({ length: 20 }, () => queue.buildEnqueueStatement(send)))
    await dead.started
    const { jobs, handler } = createRecordingHandler()
    for (let count = 0; count < 3; count += 1) world.startWorker({ send: handler })
    const diedAt = world.time.clock.now()
    // Time stands once the lease has lapsed: what is left takes the database's own time, in which no other lease may lapse.
    await world.time.advance(9_000)
    const isDone = async () => (await readJobs(database)).every(({ status }) => status === 'done')
    while (!(await isDone())) await nextTurn()
    dead.finish()
    const ended = (await readJobs(database)).map(({ ended_at }) => (ended_at ?? 0) - diedAt)
    expect(Math.max(...ended)).toBeLessThanOrEqual(15_000)
    expect(jobs.map(({ attempt }) => attempt)).toEqual(Array(20).fill(2))
    expect(new Set(jobs.map(({ jobId }) => jobId)).size).toBe(20)
  })
})

test('a worker that is suspended during a claim does not start jobs that other workers took over', async () => {
  await using world = await openJobs()
  const { database, queue, time } = world
  const late = createRecordingHandler()
  const claimed = Promise.withResolvers<void>()
  const resume = Promise.withResolvers<void>()
  const suspended: Pick<Database, 'read' | 'queryBuilder' | 'transaction' | 'batch' | 'capabilities'> = {
    read: database.read,
    queryBuilder: database.queryBuilder,
    capabilities: database.capabilities,
    batch: (statements, options) => database.batch(statements, options),
    transaction: async (work, options) => {
      const result = await database.transaction(work, options)
      claimed.resolve()
      await resume.promise
      return result
    },
  }
  const silent = { now: time.clock.now, after: () => () => undefined }
  world.startWorker({ send: late.handler }, { database: suspended, clock: createSharedClock(silent) })
  await database.batch([queue.buildEnqueueStatement(send)])
  await claimed.promise
  const { jobs, handler } = createRecordingHandler()
  world.startWorker({ send: handler })
  // Once the lease has lapsed, time stands: what is left takes the database's own time, in which no other lease may lapse.
  await time.advance(9_000)
  await waitForJob(database, ({ status }) => status === 'done')
  resume.resolve()
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  expect(jobs.map(({ attempt }) => attempt)).toEqual([2])
  expect(late.jobs).toEqual([])
})

describe('outcomes of jobs', () => {
  test('are written together, and a lost lease does not affect the others', async () => {
    await using world = await openJobs()
    const { database, queue } = world
    const { handler, started, finish } = createBlockingHandler()
    const batches: number[] = []
    const counted: Pick<Database, 'read' | 'queryBuilder' | 'transaction' | 'batch' | 'capabilities'> = {
      read: database.read,
      queryBuilder: database.queryBuilder,
      capabilities: database.capabilities,
      transaction: (work, options) => database.transaction(work, options),
      batch: async (statements, options) => {
        if (statements.some(({ expectRows }) => expectRows === 1)) batches.push(statements.length)
        await database.batch(statements, options)
      },
    }
    const jobs = Array.from({ length: 20 }, () => queue.buildEnqueueStatement(send))
    await database.batch(jobs)
    world.startWorker({ send: handler }, { database: counted })
    await started
    const lost = jobs[7]?.jobId ?? ''
    const { queryBuilder } = database
    await database.batch([
      { query: queryBuilder.updateTable('jobs').set({ leased_by: 'other' }).where('job_id', '=', lost).compile() },
    ])
    finish()
    const isDone = async () => (await readJobs(database)).filter(({ status }) => status === 'done').length === 19
    while (!(await isDone())) await nextTurn()
    expect(world.logged).toEqual([expect.stringContaining(`lost the lease of job send ${lost}`)])
    expect(batches.length).toBeLessThanOrEqual(4)
  })

  test('are retried during an outage, without running the job again', async () => {
    await using world = await openJobs()
    const { database, queue } = world
    const { jobs, handler } = createRecordingHandler()
    let isAway = false
    const flaky: Pick<Database, 'read' | 'queryBuilder' | 'transaction' | 'batch' | 'capabilities'> = {
      read: database.read,
      queryBuilder: database.queryBuilder,
      capabilities: database.capabilities,
      transaction: (work, options) => database.transaction(work, options),
      batch: async (statements, options) => {
        if (isAway) throw createUnavailableError('The database is away.')
        await database.batch(statements, options)
      },
    }
    const away: typeof handler = {
      run: async (job, signal) => {
        isAway = true
        await handler.run(job, signal)
      },
    }
    world.startWorker({ send: away }, { database: flaky })
    await database.batch([queue.buildEnqueueStatement(send)])
    while (world.logged.length === 0) await nextTurn()
    for (let second = 0; second < 5; second += 1) await world.time.advance(1_000)
    isAway = false
    await world.time.advance(1_000)
    await waitForJob(database, ({ status }) => status === 'done')
    expect(jobs).toHaveLength(1)
  })
})

test('many hints cause few polls', async () => {
  await using world = await openJobs()
  const { handler } = createRecordingHandler()
  let looks = 0
  let hint = (): void => undefined
  const database = new Proxy(world.database, {
    get(target, key) {
      if (key === 'read') looks += 1
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  world.startWorker(
    { send: handler },
    {
      database,
      onJobsWritten: (listener) => {
        hint = listener
        return () => undefined
      },
    },
  )
  for (let turn = 0; turn < 1_000; turn += 1) {
    hint()
    hint()
    await nextTurn()
  }
  expect(looks).toBeLessThanOrEqual(10)
  await world.database.batch([world.queue.buildEnqueueStatement(send)])
  hint()
  const isDone = async () => (await readJobs(world.database)).every(({ status }) => status === 'done')
  while (!(await isDone())) {
    await world.time.advance(1)
    await nextTurn()
  }
})
