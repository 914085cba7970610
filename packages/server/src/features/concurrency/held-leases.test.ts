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
  /** Number of transactions until now. */
  readonly units: number
  /** Notifies this node that another node died. */
  noticeDeath(nodeId: string): Promise<void>
  /** Whether this node's writes fail. */
  isPartitioned: boolean
}

async function setup(concurrency = 20) {
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
    const state = { isPartitioned: false, units: 0 }
    const refuse = (): void => {
      if (state.isPartitioned) throw new Error('cut off')
    }
    const leases = createHeldLeases({
      database: {
        read: database.read,
        compile: database.compile,
        capabilities: database.capabilities,
        batch: async (statements) => {
          refuse()
          await database.batch(statements)
        },
        transaction: async (work, options) => {
          refuse()
          state.units += 1
          return await database.transaction(work, options)
        },
      },
      clock: createSharedClock(clock),
      nodes: { nodeId, onDeath: (listener) => void deathListeners.push(listener) },
      logError: (name, error) => logged.push(`${name}: ${error instanceof Error ? error.message : error}`),
    })
    leases.onLost((leaseId) => lost.push(leaseId))
    leases.start()
    const holder: TestHolder = {
      ...{ lost, logged },
      take: (workspaceId, leaseId) => leases.take(workspaceId, leaseId),
      release: (leaseId) => leases.release(leaseId),
      onLost: (listener) => leases.onLost(listener),
      start: () => leases.start(),
      stop: () => leases.stop(),
      noticeDeath: async (dead) => {
        for (const listener of deathListeners) await listener(dead)
      },
      get units() {
        return state.units
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

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) {
      await time.advance(0)
      await nextTurn()
    }
  }

  /** Advances time in steps of three seconds. The `renewing` nodes renew their leases in each step. */
  async function pass(durationMs: number, renewing: readonly string[] = []): Promise<void> {
    for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += 3_000) {
      await time.advance(3_000)
      const expiresAt = time.clock.now() + 10_000
      await until(async () => {
        const rows = await readLeases()
        return rows.every(({ holder, expires_at }) => !renewing.includes(holder) || expires_at === expiresAt)
      })
    }
  }

  return {
    ...{ database, time, usage, addNode, readLeases, until, pass },
    async [Symbol.asyncDispose]() {
      for (const holder of holders) {
        holder.isPartitioned = false
        await advanceUntil(time, holder.stop())
      }
      await database[Symbol.asyncDispose]()
    },
  }
}

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}_${index}`)

test('a workspace has as many slots as its limit, and a released slot is free again', async () => {
  await using world = await setup(2)
  const node = world.addNode('node_a')
  expect(await node.take(1, 'call_1')).toBe(true)
  expect(await node.take(1, 'call_2')).toBe(true)
  expect(await node.take(1, 'call_3')).toBe(false)
  expect(await node.take(2, 'call_4')).toBe(true)
  expect(await node.take(99, 'call_5')).toBe(false)
  expect(await world.usage()).toBe(2)
  await node.release('call_1')
  await node.release('call_1')
  await node.release('call_never')
  expect(await node.take(1, 'call_3')).toBe(true)
  expect(await world.usage()).toBe(2)
})

test('repeated requests take no second slot, concurrently, later or from another node', async () => {
  await using world = await setup(1)
  const first = world.addNode('node_a')
  const second = world.addNode('node_b')
  expect(await Promise.all([first.take(1, 'call_1'), first.take(1, 'call_1')])).toEqual([true, true])
  expect(await first.take(1, 'call_1')).toBe(true)
  expect(await second.take(1, 'call_1')).toBe(true)
  expect(await world.readLeases()).toMatchObject([{ lease_id: 'call_1', holder: 'node_b' }])
  await world.time.advance(3_000)
  await world.until(() => first.lost.length > 0)
  expect(first.lost).toEqual(['call_1'])
  await first.release('call_1')
  expect(await world.usage()).toBe(1)
})

test('two hundred concurrent requests on two nodes get exactly the available slots in few transactions', async () => {
  await using world = await setup(20)
  const nodes = [world.addNode('node_a'), world.addNode('node_b')]
  const asked = nodes.flatMap((node, index) => ids(`call_${index}`, 100).map((leaseId) => node.take(1, leaseId)))
  const granted = (await Promise.all(asked)).filter((isGranted) => isGranted)
  expect(granted).toHaveLength(20)
  expect(await world.readLeases()).toHaveLength(20)
  expect(nodes.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(8)
})

test('slots that come and go on two nodes never exceed the limit', async () => {
  await using world = await setup(5)
  const nodes = [world.addNode('node_a'), world.addNode('node_b')]
  let held = 0
  let most = 0
  let granted = 0
  const call = async (leaseId: string, index: number): Promise<void> => {
    const node = nodes[index % 2]
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if ((await node?.take(1, leaseId)) !== true) continue
      held += 1
      granted += 1
      most = Math.max(most, held)
      await nextTurn()
      held -= 1
      await node?.release(leaseId)
    }
  }
  await Promise.all(ids('call', 60).map(call))
  expect(most).toBeLessThanOrEqual(5)
  expect(granted).toBeGreaterThanOrEqual(5)
  expect(await world.readLeases()).toEqual([])
})

test('a lease is held while its node lives', async () => {
  await using world = await setup()
  const node = world.addNode('node_a')
  await node.take(1, 'call_1')
  await node.take(2, 'call_2')
  await world.pass(60_000, ['node_a'])
  expect([await world.usage(1), await world.usage(2), node.lost]).toEqual([1, 1, []])
})

test('leases of a dead node are free within 15 seconds, noticed or not', async () => {
  await using world = await setup(2)
  const node = world.addNode('node_a')
  const dead = world.addNode('node_b', { now: world.time.clock.now, after: () => () => undefined })
  await dead.take(1, 'call_1')
  await dead.take(1, 'call_2')
  expect(await node.take(1, 'call_3')).toBe(false)
  await world.pass(12_000)
  expect(await world.usage()).toBe(0)
  expect(await node.take(1, 'call_3')).toBe(true)
  expect(await world.readLeases()).toMatchObject([{ lease_id: 'call_3' }])
})

test('the death of a node frees its leases at once, and no others', async () => {
  await using world = await setup(2)
  const node = world.addNode('node_a')
  const dead = world.addNode('node_b')
  await dead.take(1, 'call_1')
  await node.take(1, 'call_2')
  await node.noticeDeath('node_b')
  expect(await node.take(1, 'call_3')).toBe(true)
  expect((await world.readLeases()).map(({ lease_id }) => lease_id)).toEqual(['call_2', 'call_3'])
})

test('a node that resumes after a pause keeps untaken leases and is notified of lost ones', async () => {
  await using world = await setup(2)
  const node = world.addNode('node_a')
  const paused = world.addNode('node_b')
  await paused.take(1, 'call_1')
  await paused.take(2, 'call_2')
  paused.isPartitioned = true
  await world.pass(30_000)
  expect(paused.logged).toContain('renew leases: cut off')
  expect(await node.take(1, 'call_3')).toBe(true)
  expect(await node.take(1, 'call_4')).toBe(true)
  paused.isPartitioned = false
  await world.pass(3_000, ['node_a', 'node_b'])
  await world.until(() => paused.lost.length > 0)
  expect(paused.lost).toEqual(['call_1'])
  expect([await world.usage(1), await world.usage(2)]).toEqual([2, 1])
  expect(await paused.take(1, 'call_1')).toBe(false)
})

test('a failed release is repeated later', async () => {
  await using world = await setup(1)
  const node = world.addNode('node_a')
  await node.take(1, 'call_1')
  node.isPartitioned = true
  await node.release('call_1')
  await expect(node.take(1, 'call_2')).rejects.toThrow('cut off')
  node.isPartitioned = false
  expect(await node.take(1, 'call_2')).toBe(false)
  await world.time.advance(3_000)
  await world.until(async () => (await world.readLeases()).length === 0)
  expect(await node.take(1, 'call_2')).toBe(true)
  expect(node.lost).toEqual([])
})

test('a stop releases everything and takes nothing more', async () => {
  await using world = await setup()
  const node = world.addNode('node_a')
  const other = world.addNode('node_b')
  await other.take(1, 'call_0')
  const acquisitions = [node.take(1, 'call_1'), node.take(2, 'call_2')]
  await node.stop()
  expect(await Promise.all(acquisitions)).toEqual([true, true])
  expect(await node.take(1, 'call_3')).toBe(false)
  expect((await world.readLeases()).map(({ lease_id }) => lease_id)).toEqual(['call_0'])
})

test('leases of a former process are removed even where nobody takes slots', async () => {
  await using world = await setup()
  const left = { workspace_id: 2, holder: 'node_gone', expires_at: world.time.clock.now(), created_at: 0 }
  await world.database.batch([
    {
      query: world.database.compile
        .insertInto('leases')
        .values({ lease_id: 'call_1', ...left })
        .compile(),
    },
  ])
  world.addNode('node_a')
  await world.time.advance(60_000)
  await world.until(async () => (await world.readLeases()).length === 0)
})

async function openSlots(slots: number) {
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
  const held = async (): Promise<string[]> => {
    const rows = await database.read.selectFrom('leases').select(['lease_id', 'holder']).orderBy('lease_id').execute()
    return rows.map((row) => `${row.lease_id} ${row.holder === '' ? '-' : row.holder}`)
  }
  return {
    ...time,
    database,
    reservations,
    leases,
    reserve,
    held,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const countOf = (answers: readonly boolean[]): number => answers.filter((answer) => answer).length

test('reservations and leases together never exceed the limit', async () => {
  await using slots = await openSlots(7)
  const asked = Array.from({ length: 12 }, (_, index) => [
    slots.reserve(`call_${index}`),
    slots.leases.take(1, `taken_${index}`),
  ])
  expect(countOf(await Promise.all(asked.flat()))).toBe(7)
  expect(await slots.held()).toHaveLength(7)
  expect(await slots.reserve('call_other', 2)).toBe(true)
})

test('a reservation expires without blocking the next one', async () => {
  await using slots = await openSlots(1)
  expect(await slots.reserve('call_1')).toBe(true)
  expect(await slots.reserve('call_2')).toBe(false)
  await slots.advance(60_000)
  expect(await slots.reserve('call_2')).toBe(true)
  expect(await slots.held()).toEqual(['call_2 -'])
  expect(await slots.leases.take(1, 'call_1')).toBe(false)
})

test('a node converts a reserved slot, and only unheld slots are released', async () => {
  await using slots = await openSlots(2)
  const cancel = (leaseId: string) => slots.database.batch([slots.reservations.buildCancelStatement(leaseId)])
  await Promise.all([slots.reserve('call_1'), slots.reserve('call_2')])
  expect(await slots.leases.take(1, 'call_1')).toBe(true)
  await cancel('call_1')
  await cancel('call_2')
  expect(await slots.held()).toEqual(['call_1 node_a'])
})

test('a workspace that does not exist has no slots', async () => {
  await using slots = await openSlots(1)
  expect(await slots.reserve('call_1', 9)).toBe(false)
})
