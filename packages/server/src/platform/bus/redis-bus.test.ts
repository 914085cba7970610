import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRedis, type PrivateRedis, startPrivateRedis } from '../../../../../testing/private-redis.ts'
import { type BusSource, describeManyNodes, describeSingleNode, openNode } from './bus-contract-test-kit.ts'
import { createInProcessBus } from './in-process-bus.ts'
import { createRedisBus } from './redis-bus.ts'

describe.skipIf(findRedis() === null)('the bus over Redis', () => {
  let redis: PrivateRedis
  beforeAll(async () => {
    redis = await startPrivateRedis()
  })
  afterAll(async () => await redis[Symbol.asyncDispose]())
  const installation = (installationId: string): BusSource => ({
    open: (parts) => createRedisBus({ ...parts, installationId }),
    url: () => redis.url,
  })
  describeSingleNode('Redis', installation('here'))
  describeManyNodes('Redis', installation('here'))

  test("two installations on one Redis server do not receive each other's messages", async () => {
    await using here = await openNode(installation('here'), 'one')
    await using also = await openNode(installation('here'), 'two')
    await using foreign = await openNode(installation('there'), 'three')
    const { received } = foreign.collect('t')
    const { until } = also.collect('t')
    here.bus.publish('t', 1)
    await until(1)
    foreign.bus.publish('t', 2)
    await foreign.collect('t').until(0)
    expect(received).toEqual([2])
  })

  test('reconnects after a killed Redis and reports it once', async () => {
    await using one = await openNode(installation('here'), 'one')
    await using two = await openNode(installation('here'), 'two')
    const { until } = two.collect('t')
    await redis.kill('SIGKILL')
    await expect.poll(() => one.bus.getFault()).toMatch(/^Redis cannot be reached \([\w ]+\)\.$/)
    await redis.start()
    await expect.poll(() => [one.gaps(), two.gaps()], { timeout: 10_000 }).toEqual([1, 1])
    one.bus.publish('t', 'again')
    expect(await until(1)).toEqual(['again'])
  })
})

describeSingleNode('the bus of one process', { open: ({ logError }) => createInProcessBus(logError) })
