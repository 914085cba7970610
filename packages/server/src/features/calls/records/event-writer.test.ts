import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { advanceUntil } from '../../../../../../testing/advance-until.ts'
import { seedCalls } from '../../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import { AppError, ConstraintError } from '../../../kernel/errors.ts'
import type { BatchStatement } from '../../../kernel/storage/database.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { readEvents } from './event-store.ts'
import { CallEventWriter } from './event-writer.ts'

async function openWriter(turnsEnded?: (callIds: readonly string[]) => Promise<readonly BatchStatement[]>) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  await seedCalls(database, [
    { call_id: 'call_a', status: 'ongoing' },
    { call_id: 'call_b', status: 'ongoing' },
  ])
  const time = createManualClock()
  const loggedErrors: string[] = []
  const notifiedCalls: string[][] = []
  const state = { isDatabaseDown: false, isCommitUnacknowledged: false, batches: 0, rejectedCallId: '' }
  const writer = new CallEventWriter({
    database: {
      queryBuilder: database.queryBuilder,
      async batch(statements: readonly BatchStatement[]) {
        state.batches += 1
        const outage = new AppError('unavailable', 'The database cannot be reached.')
        if (state.isDatabaseDown) throw outage
        const isRejected = statements.some(({ query }) => query.parameters.includes(state.rejectedCallId))
        if (isRejected) throw new ConstraintError('foreign-key', 'call_events refers to a missing call')
        await database.batch(statements)
        if (!state.isCommitUnacknowledged) return
        state.isCommitUnacknowledged = false
        throw outage
      },
    },
    clock: createSharedClock(time.clock),
    ...(turnsEnded !== undefined && { onTurnsEnded: turnsEnded }),
    logError: (name) => loggedErrors.push(name),
    onWritten: (callIds) => notifiedCalls.push([...callIds]),
  })
  const closeJournals = (...journals: { close(): Promise<void> }[]) =>
    advanceUntil(time, Promise.all(journals.map((journal) => journal.close())), 50)
  const readDigits = async (callId: string) =>
    (await readEvents(database.read, callId)).map((event) =>
      event.type === 'dtmf' ? event.digit : `${event.type}${'message' in event ? `: ${event.message}` : ''}`,
    )
  return {
    database,
    ...time,
    writer,
    loggedErrors,
    notifiedCalls,
    state,
    closeJournals,
    readDigits,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const createKeyEvent = (digit: string) => ({ type: 'dtmf', digit }) as const

test('writes events of several calls together, in order and without gaps', async () => {
  await using fixture = await openWriter()
  const { writer, clock, database, state, notifiedCalls } = fixture
  const startedAtMs = clock.now()
  const [a, b] = [writer.open('call_a', startedAtMs), writer.open('call_b', startedAtMs + 10)]
  a.append(createKeyEvent('1'))
  b.append(createKeyEvent('9'))
  a.append(createKeyEvent('2'), startedAtMs + 2_500.4)
  await fixture.closeJournals(a, b)
  a.append(createKeyEvent('3'))
  expect(await readEvents(database.read, 'call_a')).toEqual([
    { type: 'dtmf', digit: '1', position: 0, atMs: 0, at: '2026-01-05T12:00:00.000Z' },
    { type: 'dtmf', digit: '2', position: 1, atMs: 2_500, at: '2026-01-05T12:00:02.500Z' },
  ])
  expect(await readEvents(database.read, 'call_b')).toMatchObject([{ atMs: 0, position: 0 }])
  expect(state.batches).toBe(1)
  expect(notifiedCalls).toEqual([['call_a', 'call_b']])
  expect({ waiting: writer.pendingCount, timers: fixture.countPendingTimers() }).toEqual({ waiting: 0, timers: 0 })
})

test('loses and duplicates nothing during a short database outage', async () => {
  await using fixture = await openWriter()
  const { writer, state, advance } = fixture
  const journal = writer.open('call_a', 0)
  state.isDatabaseDown = true
  journal.append(createKeyEvent('1'))
  await advance(30_000)
  journal.append(createKeyEvent('2'))
  // The error is logged once, regardless of the number of attempts.
  expect(fixture.loggedErrors).toEqual(['write events of calls'])
  state.isDatabaseDown = false
  state.isCommitUnacknowledged = true
  await fixture.closeJournals(journal)
  expect(await fixture.readDigits('call_a')).toEqual(['1', '2'])
})

test('drops metrics first when memory is full and records the losses', async () => {
  await using fixture = await openWriter()
  const { writer, state, advance } = fixture
  const journal = writer.open('call_a', 0)
  state.isDatabaseDown = true
  journal.append(createKeyEvent('1'))
  // The events are being written and can no longer be dropped.
  await advance(50)
  for (let count = 0; count < 30_000; count += 1) {
    journal.append({ type: 'usage', product: 'llm', model: 'm', quantity: 1, unit: 'output-token' })
    journal.append({ type: 'warning', code: 'x', message: 'w' })
    expect(writer.pendingCount).toBeLessThanOrEqual(10_001)
  }
  journal.append(createKeyEvent('2'))
  state.isDatabaseDown = false
  await fixture.closeJournals(journal)
  const events = await readEvents(fixture.database.read, 'call_a')
  expect(events.map(({ position }) => position)).toEqual(events.map((_event, index) => index))
  const quantities = events.map((event) => (event.type === 'usage' ? event.quantity : 0))
  expect(quantities.reduce((sum, quantity) => sum + quantity, 0)).toBe(30_000)
  expect(events.filter(({ type }) => type === 'dtmf')).toHaveLength(2)
  const warnings = events.flatMap((event) =>
    event.type === 'warning' && event.code === 'events_lost' ? [event.message] : [],
  )
  const lostCount = warnings.map((note) => Number.parseInt(note, 10)).reduce((sum, count) => sum + count, 0)
  const storedCount = events.filter((event) => event.type === 'warning' && event.code === 'x').length
  expect(lostCount + storedCount).toBe(30_000)
})

test('ends a call whose events were all dropped and records how many are missing', async () => {
  await using fixture = await openWriter()
  const { writer, state, advance } = fixture
  const [a, b] = [writer.open('call_a', 0), writer.open('call_b', 0)]
  state.isDatabaseDown = true
  // This event is being written, so that later events queue behind it.
  b.append(createKeyEvent('0'))
  await advance(50)
  a.append(createKeyEvent('1'))
  a.append(createKeyEvent('2'))
  const pendingClose = a.close()
  for (let count = 0; count < 30_000; count += 1) b.append(createKeyEvent('9'))
  state.isDatabaseDown = false
  await fixture.closeJournals(b)
  await pendingClose
  expect(await fixture.readDigits('call_a')).toEqual([
    'warning: 2 events were lost while the database was unavailable.',
  ])
  expect({ waiting: writer.pendingCount, timers: fixture.countPendingTimers() }).toEqual({ waiting: 0, timers: 0 })
})

test('ignores events of a call that was ended elsewhere or deleted', async () => {
  await using fixture = await openWriter()
  const { writer, database } = fixture
  const [a, b, deletedJournal] = [writer.open('call_a', 0), writer.open('call_b', 0), writer.open('call_gone', 0)]
  const endQuery = database.queryBuilder.updateTable('calls').set({ status: 'error' }).where('call_id', '=', 'call_a')
  await database.batch([{ query: endQuery.compile() }])
  for (const journal of [a, b, deletedJournal]) journal.append(createKeyEvent('1'))
  await fixture.closeJournals(a, b, deletedJournal)
  expect(await database.read.selectFrom('call_events').select('call_id').execute()).toEqual([{ call_id: 'call_b' }])
  expect(fixture.loggedErrors).toEqual([])
})

test('events that the database rejects do not block events of other calls', async () => {
  await using fixture = await openWriter()
  const { writer, state } = fixture
  const [a, b] = [writer.open('call_a', 0), writer.open('call_b', 0)]
  state.rejectedCallId = 'call_a'
  a.append(createKeyEvent('1'))
  b.append(createKeyEvent('2'))
  await fixture.closeJournals(a, b)
  expect({ a: await fixture.readDigits('call_a'), b: await fixture.readDigits('call_b') }).toEqual({ a: [], b: ['2'] })
  expect(fixture.loggedErrors).toEqual(['write events that the database rejects'])
})

test('stopping writes pending events until a deadline', async () => {
  await using fixture = await openWriter()
  const { writer, state } = fixture
  const journal = writer.open('call_a', 0)
  journal.append(createKeyEvent('1'))
  // Virtual time pauses, because real database time must not count against the deadline.
  await writer.stop(1_000)
  expect(await fixture.readDigits('call_a')).toEqual(['1'])
  await journal.close()
  await using offline = await openWriter()
  offline.state.isDatabaseDown = true
  const otherJournal = offline.writer.open('call_a', 0)
  otherJournal.append(createKeyEvent('1'))
  await advanceUntil(offline, offline.writer.stop(1_000), 100)
  await otherJournal.close()
  expect({ waiting: offline.writer.pendingCount, timers: offline.countPendingTimers() }).toEqual({
    waiting: 0,
    timers: 0,
  })
  expect(state.batches).toBe(1)
})

test('publishes the end of a turn in the same commit, and a failure to publish does not block writes', async () => {
  const publishedCallIds: string[] = []
  await using fixture = await openWriter(async (callIds) => {
    publishedCallIds.push(...callIds)
    if (publishedCallIds.length > 1) throw new Error('The publisher is unavailable.')
    const query = fixture.database.queryBuilder
      .updateTable('calls')
      .set({ summary: 'published' })
      .where('call_id', 'in', callIds)
    return [{ query: query.compile() }]
  })
  const { writer, clock, database } = fixture
  const journal = writer.open('call_a', clock.now())
  journal.append(createKeyEvent('1'))
  journal.append({ type: 'turn', turnId: 'turn_1', latency: null, decisions: [] })
  await fixture.advance(60)
  const otherJournal = writer.open('call_b', clock.now())
  otherJournal.append({ type: 'turn', turnId: 'turn_2', latency: null, decisions: [] })
  await fixture.closeJournals(journal, otherJournal)
  expect(publishedCallIds).toEqual(['call_a', 'call_b'])
  expect(await fixture.readDigits('call_b')).toEqual(['turn'])
  expect(fixture.loggedErrors).toEqual(['publish turns of calls'])
  const rows = await database.read.selectFrom('calls').select(['call_id', 'summary']).orderBy('call_id').execute()
  expect(rows).toEqual([
    { call_id: 'call_a', summary: 'published' },
    { call_id: 'call_b', summary: null },
  ])
})
