import { expect, test } from 'vitest'
import { createMinuteJob, type DueWork, MAX_PER_BATCH, runDueWork } from './due-work.ts'

/** Creates work on this many items. One item fails immediately, and the others take several turns. */
function createWork(count: number, postpone: DueWork<number>['postpone']) {
  const startedItems: number[] = []
  const finishedItems: number[] = []
  const work: DueWork<number> = {
    find: async () => Array.from({ length: count }, (_, index) => index),
    async process(item) {
      startedItems.push(item)
      if (item === 0) throw new Error('the item cannot be processed')
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
      finishedItems.push(item)
    },
    postpone,
  }
  return { due: work, started: startedItems, done: finishedItems }
}

test('one failing item does not block others and is reported at the end', async () => {
  const postponedItems: number[] = []
  const { due, done } = createWork(50, async (item) => void postponedItems.push(item))
  await expect(runDueWork(due)).rejects.toThrow('the item cannot be processed')
  expect(done).toHaveLength(49)
  expect(postponedItems).toEqual([0])
})

test('when postponing fails too, started work completes and no more starts', async () => {
  const { due, started, done } = createWork(MAX_PER_BATCH, () =>
    Promise.reject(new Error('the database is unavailable')),
  )
  await expect(runDueWork(due)).rejects.toThrow('the item cannot be processed')
  expect(started).toHaveLength(20)
  expect(done).toHaveLength(19)
})

test("a minute job runs its work on schedule and stops with the job's signal", async () => {
  const signals: AbortSignal[] = []
  const { handlers, schedules } = createMinuteJob('tick', async (signal) => void signals.push(signal))
  expect(schedules).toEqual([{ name: 'tick', pattern: '* * * * *', kind: 'tick', payload: {} }])
  const { signal } = new AbortController()
  await handlers.tick?.run({ jobId: 'job_1', kind: 'tick', payload: {}, attempt: 1, maxAttempts: 10 }, signal)
  expect(signals).toEqual([signal])
})
