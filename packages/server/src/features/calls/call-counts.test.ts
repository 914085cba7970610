import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { compactCallCounts, countCalls, createCallCountCompaction, splitRange } from './call-counts.ts'
import { callIdOf } from './call-test-kit.ts'

const WRITERS = 200
const KINDS = ['workspace_id', 'agent_id', 'agent_version', 'status', 'hidden'] as const

/** Creates three calls and then ends, archives, moves or deletes them. */
async function writeCalls(database: Database, writer: number): Promise<void> {
  const ids = [0, 1, 2].map((index) => callIdOf(3 * writer + index))
  const agent = { agent_id: `agent_${writer % 3}`, agent_name: `Desk ${writer % 3}`, workspace_id: 1 + (writer % 2) }
  const made = ids.map((call_id, index) => ({ ...agent, call_id, status: 'ongoing', created_at: index * 604_800_000 }))
  await seedCalls(database, made)
  const [first = '', second = '', third = ''] = ids
  const change = database.compile.updateTable('calls')
  const ended = change.set({ status: 'ended' }).where('call_id', 'in', [first, second]).compile()
  const archived = change.set({ archived_at: 1 }).where('call_id', '=', second).compile()
  await database.batch([{ query: ended, expectRows: 2 }, { query: archived }])
  await database.transaction(
    async (transaction) => {
      const moved = { agent_id: 'agent_2', agent_name: 'Desk 2', agent_version: 2 }
      await transaction.updateTable('calls').set(moved).where('call_id', '=', first).execute()
      if (writer % 5 === 0) await transaction.deleteFrom('calls').where('call_id', '=', third).execute()
    },
    { isolation: 'read-committed' },
  )
}

/** Returns the sums of the stored counts by kind, and the same sums counted from the calls. */
async function readBoth(database: Database) {
  const kept = await database.read
    .selectFrom('call_counts')
    .select(KINDS)
    .select((select) => select.fn.sum<number>('calls').as('calls'))
    .groupBy(KINDS)
    .having((select) => select.fn.sum('calls'), '<>', 0)
    .execute()
  const counted = await database.read
    .selectFrom('calls')
    .select(KINDS)
    .select((select) => select.fn.countAll<number>().as('calls'))
    .groupBy(KINDS)
    .execute()
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
  return { kept: sorted(kept), counted: sorted(counted) }
}

test('totals are exact after 200 concurrent writers, before, during and after compaction', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  const compaction = new AbortController()
  const compactions = (async () => {
    const isNeeded = database.capabilities.spreadCounts
    while (isNeeded && !compaction.signal.aborted) await compactCallCounts(database, compaction.signal)
  })()
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeCalls(database, writer)))
  const total = () => countCalls(database.read, { workspaceIds: [1, 2], hidden: [0, 1] })
  const expected = 3 * WRITERS - WRITERS / 5
  const seen = await Promise.all(Array.from({ length: 50 }, total))
  compaction.abort()
  await compactions
  expect(new Set(seen)).toEqual(new Set([expected]))
  const uncompacted = await readBoth(database)
  expect(uncompacted.kept).toEqual(uncompacted.counted)
  await compactCallCounts(database)
  const folded = await readBoth(database)
  expect(folded.kept).toEqual(folded.counted)
  expect(await total()).toBe(expected)
})

test('a job compacts count changes completely where writers leave some behind', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  await seedCalls(database, [{ call_id: callIdOf(1) }, { call_id: callIdOf(2) }, { call_id: callIdOf(3) }])
  const { handler, schedules } = createCallCountCompaction(database)
  expect(schedules.length).toBe(database.capabilities.spreadCounts ? 1 : 0)
  const job = { jobId: 'job_1', kind: 'fold-call-counts', payload: {}, attempt: 1, maxAttempts: 1 }
  for (const left of [3, 2, 0]) {
    await database.transaction(async (transaction) => {
      const removed = { 3: [], 2: [callIdOf(1)], 0: [callIdOf(2), callIdOf(3)] }[left] ?? []
      if (removed.length > 0) await transaction.deleteFrom('calls').where('call_id', 'in', removed).execute()
    })
    await handler.run(job, new AbortController().signal)
    const rows = await database.read.selectFrom('call_counts').select('calls').execute()
    expect(rows).toEqual(left === 0 ? [] : [{ calls: left }])
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
    fc.property(bound, bound, instant, (from, to, at) => {
      const { periods, remainders } = splitRange(from, to)
      const period = Math.floor(at / WEEK_MS)
      const inPeriods =
        periods !== null &&
        (periods.first === null || period >= periods.first) &&
        (periods.last === null || period <= periods.last)
      const parts =
        Number(inPeriods) + remainders.filter((remainder) => at >= remainder.from && at <= remainder.to).length
      const isInside = (from === undefined || at >= from) && (to === undefined || at <= to)
      expect(parts).toBe(isInside ? 1 : 0)
    }),
  )
})
