import { expect, test } from 'vitest'
import { openTestScheduler, type TestScheduler } from './moonshine-test-kit.ts'
import type { Urgency } from './recognition-scheduler.ts'

const REQUEST = { samples: new Int16Array(16_000), rateHz: 16_000, draft: [] } as const

/** Enqueues named tasks and records in which order they start and how they end. */
function createTasks({ scheduler }: TestScheduler) {
  const started: string[] = []
  const ended: string[] = []
  return {
    started,
    ended,
    enqueue: (name: string, urgency: Urgency) =>
      scheduler.enqueue({
        urgency,
        takeRequest() {
          started.push(name)
          return REQUEST
        },
        onEnd: (outcome) => ended.push('failure' in outcome ? `${name}: ${outcome.failure.message}` : name),
      }),
  }
}

test('starts ended utterances first, then pauses, then interim work, each in order of arrival', async () => {
  const setup = openTestScheduler()
  const { enqueue, started, ended } = createTasks(setup)
  enqueue('interim', 'interim')
  enqueue('pause', 'pause')
  for (const name of ['first', 'second', 'third']) enqueue(name, 'final')
  expect(started).toEqual([])
  await setup.getProcess().load()
  for (let index = 0; index < 5; index += 1) await setup.getProcess().answer('')
  expect(started).toEqual(['first', 'second', 'third', 'pause', 'interim'])
  expect(ended).toEqual(started)
})

test('spends at most half of the time on interim work', async () => {
  const setup = openTestScheduler()
  const { enqueue, started } = createTasks(setup)
  setup.scheduler.warmUp()
  const recognizer = setup.getProcess()
  await recognizer.load()
  enqueue('interim', 'interim')
  enqueue('next', 'interim')
  setup.clock.advance(400)
  await recognizer.answer('')
  setup.clock.advance(399)
  expect(started).toEqual(['interim'])
  enqueue('final', 'final')
  expect(started).toEqual(['interim', 'final'])
  await recognizer.answer('')
  setup.clock.advance(1)
  expect(started).toEqual(['interim', 'final', 'next'])
})

test('takes turns between calls at double load and drops their interim work', async () => {
  const setup = openTestScheduler()
  const { enqueue, started } = createTasks(setup)
  setup.scheduler.warmUp()
  await setup.getProcess().load()
  enqueue('start', 'final')
  for (let round = 1; round <= 3; round += 1) {
    for (const call of ['a', 'b', 'c', 'd']) {
      if (round === 1) enqueue(`interim ${call}`, 'interim')
      enqueue(`${call}${round}`, 'final')
    }
    // Half of the work of this round.
    for (let answers = 0; answers < 2; answers += 1) await setup.getProcess().answer('')
  }
  expect(started).toEqual(['start', 'a1', 'b1', 'c1', 'd1', 'a2', 'b2'])
})

test('rejects tasks when the queue is full, and cancels', async () => {
  const setup = openTestScheduler({ maxWaiting: 1 })
  const { enqueue, started, ended } = createTasks(setup)
  const cancel = enqueue('waiting', 'final')
  enqueue('rejected', 'final')
  await Promise.resolve()
  expect(ended).toEqual(['rejected: Too many calls are waiting for the built-in speech recognition.'])
  cancel()
  const cancelRunning = enqueue('running', 'final')
  await setup.getProcess().load()
  cancelRunning()
  enqueue('next', 'final')
  await setup.getProcess().answer('')
  await setup.getProcess().answer('')
  expect(started).toEqual(['running', 'next'])
  expect(ended.slice(1)).toEqual(['next'])
})

test('ends the process when no call was open for a minute, and leaves no timer', async () => {
  const { scheduler, clock, processes, getProcess, logged } = openTestScheduler()
  scheduler.warmUp()
  const removeCall = scheduler.addCall()
  await getProcess().load()
  clock.advance(300_000)
  expect(scheduler.processId).toBe(1)
  removeCall()
  clock.advance(59_999)
  expect(scheduler.processId).toBe(1)
  clock.advance(1)
  expect([scheduler.processId, clock.pendingTimers, logged]).toEqual([undefined, 0, []])
  scheduler.warmUp()
  expect(processes).toHaveLength(2)
  await scheduler.close()
  scheduler.warmUp()
  expect([processes.length, clock.pendingTimers]).toEqual([2, 0])
})

test('starts the process again after a crash during a call and fails only the running task', async () => {
  const setup = openTestScheduler()
  const { enqueue, started, ended } = createTasks(setup)
  setup.scheduler.addCall()
  await setup.getProcess().load()
  enqueue('running', 'final')
  enqueue('waiting', 'final')
  await setup.getProcess().exit()
  expect(ended).toEqual(['running: The process of the built-in speech recognition ended unexpectedly.'])
  expect(setup.processes).toHaveLength(2)
  expect(String(setup.logged[0])).toContain('code 1')
  await setup.getProcess().load()
  await setup.getProcess().answer('')
  expect([started, ended.slice(1)]).toEqual([['running', 'waiting'], ['waiting']])
})

test('fails all tasks if the process cannot start, and starts it again only on demand', async () => {
  const setup = openTestScheduler()
  const { enqueue, ended } = createTasks(setup)
  setup.scheduler.addCall()
  enqueue('one', 'final')
  await setup.getProcess().exit()
  expect(ended).toEqual(['one: The process of the built-in speech recognition could not be started.'])
  expect(setup.processes).toHaveLength(1)
  enqueue('two', 'final')
  expect(setup.processes).toHaveLength(2)
})

test('terminates a process that does not answer or load in time', async () => {
  const setup = openTestScheduler()
  const { enqueue, ended } = createTasks(setup)
  enqueue('slow', 'final')
  setup.clock.advance(30_000)
  await setup.getProcess().exited
  await Promise.resolve()
  expect(ended).toHaveLength(1)
  enqueue('hanging', 'final')
  await setup.getProcess().load()
  setup.clock.advance(10_000)
  await setup.getProcess().exited
  await Promise.resolve()
  expect(ended[1]).toBe('hanging: The process of the built-in speech recognition ended unexpectedly.')
})
