import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTestClock } from './models/model-test-kit.ts'
import { FairQueue, type PoolWorker, WorkerPool } from './worker-pool.ts'

const IDLE_MS = 1_000

interface TestWorker extends PoolWorker {
  readonly name: string
  isEnding: boolean
  /** Simulates the exit of the worker. */
  exit(): Promise<void>
}

function openPool(maxWorkers: number) {
  const time = createTestClock()
  const started: TestWorker[] = []
  const state = { canStart: true, exits: 0 }
  const start = (): TestWorker => {
    if (!state.canStart) throw new Error('The system cannot start a worker.')
    const exited = Promise.withResolvers<void>()
    const worker: TestWorker = {
      name: `worker ${started.length + 1}`,
      isEnding: false,
      exited: exited.promise,
      terminate() {
        worker.isEnding = true
        return exited.promise
      },
      async exit() {
        exited.resolve()
        await exited.promise
      },
    }
    started.push(worker)
    return worker
  }
  const onExit = (): void => {
    state.exits += 1
  }
  const pool = new WorkerPool({ clock: time, maxWorkers, idleMs: IDLE_MS, start, onExit })
  const take = (): TestWorker => {
    const worker = pool.acquire()
    if (worker === null) throw new Error('The pool has no worker.')
    return worker
  }
  return { time, pool, started, seen: state, take }
}

test('starts workers up to the maximum and reuses the most recently released worker', () => {
  const { pool, take } = openPool(2)
  const [first, second] = [take(), take()]
  expect([pool.hasCapacity, pool.size]).toEqual([false, 2])
  pool.release(second)
  pool.release(first)
  expect([take().name, take().name, pool.hasCapacity]).toEqual(['worker 1', 'worker 2', false])
})

test('ends a worker that is idle for too long and frees its place after its exit', async () => {
  const { pool, seen, take, time } = openPool(1)
  const worker = take()
  pool.release(worker)
  time.advance(IDLE_MS - 1)
  expect([take() === worker, time.pendingTimers]).toEqual([true, 0])
  pool.release(worker)
  time.advance(IDLE_MS)
  expect([worker.isEnding, pool.hasCapacity, pool.size]).toEqual([true, false, 1])
  await worker.exit()
  expect([pool.hasCapacity, pool.size, seen.exits]).toEqual([true, 0, 1])
  expect(take().name).toBe('worker 2')
})

test('does not reuse an idle worker that has exited and leaves no timer', async () => {
  const { pool, take, time } = openPool(2)
  const worker = take()
  pool.release(worker)
  await worker.exit()
  expect([pool.size, time.pendingTimers, take().name]).toEqual([0, 0, 'worker 2'])
})

test('returns null and counts no worker if none can start', () => {
  const { pool, seen } = openPool(1)
  seen.canStart = false
  expect([pool.acquire(), pool.size, pool.hasCapacity]).toEqual([null, 0, true])
})

test('ends idle and busy workers on close and waits for their exit', async () => {
  const { pool, started, take, time } = openPool(2)
  take()
  pool.release(take())
  let isClosed = false
  const closed = pool.close().then(() => {
    isClosed = true
  })
  expect([started.map(({ isEnding }) => isEnding), time.pendingTimers]).toEqual([[true, true], 0])
  await started[0]?.exit()
  expect(isClosed).toBe(false)
  await started[1]?.exit()
  await closed
  expect(pool.size).toBe(0)
})

function takeAll<Item>(queue: FairQueue<Item>): Item[] {
  const takenItems: Item[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) takenItems.push(item)
  return takenItems
}

function createQueue(items: readonly string[], maxRunningPerGroup?: number): FairQueue<string> {
  const queue = new FairQueue<string>(maxRunningPerGroup === undefined ? {} : { maxRunningPerGroup })
  for (const item of items) queue.push(item.slice(0, 1), item)
  return queue
}

describe('a fair queue', () => {
  test('takes groups in turn and keeps the order within each group', () => {
    expect(takeAll(createQueue(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  test('skips a group at its limit without losing its turn', () => {
    const queue = createQueue(['a1', 'a2', 'b1', 'b2', 'b3'], 1)
    expect(takeAll(queue)).toEqual(['a1', 'b1'])
    queue.finish('b1')
    expect(queue.take()).toBe('b2')
    queue.finish('b2')
    queue.finish('a1')
    expect(takeAll(queue)).toEqual(['a2', 'b3'])
  })

  test('counts a running item exactly once until it is finished', () => {
    const queue = createQueue(['a1', 'a2', 'a3'], 2)
    expect(takeAll(queue)).toEqual(['a1', 'a2'])
    queue.finish('a1')
    queue.finish('a1')
    expect(takeAll(queue)).toEqual(['a3'])
  })

  test('removes queued items', () => {
    const queue = createQueue(['a1', 'a2', 'b1'])
    expect([queue.remove('a1'), queue.remove('a1'), queue.size, queue.getGroupSize('a')]).toEqual([true, false, 2, 1])
    expect(queue.clear()).toEqual(['a2', 'b1'])
    expect([queue.size, queue.take()]).toEqual([0, undefined])
  })

  test('takes every item once and serves the groups in rounds', () => {
    const groups = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 })
    fc.assert(
      fc.property(groups, (sequence) => {
        const items = sequence.map((group, index) => `${group}-${index}`)
        const takenItems = takeAll(createQueue(items))
        expect(takenItems.toSorted()).toEqual(items.toSorted())
        const lastRounds = new Map<string, number>()
        const rounds = takenItems.map((item) => {
          const round = (lastRounds.get(item.slice(0, 1)) ?? 0) + 1
          lastRounds.set(item.slice(0, 1), round)
          return round
        })
        expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
      }),
    )
  })
})
