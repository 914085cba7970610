import { describe, expect, test } from 'vitest'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import type { JobHandler } from '../../kernel/work/jobs.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createBlockingHandler, createRecordingHandler, openJobs, readJobs, waitForJob } from './job-test-kit.ts'
import type { JobWorkerOptions } from './job-worker.ts'

const HOUR_MS = 3_600_000

describe('a job', () => {
  test('starts right after its commit, without waiting', async () => {
    await using world = await openJobs()
    const { jobs, handler } = createRecordingHandler()
    world.startWorker({ send: handler })
    const jobId = await world.database.transaction((transaction) =>
      world.queue.enqueue(transaction, { kind: 'send', payload: { to: 'x' } }),
    )
    const done = await waitForJob(world.database, ({ status }) => status === 'done')
    expect(jobs).toEqual([{ jobId, kind: 'send', payload: { to: 'x' }, attempt: 1, maxAttempts: 10 }])
    expect(done).toMatchObject({
      leased_by: null,
      lease_until: null,
      last_error: null,
      ended_at: world.time.clock.now(),
    })
  })

  test('can be written by a batch', async () => {
    await using world = await openJobs()
    const { jobs, handler } = createRecordingHandler()
    world.startWorker({ send: handler })
    const statement = world.queue.buildEnqueueStatement({ kind: 'send', payload: [1] })
    await world.database.batch([statement])
    await waitForJob(world.database, ({ status }) => status === 'done')
    expect(jobs[0]).toMatchObject({ jobId: statement.jobId, payload: [1] })
  })

  test('is not stored by a transaction that rolls back', async () => {
    await using world = await openJobs()
    const failed = world.database.transaction(async (transaction) => {
      await world.queue.enqueue(transaction, { kind: 'send', payload: null })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await readJobs(world.database)).toEqual([])
  })

  test('waits for its time', async () => {
    await using world = await openJobs()
    const { jobs, handler } = createRecordingHandler()
    const runAt = world.time.clock.now() + 300
    await world.database.batch([world.queue.buildEnqueueStatement({ kind: 'send', payload: null, runAt })])
    world.startWorker({ send: handler })
    // For its next look, beside that for the leases and that for what ended long ago.
    while (world.time.countPendingTimers() < 3) await nextTurn()
    await world.time.advance(299)
    expect([jobs, world.time.countPendingTimers()]).toEqual([[], 3])
    await world.time.advance(1)
    const done = await waitForJob(world.database, ({ status }) => status === 'done')
    expect(done.ended_at).toBe(runAt)
  })

  test('is ignored without a handler of its kind', async () => {
    await using world = await openJobs()
    const { handler } = createRecordingHandler()
    world.startWorker({ send: handler })
    await world.database.batch([
      world.queue.buildEnqueueStatement({ kind: 'other', payload: null }),
      world.queue.buildEnqueueStatement({ kind: 'send', payload: null }),
    ])
    await waitForJob(world.database, ({ status }) => status === 'done')
    expect((await readJobs(world.database)).map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
      'other pending',
      'send done',
    ])
  })

  test('run with bounded concurrency, each once', async () => {
    await using world = await openJobs()
    const seen = new Set<string>()
    let atOnce = 0
    let most = 0
    const all = Promise.withResolvers<void>()
    const handler: JobHandler = {
      async run({ jobId }) {
        expect(seen.has(jobId)).toBe(false)
        seen.add(jobId)
        atOnce += 1
        most = Math.max(most, atOnce)
        await nextTurn()
        atOnce -= 1
        if (seen.size === 60) all.resolve()
      },
    }
    await world.database.batch(
      Array.from({ length: 60 }, () => world.queue.buildEnqueueStatement({ kind: 'send', payload: null })),
    )
    world.startWorker({ send: handler }, { concurrency: 7 })
    await all.promise
    expect(most).toBe(7)
    expect(world.logged).toEqual([])
  })
})

