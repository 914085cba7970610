import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTestClock } from './models/model-test-kit.ts'
import { FairQueue, type PoolWorker, WorkerPool } from './worker-pool.ts'

const IDLE_MS = 1_000

interface TestWorker extends PoolWorker {
  readonly name: string
  isEnding: boolean
  /** It is gone. */
  exit(): Promise<void>
}

function openPool(maxWorkers: number) {
  const time = createTestClock()
  const started: TestWorker[] = []
  const seen = { canStart: true, exits: 0 }
  const start = (): TestWorker => {
    if (!seen.canStart) throw new Error('The system gives none.')
    const exited = Promise.withResolvers<void>()
    const worker: TestWorker = {
      name: `worker ${started.length + 1}`,
      isEnding: false,
      exited: exited.promise,
      end() {
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
    seen.exits += 1
  }
  const pool = new WorkerPool({ clock: time, maxWorkers, idleMs: IDLE_MS, start, onExit })
  const take = (): TestWorker => {
    const worker = pool.take()
    if (worker === null) throw new Error('none')
    return worker
  }
  return { time, pool, started, seen, take }
}

test('as many as may be are started, and the one that rested last works first', () => {
  const { pool, take } = openPool(2)
  const [first, second] = [take(), take()]
  expect([pool.hasRoom, pool.size]).toEqual([false, 2])
  pool.rest(second)
  pool.rest(first)
  expect([take().name, take().name, pool.hasRoom]).toEqual(['worker 1', 'worker 2', false])
})

test('who rests too long is ended, and there is room again only when it is gone', async () => {
  const { pool, seen, take, time } = openPool(1)
  const worker = take()
  pool.rest(worker)
  time.advance(IDLE_MS - 1)
  expect([take() === worker, time.pendingTimers]).toEqual([true, 0])
  pool.rest(worker)
  time.advance(IDLE_MS)
  expect([worker.isEnding, pool.hasRoom, pool.size]).toEqual([true, false, 1])
  await worker.exit()
  expect([pool.hasRoom, pool.size, seen.exits]).toEqual([true, 0, 1])
  expect(take().name).toBe('worker 2')
})

test('one that dies while it rests is not taken, and leaves no timer', async () => {
  const { pool, take, time } = openPool(2)
  const worker = take()
  pool.rest(worker)
  await worker.exit()
  expect([pool.size, time.pendingTimers, take().name]).toEqual([0, 0, 'worker 2'])
})

test('without a startable thread there is no pool, and nothing is counted', () => {
  const { pool, seen } = openPool(1)
  seen.canStart = false
  expect([pool.take(), pool.size, pool.hasRoom]).toEqual([null, 0, true])
})

test('closing ends those that rest and those that work, and waits for them', async () => {
  const { pool, started, take, time } = openPool(2)
  take()
  pool.rest(take())
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
  const taken: Item[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

function queueOf(items: readonly string[], maxRunningPerGroup?: number): FairQueue<string> {
  const queue = new FairQueue<string>(maxRunningPerGroup === undefined ? {} : { maxRunningPerGroup })
  for (const item of items) queue.push(item.slice(0, 1), item)
  return queue
}

describe('a fair queue', () => {
  test('takes the groups in turn, each group in its own order', () => {
    expect(takeAll(queueOf(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  test('passes over a group at its limit, which keeps its turn', () => {
    const queue = queueOf(['a1', 'a2', 'b1', 'b2', 'b3'], 1)
    expect(takeAll(queue)).toEqual(['a1', 'b1'])
    queue.finish('b1')
    expect(queue.take()).toBe('b2')
    queue.finish('b2')
    queue.finish('a1')
    expect(takeAll(queue)).toEqual(['a2', 'b3'])
  })

  test('counts a running item of its group until it is finished, and only once', () => {
    const queue = queueOf(['a1', 'a2', 'a3'], 2)
    expect(takeAll(queue)).toEqual(['a1', 'a2'])
    queue.finish('a1')
    queue.finish('a1')
    expect(takeAll(queue)).toEqual(['a3'])
  })

  test('gives up items before their turn', () => {
    const queue = queueOf(['a1', 'a2', 'b1'])
    expect([queue.remove('a1'), queue.remove('a1'), queue.size, queue.sizeOf('a')]).toEqual([true, false, 2, 1])
    expect(queue.clear()).toEqual(['a2', 'b1'])
    expect([queue.size, queue.take()]).toEqual([0, undefined])
  })

  test('loses nothing, and no group waits for more than one item of each other group', () => {
    const groups = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 })
    fc.assert(
      fc.property(groups, (sequence) => {
        const items = sequence.map((group, index) => `${group}-${index}`)
        const taken = takeAll(queueOf(items))
        expect(taken.toSorted()).toEqual(items.toSorted())
        const seen = new Map<string, number>()
        const rounds = taken.map((item) => {
          const round = (seen.get(item.slice(0, 1)) ?? 0) + 1
          seen.set(item.slice(0, 1), round)
          return round
        })
        expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
      }),
    )
  })
})
