import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { advanceUntil } from '../../../../../testing/advance-until.ts'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createEmbeddedNodes } from '../../platform/nodes/embedded-nodes.ts'
import { createConcurrencyService } from './concurrency-service.ts'
import { createHeldLeases, createLeaseReservations, type HeldLeases } from './held-leases.ts'

interface TestHolder extends HeldLeases {
  readonly lost: readonly string[]
  readonly logged: readonly string[]
  /** Number of transactions so far. */
  readonly transactionCount: number
  /** Notifies this node that another node died. */
  reportDeath(nodeId: string): Promise<void>
  /** Whether this node's writes fail. */
  isPartitioned: boolean
}

async function openCluster(concurrency = 20) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database, [1, 2], { concurrency_base: concurrency - 1, concurrency_purchased: 1 })
  const time = createManualClock()
  const holders: TestHolder[] = []
  const { getConcurrency } = createConcurrencyService({ database, clock: createSharedClock(time.clock) })
  const usage = async (workspaceId = 1) => (await getConcurrency(workspaceId)).currentUsage

  function addNode(nodeId: string, clock = time.clock): TestHolder {
    const deathListeners: ((nodeId: string) => Promise<void>)[] = []
    const lost: string[] = []
    const logged: string[] = []
    const state = { isPartitioned: false, transactionCount: 0 }
    const throwIfPartitioned = (): void => {
      if (state.isPartitioned) throw new Error('connection lost')
    }
    const leases = createHeldLeases({
      database: {
        read: database.read,
        queryBuilder: database.queryBuilder,
        capabilities: database.capabilities,
        batch: async (statements) => {
          throwIfPartitioned()
          await database.batch(statements)
        },
        transaction: async (work, options) => {
          throwIfPartitioned()
          state.transactionCount += 1
          return await database.transaction(work, options)
        },
      },
      clock: createSharedClock(clock),
      nodes: { nodeId, onNodeCrash: (listener) => void deathListeners.push(listener) },
      logError: (name, error) => logged.push(`${name}: ${error instanceof Error ? error.message : error}`),
    })
    leases.onLost((leaseId) => lost.push(leaseId))
    leases.start()
    const holder: TestHolder = {
      ...{ lost, logged },
      acquire: (workspaceId, leaseId) => leases.acquire(workspaceId, leaseId),
      release: (leaseId) => leases.release(leaseId),
      onLost: (listener) => leases.onLost(listener),
      start: () => leases.start(),
      stop: () => leases.stop(),
      reportDeath: async (deadNodeId) => {
        for (const listener of deathListeners) await listener(deadNodeId)
      },
      get transactionCount() {
        return state.transactionCount
      },
      get isPartitioned() {
        return state.isPartitioned
      },
      set isPartitioned(value) {
        state.isPartitioned = value
      },
    }
    holders.push(holder)
    return holder
  }

  const readLeases = () => database.read.selectFrom('leases').selectAll().orderBy('lease_id').execute()

  async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) {
      await time.advance(0)
      await nextTurn()
    }
  }

  /** Advances time in steps of three seconds. The `renewing` nodes renew their leases in each step. */
  async function advanceTime(durationMs: number, renewingNodeIds: readonly string[] = []): Promise<void> {
    for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += 3_000) {
      await time.advance(3_000)
      const expiresAt = time.clock.now() + 10_000
      await waitUntil(async () => {
        const rows = await readLeases()
        return rows.every(({ holder, expires_at }) => !renewingNodeIds.includes(holder) || expires_at === expiresAt)
      })
    }
  }

  return {
    ...{ database, time, usage, addNode, readLeases, waitUntil, advanceTime },
    async [Symbol.asyncDispose]() {
      for (const holder of holders) {
        holder.isPartitioned = false
        await advanceUntil(time, holder.stop())
      }
      await database[Symbol.asyncDispose]()
    },
  }
}

