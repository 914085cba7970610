import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { compactCallCounts, countCalls, createCallCountCompaction, splitRange } from './call-counts.ts'
import { buildCallId } from './call-test-kit.ts'

const WRITERS = 200
const KINDS = ['workspace_id', 'agent_id', 'agent_version', 'status', 'hidden'] as const

/** Creates three calls and then ends, archives, moves or deletes them. */
async function writeCalls(database: Database, writer: number): Promise<void> {
  const ids = [0, 1, 2].map((index) => buildCallId(3 * writer + index))
  const agent = { agent_id: `agent_${writer % 3}`, agent_name: `Desk ${writer % 3}`, workspace_id: 1 + (writer % 2) }
  const newCalls = ids.map((call_id, index) => ({
    ...agent,
    call_id,
    status: 'ongoing',
    created_at: index * 604_800_000,
  }))
  await seedCalls(database, newCalls)
  const [first = '', second = '', third = ''] = ids
  const updateCalls = database.queryBuilder.updateTable('calls')
  const endQuery = updateCalls.set({ status: 'ended' }).where('call_id', 'in', [first, second]).compile()
  const archiveQuery = updateCalls.set({ archived_at: 1 }).where('call_id', '=', second).compile()
  await database.batch([{ query: endQuery, expectRows: 2 }, { query: archiveQuery }])
  await database.transaction(
    async (transaction) => {
      const newAgent = { agent_id: 'agent_2', agent_name: 'Desk 2', agent_version: 2 }
      await transaction.updateTable('calls').set(newAgent).where('call_id', '=', first).execute()
      if (writer % 5 === 0) await transaction.deleteFrom('calls').where('call_id', '=', third).execute()
    },
    { isolation: 'read-committed' },
  )
}

/** Returns the sums of the stored counts by kind, and the same sums counted from the calls. */
async function readCounts(database: Database) {
  const storedRows = await database.read
    .selectFrom('call_counts')
    .select(KINDS)
    .select((select) => select.fn.sum<number>('calls').as('calls'))
    .groupBy(KINDS)
    .having((select) => select.fn.sum('calls'), '<>', 0)
    .execute()
  const countedRows = await database.read
    .selectFrom('calls')
    .select(KINDS)
    .select((select) => select.fn.countAll<number>().as('calls'))
    .groupBy(KINDS)
    .execute()
  const sortRows = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
  return { stored: sortRows(storedRows), counted: sortRows(countedRows) }
}

test('totals are exact after 200 concurrent writers, before, during and after compaction', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  const compaction = new AbortController()
  const compactionLoop = (async () => {
    const isNeeded = database.capabilities.hasCountDeltas
    while (isNeeded && !compaction.signal.aborted) await compactCallCounts(database, compaction.signal)
  })()
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeCalls(database, writer)))
  const countTotal = () => countCalls(database.read, { workspaceIds: [1, 2], hidden: [0, 1] })
  const expected = 3 * WRITERS - WRITERS / 5
  const totals = await Promise.all(Array.from({ length: 50 }, countTotal))
  compaction.abort()
  await compactionLoop
  expect(new Set(totals)).toEqual(new Set([expected]))
  const uncompacted = await readCounts(database)
  expect(uncompacted.stored).toEqual(uncompacted.counted)
  await compactCallCounts(database)
  const compacted = await readCounts(database)
  expect(compacted.stored).toEqual(compacted.counted)
  expect(await countTotal()).toBe(expected)
})

test('the job compacts all count changes that writers leave behind', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  await seedCalls(database, [{ call_id: buildCallId(1) }, { call_id: buildCallId(2) }, { call_id: buildCallId(3) }])
  const { handler, schedules } = createCallCountCompaction(database)
  expect(schedules.length).toBe(database.capabilities.hasCountDeltas ? 1 : 0)
  const job = { jobId: 'job_1', kind: 'fold-call-counts', payload: {}, attempt: 1, maxAttempts: 1 }
  for (const remainingCount of [3, 2, 0]) {
    await database.transaction(async (transaction) => {
      const removedIds = { 3: [], 2: [buildCallId(1)], 0: [buildCallId(2), buildCallId(3)] }[remainingCount] ?? []
      if (removedIds.length > 0) await transaction.deleteFrom('calls').where('call_id', 'in', removedIds).execute()
    })
    await handler.run(job, new AbortController().signal)
    const rows = await database.read.selectFrom('call_counts').select('calls').execute()
    expect(rows).toEqual(remainingCount === 0 ? [] : [{ calls: remainingCount }])
  }
})

const WEEK_MS = 604_800_000

test('an open range uses whole periods only', () => {
  expect(splitRange(undefined, undefined)).toEqual({ periods: { first: null, last: null }, remainders: [] })
  expect(splitRange(0, 2 * WEEK_MS - 1)).toEqual({ periods: { first: 0, last: 1 }, remainders: [] })
})

test('counts calls outside of whole periods separately', () => {
  expect(splitRange(WEEK_MS - 5, 2 * WEEK_MS + 7)).toEqual({
    periods: { first: 1, last: 1 },
    remainders: [
      { from: WEEK_MS - 5, to: WEEK_MS - 1 },
      { from: 2 * WEEK_MS, to: 2 * WEEK_MS + 7 },
    ],
  })
  expect(splitRange(5, 9)).toEqual({ periods: null, remainders: [{ from: 5, to: 9 }] })
  expect(splitRange(9, 5)).toEqual({ periods: null, remainders: [] })
})

test('every instant of the range is in exactly one part', () => {
  const bound = fc.option(fc.integer({ min: 0, max: 5 * WEEK_MS }), { nil: undefined })
  const instant = fc.oneof(
    fc.integer({ min: 0, max: 5 * WEEK_MS }),
    fc.tuple(fc.nat(5), fc.constantFrom(-1, 0, 1)).map(([week, shift]) => Math.max(0, week * WEEK_MS + shift)),
  )
  fc.assert(
    fc.property(bound, bound, instant, (from, to, timeMs) => {
      const { periods, remainders } = splitRange(from, to)
      const period = Math.floor(timeMs / WEEK_MS)
      const inPeriods =
        periods !== null &&
        (periods.first === null || period >= periods.first) &&
        (periods.last === null || period <= periods.last)
      const parts =
        Number(inPeriods) + remainders.filter((remainder) => timeMs >= remainder.from && timeMs <= remainder.to).length
      const isInside = (from === undefined || timeMs >= from) && (to === undefined || timeMs <= to)
      expect(parts).toBe(isInside ? 1 : 0)
    }),
  )
})
