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
  const logged: string[] = []
  const fields: string[][] = []
  const state = { isDatabaseDown: false, isCommitUnacknowledged: false, batches: 0, refused: '' }
  const writer = new CallEventWriter({
    database: {
      compile: database.compile,
      async batch(statements: readonly BatchStatement[]) {
        state.batches += 1
        const away = new AppError('unavailable', 'The database cannot be reached.')
        if (state.isDatabaseDown) throw away
        const isRefused = statements.some(({ query }) => query.parameters.includes(state.refused))
        if (isRefused) throw new ConstraintError('foreign-key', 'call_events refers to nothing')
        await database.batch(statements)
        if (!state.isCommitUnacknowledged) return
        state.isCommitUnacknowledged = false
        throw away
      },
    },
    clock: createSharedClock(time.clock),
    ...(turnsEnded !== undefined && { turnsEnded }),
    logError: (name) => logged.push(name),
    onWritten: (callIds) => fields.push([...callIds]),
  })
  const closing = (...journals: { close(): Promise<void> }[]) =>
    advanceUntil(time, Promise.all(journals.map((journal) => journal.close())), 50)
  const digits = async (callId: string) =>
    (await readEvents(database.read, callId)).map((event) =>
      event.type === 'dtmf' ? event.digit : `${event.type}${'message' in event ? `: ${event.message}` : ''}`,
    )
  return {
    database,
    ...time,
    writer,
    logged,
    fields,
    state,
    closing,
    digits,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const key = (digit: string) => ({ type: 'dtmf', digit }) as const

test('writes events of several calls together, in order and without gaps', async () => {
  await using opened = await openWriter()
  const { writer, clock, database, state, fields } = opened
  const startedAtMs = clock.now()
  const [a, b] = [writer.open('call_a', startedAtMs), writer.open('call_b', startedAtMs + 10)]
  a.append(key('1'))
  b.append(key('9'))
  a.append(key('2'), startedAtMs + 2_500.4)
  await opened.closing(a, b)
  a.append(key('3'))
  expect(await readEvents(database.read, 'call_a')).toEqual([
    { type: 'dtmf', digit: '1', position: 0, atMs: 0, at: '2026-01-05T12:00:00.000Z' },
    { type: 'dtmf', digit: '2', position: 1, atMs: 2_500, at: '2026-01-05T12:00:02.500Z' },
  ])
  expect(await readEvents(database.read, 'call_b')).toMatchObject([{ atMs: 0, position: 0 }])
  expect(state.batches).toBe(1)
  expect(fields).toEqual([['call_a', 'call_b']])
  expect({ waiting: writer.waiting, timers: opened.pendingTimers() }).toEqual({ waiting: 0, timers: 0 })
})

test('loses and duplicates nothing during a short database outage', async () => {
  await using opened = await openWriter()
  const { writer, state, advance } = opened
  const journal = writer.open('call_a', 0)
  state.isDatabaseDown = true
  journal.append(key('1'))
  await advance(30_000)
  journal.append(key('2'))
  // The error is logged once, regardless of the number of attempts.
  expect(opened.logged).toEqual(['write events of calls'])
  state.isDatabaseDown = false
  state.isCommitUnacknowledged = true
  await opened.closing(journal)
  expect(await opened.digits('call_a')).toEqual(['1', '2'])
})

test('bounds memory: drops metrics first and notes what was lost', async () => {
  await using opened = await openWriter()
  const { writer, state, advance } = opened
  const journal = writer.open('call_a', 0)
  state.isDatabaseDown = true
  journal.append(key('1'))
  // The events are being written and can no longer be dropped.
  await advance(50)
  for (let count = 0; count < 30_000; count += 1) {
    journal.append({ type: 'usage', product: 'llm', model: 'm', quantity: 1, unit: 'output-token' })
    journal.append({ type: 'warning', code: 'x', message: 'w' })
    expect(writer.waiting).toBeLessThanOrEqual(10_001)
  }
  journal.append(key('2'))
  state.isDatabaseDown = false
  await opened.closing(journal)
  const events = await readEvents(opened.database.read, 'call_a')
  expect(events.map(({ position }) => position)).toEqual(events.map((_event, index) => index))
  const used = events.map((event) => (event.type === 'usage' ? event.quantity : 0))
  expect(used.reduce((sum, quantity) => sum + quantity, 0)).toBe(30_000)
  expect(events.filter(({ type }) => type === 'dtmf')).toHaveLength(2)
  const notes = events.flatMap((event) =>
    event.type === 'warning' && event.code === 'events_lost' ? [event.message] : [],
  )
  const lost = notes.map((note) => Number.parseInt(note, 10)).reduce((sum, count) => sum + count, 0)
  const kept = events.filter((event) => event.type === 'warning' && event.code === 'x').length
  expect(lost + kept).toBe(30_000)
})

test('ends a call whose events were all dropped and records how many are missing', async () => {
  await using opened = await openWriter()
  const { writer, state, advance } = opened
  const [a, b] = [writer.open('call_a', 0), writer.open('call_b', 0)]
  state.isDatabaseDown = true
  // This event is being written, so that later events queue behind it.
  b.append(key('0'))
  await advance(50)
  a.append(key('1'))
  a.append(key('2'))
  const closing = a.close()
  for (let count = 0; count < 30_000; count += 1) b.append(key('9'))
  state.isDatabaseDown = false
  await opened.closing(b)
  await closing
  expect(await opened.digits('call_a')).toEqual(['warning: 2 events were lost while the database was unavailable.'])
  expect({ waiting: writer.waiting, timers: opened.pendingTimers() }).toEqual({ waiting: 0, timers: 0 })
})

test('ignores events of a call that was ended elsewhere or deleted', async () => {
  await using opened = await openWriter()
  const { writer, database } = opened
  const [a, b, gone] = [writer.open('call_a', 0), writer.open('call_b', 0), writer.open('call_gone', 0)]
  const end = database.compile.updateTable('calls').set({ status: 'error' }).where('call_id', '=', 'call_a')
  await database.batch([{ query: end.compile() }])
  for (const journal of [a, b, gone]) journal.append(key('1'))
  await opened.closing(a, b, gone)
  expect(await database.read.selectFrom('call_events').select('call_id').execute()).toEqual([{ call_id: 'call_b' }])
  expect(opened.logged).toEqual([])
})

test('events that the database rejects do not block those of other calls', async () => {
  await using opened = await openWriter()
  const { writer, state } = opened
  const [a, b] = [writer.open('call_a', 0), writer.open('call_b', 0)]
  state.refused = 'call_a'
  a.append(key('1'))
  b.append(key('2'))
  await opened.closing(a, b)
  expect({ a: await opened.digits('call_a'), b: await opened.digits('call_b') }).toEqual({ a: [], b: ['2'] })
  expect(opened.logged).toEqual(['write events that the database rejects'])
})

test('a stop writes pending events and gives up at its deadline', async () => {
  await using opened = await openWriter()
  const { writer, state } = opened
  const journal = writer.open('call_a', 0)
  journal.append(key('1'))
  // Virtual time pauses, because real database time must not count against the deadline.
  await writer.stop(1_000)
  expect(await opened.digits('call_a')).toEqual(['1'])
  await journal.close()
  await using cut = await openWriter()
  cut.state.isDatabaseDown = true
  const other = cut.writer.open('call_a', 0)
  other.append(key('1'))
  await advanceUntil(cut, cut.writer.stop(1_000), 100)
  await other.close()
  expect({ waiting: cut.writer.waiting, timers: cut.pendingTimers() }).toEqual({ waiting: 0, timers: 0 })
  expect(state.batches).toBe(1)
})

test('publishes the end of a turn in the same commit, and a failure to publish does not block writes', async () => {
  const ended: string[] = []
  await using opened = await openWriter(async (callIds) => {
    ended.push(...callIds)
    if (ended.length > 1) throw new Error('nobody can be told')
    const query = opened.database.compile.updateTable('calls').set({ summary: 'told' }).where('call_id', 'in', callIds)
    return [{ query: query.compile() }]
  })
  const { writer, clock, database } = opened
  const journal = writer.open('call_a', clock.now())
  journal.append(key('1'))
  journal.append({ type: 'turn', turnId: 'turn_1', latency: null, decisions: [] })
  await opened.advance(60)
  const other = writer.open('call_b', clock.now())
  other.append({ type: 'turn', turnId: 'turn_2', latency: null, decisions: [] })
  await opened.closing(journal, other)
  expect(ended).toEqual(['call_a', 'call_b'])
  expect(await opened.digits('call_b')).toEqual(['turn'])
  expect(opened.logged).toEqual(['publish turns of calls'])
  const rows = await database.read.selectFrom('calls').select(['call_id', 'summary']).orderBy('call_id').execute()
  expect(rows).toEqual([
    { call_id: 'call_a', summary: 'told' },
    { call_id: 'call_b', summary: null },
  ])
})
