import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { shareClock } from '../../kernel/work/shared-clock.ts'
import { createEmbeddedNodes } from '../../platform/nodes/embedded-nodes.ts'
import { createHeldLeases } from './held-leases.ts'
import { createLeaseReservations } from './lease-reservations.ts'

async function openSlots(slots: number) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database, [1, 2], { concurrency_base: slots })
  const time = manualClock()
  const { clock } = time
  const reservations = createLeaseReservations({ database, clock: shareClock(clock) })
  const leases = createHeldLeases({
    database,
    clock: shareClock(clock),
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

test('no more slots are kept and held at once than there are, however many ask', async () => {
  await using slots = await openSlots(7)
  const asked = Array.from({ length: 12 }, (_, index) => [
    slots.reserve(`call_${index}`),
    slots.leases.take(1, `taken_${index}`),
  ])
  expect(countOf(await Promise.all(asked.flat()))).toBe(7)
  expect(await slots.held()).toHaveLength(7)
  expect(await slots.reserve('call_other', 2)).toBe(true)
})

test('a reservation lapses by itself, and does not hold up the next', async () => {
  await using slots = await openSlots(1)
  expect(await slots.reserve('call_1')).toBe(true)
  expect(await slots.reserve('call_2')).toBe(false)
  await slots.advance(60_000)
  expect(await slots.reserve('call_2')).toBe(true)
  expect(await slots.held()).toEqual(['call_2 -'])
  expect(await slots.leases.take(1, 'call_1')).toBe(false)
})

test('a node takes a reserved slot over, and only one that nobody holds is given back', async () => {
  await using slots = await openSlots(2)
  const cancel = (leaseId: string) => slots.database.batch([slots.reservations.cancel(leaseId)])
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