describe('jobs of several workspaces', () => {
  const send = (workspaceId: number) => ({ kind: 'send', payload: workspaceId, workspaceId })

  test('start despite a backlog of slow jobs in another workspace', async () => {
    await using world = await openJobs()
    const running: number[] = []
    const release = Promise.withResolvers<void>()
    const others = Promise.withResolvers<void>()
    const handler: JobHandler = {
      async run({ payload }) {
        running.push(Number(payload))
        if (payload === 3) others.resolve()
        if (payload === 1) await release.promise
      },
    }
    await world.database.batch(Array.from({ length: 50 }, () => world.queue.buildEnqueueStatement(send(1))))
    world.startWorker({ send: handler }, { concurrency: 8 })
    while (running.length < 6) await nextTurn()
    await world.database.batch([2, 2, 3].map((workspaceId) => world.queue.buildEnqueueStatement(send(workspaceId))))
    await others.promise
    expect(running.filter((workspaceId) => workspaceId === 1)).toHaveLength(6)
    release.resolve()
    while ((await readJobs(world.database)).some(({ status }) => status !== 'done')) await nextTurn()
    expect(world.logged).toEqual([])
  })

  test('start when a slot of their workspace is freed during a poll', async () => {
    await using world = await openJobs()
    const { database } = world
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const endFirst = Promise.withResolvers<void>()
    const claimed = Promise.withResolvers<void>()
    const endWritten = Promise.withResolvers<void>()
    let isEnding = false
    const interleaved: JobWorkerOptions['database'] = {
      read: database.read,
      queryBuilder: database.queryBuilder,
      capabilities: database.capabilities,
      async batch(statements) {
        if (isEnding) await claimed.promise
        await database.batch(statements)
        if (isEnding) endWritten.resolve()
      },
      async transaction(work, options) {
        const result = await database.transaction(work, options)
        if (isEnding) {
          claimed.resolve()
          await endWritten.promise
        }
        return result
      },
    }
    const handler: JobHandler = {
      async run({ payload }) {
        started[Number(payload)]?.resolve()
        if (payload === 0) await endFirst.promise
      },
    }
    const now = world.time.clock.now()
    const jobs = [0, 1].map((payload) => ({ kind: 'send', payload, workspaceId: 1, runAt: now - 10 + payload }))
    await database.batch(jobs.map((job) => world.queue.buildEnqueueStatement(job)))
    world.startWorker({ send: handler }, { database: interleaved, concurrency: 2 })
    await started[0]?.promise
    isEnding = true
    endFirst.resolve()
    await started[1]?.promise
  })

  test('take turns, each in its own order', async () => {
    await using world = await openJobs()
    const { jobs, handler } = createRecordingHandler()
    const start = world.time.clock.now()
    const waiting = [1, 1, 1, 1, 2, 2, 3].map((workspaceId, index) =>
      world.queue.buildEnqueueStatement({
        ...send(workspaceId),
        payload: `${workspaceId}-${index}`,
        runAt: start - 100 + index,
      }),
    )
    await world.database.batch(waiting)
    world.startWorker({ send: handler }, { concurrency: 1 })
    while ((await readJobs(world.database)).some(({ status }) => status !== 'done')) await nextTurn()
    expect(jobs.map(({ payload }) => payload)).toEqual(['1-0', '2-4', '3-6', '1-1', '2-5', '1-2', '1-3'])
  })
})

describe('a failing job', () => {
  test('is retried after a delay, and fails when its attempts are used up', async () => {
    await using world = await openJobs()
    const attempts: number[] = []
    const handler: JobHandler = {
      async run({ attempt }) {
        attempts.push(attempt)
        throw new TypeError(`attempt ${attempt} broke`)
      },
      retryDelayMs: (attempt) => attempt * 100,
    }
    world.startWorker({ send: handler })
    const start = world.time.clock.now()
    await world.database.batch([world.queue.buildEnqueueStatement({ kind: 'send', payload: null, maxAttempts: 2 })])
    const waiting = await waitForJob(world.database, ({ last_error }) => last_error !== null)
    expect(waiting).toMatchObject({ status: 'pending', run_at: start + 100, last_error: 'TypeError: attempt 1 broke' })
    await world.time.advance(1_000)
    const failed = await waitForJob(world.database, ({ status }) => status === 'failed')
    expect(failed).toMatchObject({ attempts: 2, last_error: 'TypeError: attempt 2 broke', leased_by: null })
    expect(attempts).toEqual([1, 2])
    expect(world.logged[0]).toContain('attempt 1 of 2: attempt 1 broke')
  })

  test('is aborted at its timeout and counts as failed', async () => {
    await using world = await openJobs()
    const { handler, started } = createBlockingHandler()
    world.startWorker({ send: { ...handler, timeoutMs: 50 } })
    await world.database.batch([world.queue.buildEnqueueStatement({ kind: 'send', payload: null, maxAttempts: 1 })])
    const { signal } = await started
    await world.time.advance(50)
    const failed = await waitForJob(world.database, ({ status }) => status === 'failed')
    expect(failed.last_error).toBe('Error: The job timed out after 50 ms.')
    expect(signal.aborted).toBe(true)
  })
})

