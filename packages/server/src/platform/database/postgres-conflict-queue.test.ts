import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { ConflictQueue } from './postgres-conflict-queue.ts'

const changesOf = (...tables: string[]) => ({ changed: new Set(tables), changedAny: false })

test('rivals go on one after the other in the order of arrival, those of other tables meanwhile', async () => {
  const time = manualClock()
  const conflictQueue = new ConflictQueue(time.clock)
  const order: string[] = []
  const enter = async (name: string, ...tables: string[]) => {
    const leave = await conflictQueue.enter(changesOf(...tables), 1000)
    order.push(name)
    return leave
  }
  const first = await enter('first', 'agents', 'agent_versions')
  const second = enter('second', 'agent_versions', 'agents')
  const third = enter('third', 'agents', 'agent_versions')
  await enter('other', 'calls')
  expect(order).toEqual(['first', 'other'])
  first?.()
  const leaveQueue = await second
  expect(order).toEqual(['first', 'other', 'second'])
  leaveQueue?.()
  await third
  expect(order).toEqual(['first', 'other', 'second', 'third'])
  expect(time.pendingTimers()).toBe(0)
})

test('who waits too long gives up, and those behind it keep their place', async () => {
  const time = manualClock()
  const conflictQueue = new ConflictQueue(time.clock)
  const first = await conflictQueue.enter(changesOf('agents'), 1000)
  const second = conflictQueue.enter(changesOf('agents'), 1000)
  const third = conflictQueue.enter(changesOf('agents'), 5000)
  await time.advance(1000)
  expect(await second).toBeNull()
  first?.()
  expect(await third).not.toBeNull()
})
