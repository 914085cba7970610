import { expect, test } from 'vitest'
import { createTestClock } from './models/model-test-kit.ts'
import { type CrewWorker, WorkerCrew } from './worker-crew.ts'

const IDLE_MS = 1_000

interface TestWorker extends CrewWorker {
  readonly name: string
  isEnding: boolean
  /** It is gone. */
  exit(): Promise<void>
}

function openCrew(most: number) {
  const time = createTestClock()
  const started: TestWorker[] = []
  const seen = { mayStart: true, exits: 0 }
  const start = (): TestWorker => {
    if (!seen.mayStart) throw new Error('The system gives none.')
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
  const crew = new WorkerCrew({ clock: time, most, idleMs: IDLE_MS, start, onExit })
  const take = (): TestWorker => {
    const worker = crew.take()
    if (worker === null) throw new Error('none')
    return worker
  }
  return { time, crew, started, seen, take }
}

test('as many as may be are started, and the one that rested last works first', () => {
  const { crew, take } = openCrew(2)
  const [first, second] = [take(), take()]
  expect([crew.hasRoom, crew.size]).toEqual([false, 2])
  crew.rest(second)
  crew.rest(first)
  expect([take().name, take().name, crew.hasRoom]).toEqual(['worker 1', 'worker 2', false])
})

test('who rests too long is ended, and there is room again only when it is gone', async () => {
  const { crew, seen, take, time } = openCrew(1)
  const worker = take()
  crew.rest(worker)
  time.advance(IDLE_MS - 1)
  expect([take() === worker, time.pendingTimers]).toEqual([true, 0])
  crew.rest(worker)
  time.advance(IDLE_MS)
  expect([worker.isEnding, crew.hasRoom, crew.size]).toEqual([true, false, 1])
  await worker.exit()
  expect([crew.hasRoom, crew.size, seen.exits]).toEqual([true, 0, 1])
  expect(take().name).toBe('worker 2')
})

test('one that dies while it rests is not taken, and leaves no timer', async () => {
  const { crew, take, time } = openCrew(2)
  const worker = take()
  crew.rest(worker)
  await worker.exit()
  expect([crew.size, time.pendingTimers, take().name]).toEqual([0, 0, 'worker 2'])
})

test('where none can be started there is none, and nothing is counted', () => {
  const { crew, seen } = openCrew(1)
  seen.mayStart = false
  expect([crew.take(), crew.size, crew.hasRoom]).toEqual([null, 0, true])
})

test('closing ends those that rest and those that work, and waits for them', async () => {
  const { crew, started, take, time } = openCrew(2)
  take()
  crew.rest(take())
  let isClosed = false
  const closed = crew.close().then(() => {
    isClosed = true
  })
  expect([started.map(({ isEnding }) => isEnding), time.pendingTimers]).toEqual([[true, true], 0])
  await started[0]?.exit()
  expect(isClosed).toBe(false)
  await started[1]?.exit()
  await closed
  expect(crew.size).toBe(0)
})