describe('leases', () => {
  test('another worker takes over the job of a dead one when its lease expires', async () => {
    await using world = await openJobs()
    const dead = createBlockingHandler()
    // It dies with the job in its hands: no renewal ever reaches the database.
    const stoppedClock = { now: world.time.clock.now, after: () => () => undefined }
    world.startWorker({ send: dead.handler }, { clock: createSharedClock(stoppedClock), leaseMs: 9_000 })
    await world.database.batch([world.queue.buildEnqueueStatement({ kind: 'send', payload: null })])
    await dead.started
    const { jobs, handler } = createRecordingHandler()
    world.startWorker({ send: handler }, { leaseMs: 9_000 })
    await world.time.advance(8_000)
    expect(jobs).toEqual([])
    await world.time.advance(2_000)
    await waitForJob(world.database, ({ status }) => status === 'done')
    expect(jobs).toMatchObject([{ attempt: 2 }])
    // The dead one comes back: what it says about the job is not believed.
    dead.fail(new Error('too late'))
    while (!world.logged.some((line) => line.startsWith('lost the lease'))) {
      await nextTurn()
    }
    expect((await readJobs(world.database))[0]).toMatchObject({ status: 'done', last_error: null })
  })

  test('a crash with the last attempt fails the job', async () => {
    await using world = await openJobs()
    const dead = createBlockingHandler()
    const stoppedClock = { now: world.time.clock.now, after: () => () => undefined }
    world.startWorker({ send: dead.handler }, { clock: createSharedClock(stoppedClock), leaseMs: 9_000 })
    await world.database.batch([world.queue.buildEnqueueStatement({ kind: 'send', payload: null, maxAttempts: 1 })])
    await dead.started
    const { jobs, handler } = createRecordingHandler()
    world.startWorker({ send: handler }, { leaseMs: 9_000 })
    await world.time.advance(12_000)
    const failed = await waitForJob(world.database, ({ status }) => status === 'failed')
    expect(failed.last_error).toBe('The process running the job stopped.')
    expect(jobs).toEqual([])
    dead.finish()
  })

  test('a long job keeps its lease', async () => {
    await using world = await openJobs()
    const { handler, started, finish } = createBlockingHandler()
    world.startWorker({ send: handler }, { leaseMs: 9_000 })
    await world.database.batch([world.queue.buildEnqueueStatement({ kind: 'send', payload: null })])
    const { signal } = await started
    const start = world.time.clock.now()
    for (let heartbeat = 1; heartbeat <= 5; heartbeat += 1) {
      await world.time.advance(3_000)
      await waitForJob(world.database, ({ lease_until }) => lease_until === start + heartbeat * 3_000 + 9_000)
    }
    finish()
    await waitForJob(world.database, ({ status, attempts }) => status === 'done' && attempts === 1)
    expect(signal.aborted).toBe(false)
  })
})

