import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import type { Database } from '../../../kernel/storage/database.ts'
import { createInProcessBus } from '../../../platform/bus/in-process-bus.ts'
import { NodeSignals } from '../failover/node-signals.ts'
import { TurnQueue } from './turn-queue.ts'
import { TurnRegistry } from './turn-registry.ts'

/** A queue on a node without others: turns wait in memory alone. */
function createQueue(): TurnQueue {
  const { clock } = manualClock()
  const bus = createInProcessBus(() => undefined)
  const nodes = { nodeId: 'a', isAlive: async () => true }
  const signals = new NodeSignals({ bus, clock, nodeId: 'a', hasOthers: false })
  const database = {} as Database
  return new TurnQueue({ database, clock, nodes, signals, registry: new TurnRegistry(), adopt: async () => undefined })
}

test('work of one chat runs in order, work of others meanwhile, and a failure stops nothing', async () => {
  const queue = createQueue()
  const log: string[] = []
  const first = Promise.withResolvers<void>()
  const a1 = queue.run('a', async () => {
    await first.promise
    log.push('a1')
    throw new Error('a1 failed')
  })
  const a2 = queue.run('a', async () => {
    log.push('a2')
    return 2
  })
  await queue.run('b', async () => void log.push('b1'))
  expect(log).toEqual(['b1'])
  first.resolve()
  await expect(a1).rejects.toThrow('a1 failed')
  expect(await a2).toBe(2)
  expect(log).toEqual(['b1', 'a1', 'a2'])
})

test('a chat is busy while a turn waits or runs', async () => {
  const queue = createQueue()
  const work = Promise.withResolvers<void>()
  const running = queue.run('a', () => work.promise)
  expect([queue.isBusy('a'), queue.isBusy('b')]).toEqual([true, false])
  work.resolve()
  await running
  expect(queue.isBusy('a')).toBe(false)
})