const listIds = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}_${index}`)

test('a workspace has as many slots as its limit, and a released slot is free again', async () => {
  await using cluster = await openCluster(2)
  const node = cluster.addNode('node_a')
  expect(await node.acquire(1, 'call_1')).toBe(true)
  expect(await node.acquire(1, 'call_2')).toBe(true)
  expect(await node.acquire(1, 'call_3')).toBe(false)
  expect(await node.acquire(2, 'call_4')).toBe(true)
  expect(await node.acquire(99, 'call_5')).toBe(false)
  expect(await cluster.usage()).toBe(2)
  await node.release('call_1')
  await node.release('call_1')
  await node.release('call_never')
  expect(await node.acquire(1, 'call_3')).toBe(true)
  expect(await cluster.usage()).toBe(2)
})

test('repeated requests take no second slot, concurrently, later or from another node', async () => {
  await using cluster = await openCluster(1)
  const firstNode = cluster.addNode('node_a')
  const secondNode = cluster.addNode('node_b')
  expect(await Promise.all([firstNode.acquire(1, 'call_1'), firstNode.acquire(1, 'call_1')])).toEqual([true, true])
  expect(await firstNode.acquire(1, 'call_1')).toBe(true)
  expect(await secondNode.acquire(1, 'call_1')).toBe(true)
  expect(await cluster.readLeases()).toMatchObject([{ lease_id: 'call_1', holder: 'node_b' }])
  await cluster.time.advance(3_000)
  await cluster.waitUntil(() => firstNode.lost.length > 0)
  expect(firstNode.lost).toEqual(['call_1'])
  await firstNode.release('call_1')
  expect(await cluster.usage()).toBe(1)
})

test('two hundred concurrent requests on two nodes get exactly the available slots in few transactions', async () => {
  await using cluster = await openCluster(20)
  const nodes = [cluster.addNode('node_a'), cluster.addNode('node_b')]
  const requests = nodes.flatMap((node, index) =>
    listIds(`call_${index}`, 100).map((leaseId) => node.acquire(1, leaseId)),
  )
  const granted = (await Promise.all(requests)).filter((isGranted) => isGranted)
  expect(granted).toHaveLength(20)
  expect(await cluster.readLeases()).toHaveLength(20)
  expect(nodes.reduce((sum, { transactionCount }) => sum + transactionCount, 0)).toBeLessThanOrEqual(8)
})

test('slots taken and released on two nodes never exceed the limit', async () => {
  await using cluster = await openCluster(5)
  const nodes = [cluster.addNode('node_a'), cluster.addNode('node_b')]
  let heldCount = 0
  let maxHeldCount = 0
  let grantedCount = 0
  const takeAndRelease = async (leaseId: string, index: number): Promise<void> => {
    const node = nodes[index % 2]
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if ((await node?.acquire(1, leaseId)) !== true) continue
      heldCount += 1
      grantedCount += 1
      maxHeldCount = Math.max(maxHeldCount, heldCount)
      await nextTurn()
      heldCount -= 1
      await node?.release(leaseId)
    }
  }
  await Promise.all(listIds('call', 60).map(takeAndRelease))
  expect(maxHeldCount).toBeLessThanOrEqual(5)
  expect(grantedCount).toBeGreaterThanOrEqual(5)
  expect(await cluster.readLeases()).toEqual([])
})

test('a node renews its leases', async () => {
  await using cluster = await openCluster()
  const node = cluster.addNode('node_a')
  await node.acquire(1, 'call_1')
  await node.acquire(2, 'call_2')
  await cluster.advanceTime(60_000, ['node_a'])
  expect([await cluster.usage(1), await cluster.usage(2), node.lost]).toEqual([1, 1, []])
})

test('leases of a dead node expire within 15 seconds even if its death goes unnoticed', async () => {
  await using cluster = await openCluster(2)
  const node = cluster.addNode('node_a')
  const deadNode = cluster.addNode('node_b', { now: cluster.time.clock.now, after: () => () => undefined })
  await deadNode.acquire(1, 'call_1')
  await deadNode.acquire(1, 'call_2')
  expect(await node.acquire(1, 'call_3')).toBe(false)
  await cluster.advanceTime(12_000)
  expect(await cluster.usage()).toBe(0)
  expect(await node.acquire(1, 'call_3')).toBe(true)
  expect(await cluster.readLeases()).toMatchObject([{ lease_id: 'call_3' }])
})

test('the death of a node immediately frees only its leases', async () => {
  await using cluster = await openCluster(2)
  const node = cluster.addNode('node_a')
  const deadNode = cluster.addNode('node_b')
  await deadNode.acquire(1, 'call_1')
  await node.acquire(1, 'call_2')
  await node.reportDeath('node_b')
  expect(await node.acquire(1, 'call_3')).toBe(true)
  expect((await cluster.readLeases()).map(({ lease_id }) => lease_id)).toEqual(['call_2', 'call_3'])
})

test('a node that resumes after a pause keeps its remaining leases and is notified of lost leases', async () => {
  await using cluster = await openCluster(2)
  const node = cluster.addNode('node_a')
  const pausedNode = cluster.addNode('node_b')
  await pausedNode.acquire(1, 'call_1')
  await pausedNode.acquire(2, 'call_2')
  pausedNode.isPartitioned = true
  await cluster.advanceTime(30_000)
  expect(pausedNode.logged).toContain('renew leases: connection lost')
  expect(await node.acquire(1, 'call_3')).toBe(true)
  expect(await node.acquire(1, 'call_4')).toBe(true)
  pausedNode.isPartitioned = false
  await cluster.advanceTime(3_000, ['node_a', 'node_b'])
  await cluster.waitUntil(() => pausedNode.lost.length > 0)
  expect(pausedNode.lost).toEqual(['call_1'])
  expect([await cluster.usage(1), await cluster.usage(2)]).toEqual([2, 1])
  expect(await pausedNode.acquire(1, 'call_1')).toBe(false)
})

test('a failed release is retried later', async () => {
  await using cluster = await openCluster(1)
  const node = cluster.addNode('node_a')
  await node.acquire(1, 'call_1')
  node.isPartitioned = true
  await node.release('call_1')
  await expect(node.acquire(1, 'call_2')).rejects.toThrow('connection lost')
  node.isPartitioned = false
  expect(await node.acquire(1, 'call_2')).toBe(false)
  await cluster.time.advance(3_000)
  await cluster.waitUntil(async () => (await cluster.readLeases()).length === 0)
  expect(await node.acquire(1, 'call_2')).toBe(true)
  expect(node.lost).toEqual([])
})

test('a stopped node releases its leases and takes no more', async () => {
  await using cluster = await openCluster()
  const node = cluster.addNode('node_a')
  const otherNode = cluster.addNode('node_b')
  await otherNode.acquire(1, 'call_0')
  const acquisitions = [node.acquire(1, 'call_1'), node.acquire(2, 'call_2')]
  await node.stop()
  expect(await Promise.all(acquisitions)).toEqual([true, true])
  expect(await node.acquire(1, 'call_3')).toBe(false)
  expect((await cluster.readLeases()).map(({ lease_id }) => lease_id)).toEqual(['call_0'])
})

test('expired leases of a former process are removed even if nobody takes slots', async () => {
  await using cluster = await openCluster()
  const expiredLease = { workspace_id: 2, holder: 'node_gone', expires_at: cluster.time.clock.now(), created_at: 0 }
  await cluster.database.batch([
    {
      query: cluster.database.queryBuilder
        .insertInto('leases')
        .values({ lease_id: 'call_1', ...expiredLease })
        .compile(),
    },
  ])
  cluster.addNode('node_a')
  await cluster.time.advance(60_000)
  await cluster.waitUntil(async () => (await cluster.readLeases()).length === 0)
})

async function openReservations(slots: number) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database, [1, 2], { concurrency_base: slots })
  const time = createManualClock()
  const { clock } = time
  const reservations = createLeaseReservations({ database, clock: createSharedClock(clock) })
  const leases = createHeldLeases({
    database,
    clock: createSharedClock(clock),
    nodes: createEmbeddedNodes('node_a'),
    logError: () => undefined,
  })
  const reserve = (leaseId: string, workspaceId = 1): Promise<boolean> =>
    database.transaction(
      (transaction) => reservations.reserve(transaction, { workspaceId, leaseId, durationMs: 60_000 }),
      { isolation: 'read-committed' },
    )
  const listHeldLeases = async (): Promise<string[]> => {
    const rows = await database.read.selectFrom('leases').select(['lease_id', 'holder']).orderBy('lease_id').execute()
    return rows.map((row) => `${row.lease_id} ${row.holder === '' ? '-' : row.holder}`)
  }
  return {
    ...time,
    database,
    reservations,
    leases,
    reserve,
    held: listHeldLeases,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const countGranted = (results: readonly boolean[]): number => results.filter((isGranted) => isGranted).length

test('reservations and leases together never exceed the limit', async () => {
  await using slots = await openReservations(7)
  const requests = Array.from({ length: 12 }, (_, index) => [
    slots.reserve(`call_${index}`),
    slots.leases.acquire(1, `taken_${index}`),
  ])
  expect(countGranted(await Promise.all(requests.flat()))).toBe(7)
  expect(await slots.held()).toHaveLength(7)
  expect(await slots.reserve('call_other', 2)).toBe(true)
})

test('a reservation expires without blocking the next one', async () => {
  await using slots = await openReservations(1)
  expect(await slots.reserve('call_1')).toBe(true)
  expect(await slots.reserve('call_2')).toBe(false)
  await slots.advance(60_000)
  expect(await slots.reserve('call_2')).toBe(true)
  expect(await slots.held()).toEqual(['call_2 -'])
  expect(await slots.leases.acquire(1, 'call_1')).toBe(false)
})

test('a node converts a reserved slot, and only unheld slots are released', async () => {
  await using slots = await openReservations(2)
  const cancel = (leaseId: string) => slots.database.batch([slots.reservations.buildCancelStatement(leaseId)])
  await Promise.all([slots.reserve('call_1'), slots.reserve('call_2')])
  expect(await slots.leases.acquire(1, 'call_1')).toBe(true)
  await cancel('call_1')
  await cancel('call_2')
  expect(await slots.held()).toEqual(['call_1 node_a'])
})

test('a workspace that does not exist has no slots', async () => {
  await using slots = await openReservations(1)
  expect(await slots.reserve('call_1', 9)).toBe(false)
})