describe('stop', () => {
  test('waits for running jobs and claims no new ones', async () => {
    await using world = await openJobs()
    const { handler, started, finish } = createBlockingHandler()
    const worker = world.startWorker({ send: handler }, { concurrency: 1 })
    await world.database.batch([
      world.queue.buildEnqueueStatement({ kind: 'send', payload: 1 }),
      world.queue.buildEnqueueStatement({ kind: 'send', payload: 2 }),
    ])
    await started
    const stopped = worker.stop(10_000)
    finish()
    await stopped
    expect((await readJobs(world.database)).map(({ status }) => status).sort()).toEqual(['done', 'pending'])
    expect(world.time.countPendingTimers()).toBe(0)
  })

  test('releases unfinished jobs at the deadline without counting the attempt', async () => {
    await using world = await openJobs()
    const { handler, started, finish } = createBlockingHandler()
    const worker = world.startWorker({ send: handler })
    await world.database.batch([world.queue.buildEnqueueStatement({ kind: 'send', payload: null })])
    const { signal } = await started
    const stopped = worker.stop(500)
    // The wait may begin a turn later, after a claim under way.
    while (!signal.aborted) {
      await world.time.advance(500)
      await nextTurn()
    }
    await stopped
    finish()
    expect(await readJobs(world.database)).toMatchObject([{ status: 'pending', attempts: 0, leased_by: null }])
  })
})

describe('schedules', () => {
  const hourly = { name: 'sweep', pattern: '0 * * * *', kind: 'sweep', payload: null }

  test('write the next run once for all workers and run it on time', async () => {
    await using world = await openJobs()
    const { jobs, handler } = createRecordingHandler()
    world.startWorker({ sweep: handler }, { schedules: [hourly] })
    world.startWorker({ sweep: handler }, { schedules: [hourly] })
    const start = world.time.clock.now()
    const first = await waitForJob(world.database, ({ status }) => status === 'pending')
    expect(first.run_at).toBe(start + HOUR_MS)
    await world.time.advance(HOUR_MS)
    await waitForJob(world.database, ({ run_at, status }) => run_at === start + HOUR_MS && status === 'done')
    await waitForJob(world.database, ({ run_at, status }) => run_at === start + 2 * HOUR_MS && status === 'pending')
    expect(jobs).toHaveLength(1)
    expect(await readJobs(world.database)).toHaveLength(2)
  })

  test('a run missed during downtime runs once afterwards', async () => {
    await using world = await openJobs()
    const { jobs, handler } = createRecordingHandler()
    const first = world.startWorker({ sweep: handler }, { schedules: [hourly] })
    await waitForJob(world.database, ({ status }) => status === 'pending')
    await first.stop(0)
    await world.time.advance(5.5 * HOUR_MS)
    world.startWorker({ sweep: handler }, { schedules: [hourly] })
    await waitForJob(world.database, ({ status }) => status === 'done')
    expect(jobs).toHaveLength(1)
  })

  test('an invalid pattern fails the start', async () => {
    await using world = await openJobs()
    const { handler } = createRecordingHandler()
    expect(() => world.startWorker({ sweep: handler }, { schedules: [{ ...hourly, pattern: 'whenever' }] })).toThrow()
  })
})

test('deletes jobs that ended long ago, but not recent or pending ones', async () => {
  await using world = await openJobs()
  const { handler } = createRecordingHandler()
  const now = world.time.clock.now()
  const age = (days: number) => now - days * 24 * HOUR_MS
  const row = {
    workspace_id: 0,
    payload: 'null',
    attempts: 1,
    max_attempts: 1,
    leased_by: null,
    lease_until: null,
    last_error: null,
  }
  await world.database.transaction(async (transaction) => {
    for (const [job_id, status, days] of [
      ['old', 'done', 4],
      ['recent', 'done', 2],
      ['old-failed', 'failed', 31],
      ['recent-failed', 'failed', 29],
      ['waiting', 'pending', 99],
    ] as const) {
      const ended_at = status === 'pending' ? null : age(days)
      const times = { run_at: age(days), created_at: age(days), ended_at }
      await transaction
        .insertInto('jobs')
        .values({ ...row, ...times, job_id, kind: 'x', status })
        .execute()
    }
  })
  world.startWorker({ send: handler })
  while ((await readJobs(world.database)).length > 3) await nextTurn()
  const left = (await readJobs(world.database)).map(({ job_id }) => job_id).sort()
  expect(left).toEqual(['recent', 'recent-failed', 'waiting'])
})
