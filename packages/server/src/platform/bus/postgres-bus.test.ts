import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPostgres, type PrivatePostgres, startPrivatePostgres } from '../../../../../testing/private-postgres.ts'
import { type BusSource, describeManyNodes, describeOwnNode, openNode } from './bus-contract-test-kit.ts'
import { createPostgresBus } from './postgres-bus.ts'

describe.skipIf(findPostgres() === null)('the bus over PostgreSQL', () => {
  let postgres: PrivatePostgres
  let url = ''
  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    url = await postgres.createDatabase()
  })
  afterAll(async () => await postgres[Symbol.asyncDispose]())
  const source: BusSource = { open: createPostgresBus, url: () => url }
  describeOwnNode('PostgreSQL', source)
  describeManyNodes('PostgreSQL', source)

  test('survives a server that was killed, told once', async () => {
    await using one = await openNode(source, 'one')
    await using two = await openNode(source, 'two')
    const { until } = two.collect('t')
    await postgres.kill('SIGKILL')
    await expect.poll(() => one.bus.status()).toMatch(/^PostgreSQL cannot be reached .+ \([\w ]+\)\.$/)
    await postgres.start()
    await expect.poll(() => [one.gaps(), two.gaps()], { timeout: 10_000 }).toEqual([1, 1])
    one.bus.publish('t', 'again')
    expect(await until(1)).toEqual(['again'])
  })
})
