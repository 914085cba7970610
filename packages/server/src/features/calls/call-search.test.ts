import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SeededCall, seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { type CallFilter, isInEveryId, listHiddenValues, parseSearchTerm } from './call-filter.ts'
import { findDayRange } from './call-search.ts'
import { createCallService } from './call-service.ts'
import { buildCallId, openCalls, RECORDS_ONLY } from './call-test-kit.ts'

const PEOPLE = ['Ann "Lee" 100%', "Bo_b O'Hara", 'ÉLODIE AND NOT', 'back\\slash* (x)', 'Ann*']

const seededCalls = PEOPLE.map((customer_name, index) => ({
  call_id: `call_${'0123456789abcdef'.slice(index, index + 8)}${'f'.repeat(18)}`,
  created_at: index,
  customer_name,
  call_sid: `CA77${index}`,
  from_number: `+1415555000${index}`,
  agent_name: index === 4 ? 'Night desk' : 'Front desk',
}))

const CASES: readonly (readonly [string, number])[] = [
  ['ann', 2],
  ['ANN "', 1],
  ['100%', 1],
  ['%', 1],
  ['Bo_b', 1],
  ['Boxb', 0],
  ['_b', 1],
  ["o'h", 1],
  ['élodie', 1],
  ['AND NOT', 1],
  ['h* (', 1],
  ['\\s', 1],
  ['ann*', 1],
  ['"', 1],
  ['+1415555', 5],
  ['5550003', 1],
  ['call_0123', 1],
  ['CALL_0', 1],
  ['_1234', 1],
  ['ll_2', 1],
  ['call_1234567f', 0],
  ['call_', 0],
  ['al', 0],
  ['ca770', 1],
  ['front desk', 4],
  ['night', 1],
  ['desk', 5],
  ['words : ann', 0],
  ['NEAR(ann lee)', 0],
  ['ann OR bo', 0],
  ['call_sid', 0],
  ['7714', 0],
]

test.each([true, false])('finds text as written, with an index: %s', async (isIndexed) => {
  await using server = await openCalls(seededCalls)
  const { read, transaction, capabilities } = server.database
  const withoutIndexes = { trigramIndex: false, trigramOperators: false }
  const database = { read, transaction, capabilities: { ...capabilities, ...(isIndexed ? {} : withoutIndexes) } }
  const calls = createCallService({ database, clock: createSharedClock(server.clock), ...RECORDS_ONLY })
  const filter = { workspaceIds: [1, 2], hidden: [0] }
  for (const [text, expected] of CASES) {
    // Without an index, databases lowercase only ASCII.
    if (!isIndexed && text === 'élodie') continue
    const { items, total } = await calls.searchHistory(filter, { text }, { page: 1, limit: 20 })
    expect([text, items.length, total]).toEqual([text, expected, expected])
  }
})

test('searches through HTTP', async () => {
  await using server = await openCalls(seededCalls)
  const response = await server.list(`/api/v1/calls/history?q=${encodeURIComponent('ann*')}`)
  expect(response).toEqual({ ids: [seededCalls[4]?.call_id], page: 1, limit: 20, total: 1, pages: 1 })
  expect((await server.list('/api/v1/calls/history?searchText=')).total).toBe(5)
  expect((await server.list('/api/v1/calls/history?search=555&startDate=0001-01-01&endDate=9999-12-31')).total).toBe(5)
  expect((await server.list('/api/v1/calls/history?search=555&endDate=0001-01-01')).total).toBe(0)
  expect((await server.list('/api/v1/calls/history?search=555&startDate=9999-12-31')).total).toBe(0)
  expect((await server.send(`GET /api/v1/calls/history?search=${'x'.repeat(201)}`)).status).toBe(400)
})

test('sorts the call history by duration, latency and cost', async () => {
  const measure = (p50: number): string =>
    JSON.stringify({ e2e: { p50, p90: p50, p95: p50, p99: p50, min: 1, max: 9, num: 1 } })
  const values: readonly Partial<SeededCall>[] = [
    { duration_ms: null, cost_total: 5 },
    { duration_ms: 10_000, cost_total: 0, latency: measure(900) },
    { duration_ms: 9_000, cost_total: null, latency: measure(80) },
    { duration_ms: 10_000, cost_total: 70, latency: measure(1_000) },
  ]
  await using server = await openCalls(
    values.map((fields, index) => ({ call_id: buildCallId(index), created_at: index, ...fields })),
  )
  const listIndexes = async (query: string) => {
    const { ids, total } = await server.list(`/api/v1/calls/history?${query}`)
    expect(total).toBe(4)
    return ids.map((id: string) => [0, 1, 2, 3].find((index) => buildCallId(index) === id))
  }
  expect(await listIndexes('')).toEqual([3, 2, 1, 0])
  // Equal calls stay newest first, and calls without a value come last in both directions.
  expect(await listIndexes('sort=duration')).toEqual([2, 3, 1, 0])
  expect(await listIndexes('sort=-duration')).toEqual([3, 1, 2, 0])
  expect(await listIndexes('sort=latency')).toEqual([2, 1, 3, 0])
  expect(await listIndexes('sort=-latency')).toEqual([3, 1, 2, 0])
  expect(await listIndexes('sort=cost')).toEqual([1, 0, 3, 2])
  expect(await listIndexes('sort=-cost&search=DESK&limit=2&page=2')).toEqual([1, 2])
  expect((await server.send('GET /api/v1/calls/history?sort=sentiment')).status).toBe(400)
})

test('an actor with very many workspaces finds the same calls', async () => {
  await using server = await openCalls(seededCalls.map((call, index) => ({ ...call, workspace_id: 1 + (index % 3) })))
  const calls = createCallService({
    database: server.database,
    clock: createSharedClock(server.clock),
    ...RECORDS_ONLY,
  })
  const buildWorkspaceIds = (length: number, step: number) => Array.from({ length }, (_, index) => 1000 + step * index)
  for (const otherIds of [[], buildWorkspaceIds(150, 1), buildWorkspaceIds(5000, 2)]) {
    for (const text of ['', '555', '55', 'desk']) {
      const page = { page: 1, limit: 2 }
      const { items, total } = await calls.searchHistory(
        { workspaceIds: [1, 3, ...otherIds], hidden: [0] },
        { text },
        page,
      )
      const names = items.map((item) => item.customerName)
      expect([text, total, names]).toEqual([text, 3, ['back\\slash* (x)', 'ÉLODIE AND NOT']])
    }
  }
})

test('finds an agent under each of many names', async () => {
  const namedCalls = Array.from({ length: 3000 }, (_, index) => ({
    call_id: buildCallId(index),
    created_at: index,
    agent_id: `agent_${index % 7}`,
    agent_name: `Desk ${index}`,
  }))
  await using server = await openCalls(namedCalls)
  expect(await server.list('/api/v1/calls/history?search=desk&agentId=agent_3')).toMatchObject({ total: 429 })
  expect(await server.list('/api/v1/calls/history?search=desk')).toMatchObject({ total: 3000 })
})

interface Change {
  readonly index: number
  readonly fields: Partial<SeededCall> | null
}

const anyFields = fc.record(
  {
    workspace_id: fc.constantFrom(1, 2),
    agent_id: fc.constantFrom('agent_a', 'agent_b'),
    agent_version: fc.constantFrom(1, 2),
    agent_name: fc.constantFrom('Front', 'Night'),
    status: fc.constantFrom('ongoing', 'ended', 'error'),
    archived_at: fc.constantFrom(null, 5),
    parent_call_id: fc.constantFrom(null, buildCallId(1)),
    customer_name: fc.constantFrom(null, 'Ann Lee', 'Bob Front'),
    created_at: fc.constantFrom(0, 1, 604_799_999, 604_800_000, 2_000_000_000),
  },
  { requiredKeys: ['workspace_id', 'created_at'] },
)
const anyChange: fc.Arbitrary<Change> = fc.record({
  index: fc.nat(7),
  fields: fc.option(anyFields.map(({ workspace_id: _workspace, created_at: _created, ...rest }) => rest)),
})
const anyFilter = fc.record({
  workspaceIds: fc.constantFrom([1], [2], [1, 2]),
  agentId: fc.constantFrom(undefined, 'agent_a', 'agent_b'),
  agentVersion: fc.constantFrom(undefined, 1, 2),
  status: fc.constantFrom(undefined, 'ended', 'error'),
  createdFrom: fc.constantFrom(undefined, 1, 604_800_000),
  createdTo: fc.constantFrom(undefined, 0, 604_799_999, 1_999_999_999),
  hidden: fc.record({ archived: fc.boolean(), children: fc.boolean() }).map(listHiddenValues),
})

/** Returns the expected result, computed without any index. */
function computeExpectedIds(calls: readonly SeededCall[], filter: CallFilter, text: string): string[] {
  const isMatch = (call: SeededCall) => {
    const hidden = (call.archived_at == null ? 0 : 1) + (call.parent_call_id == null ? 0 : 2)
    const texts = [call.customer_name, call.agent_name].map((value) => value?.toLowerCase() ?? '')
    return (
      filter.workspaceIds.includes(call.workspace_id ?? 1) &&
      filter.hidden.includes(hidden) &&
      (filter.agentId === undefined || filter.agentId === call.agent_id) &&
      (filter.agentVersion === undefined || filter.agentVersion === call.agent_version) &&
      (filter.status === undefined || filter.status === call.status) &&
      (filter.createdFrom === undefined || (call.created_at ?? 0) >= filter.createdFrom) &&
      (filter.createdTo === undefined || (call.created_at ?? 0) <= filter.createdTo) &&
      texts.some((value) => value.includes(text))
    )
  }
  return calls.filter(isMatch).map((call) => call.call_id)
}

test('lists, totals and searches stay correct after any writes, changes and deletions', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  const service = createCallService({ database, clock: { scope: 'installation', now: () => 0 }, ...RECORDS_ONLY })
  const BASE = { agent_id: 'agent_a', agent_version: 1, agent_name: 'Front', status: 'ended' }
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFields, { maxLength: 8 }),
      fc.array(anyChange),
      anyFilter,
      async (rows, changes, filter) => {
        await database.transaction((transaction) => transaction.deleteFrom('calls').execute())
        let calls: SeededCall[] = rows.map((fields, index) => ({ ...BASE, ...fields, call_id: buildCallId(index) }))
        await seedCalls(database, calls)
        for (const { index, fields } of changes) {
          const call_id = buildCallId(index)
          await database.transaction(async (transaction) => {
            if (fields === null) await transaction.deleteFrom('calls').where('call_id', '=', call_id).execute()
            else
              await transaction
                .updateTable('calls')
                .set({ ...fields, updated_at: 1 })
                .where('call_id', '=', call_id)
                .execute()
          })
          calls = calls
            .filter((call) => fields !== null || call.call_id !== call_id)
            .map((call) => (call.call_id === call_id ? { ...call, ...fields } : call))
        }
        for (const text of ['', 'ann', 'front']) {
          const expected = computeExpectedIds(calls, filter, text)
          const { items, total } = await service.searchHistory(filter, { text }, { page: 1, limit: 100 })
          expect(total).toBe(expected.length)
          expect(items.map((item) => item.callId).sort()).toEqual(expected.sort())
          const times = items.map((item) => calls.find((call) => call.call_id === item.callId)?.created_at ?? 0)
          expect(times).toEqual(times.toSorted((a, b) => b - a))
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('deleting a workspace removes its calls, counts and search entries', async () => {
  await using server = await openCalls(seededCalls)
  const { database } = server
  await database.transaction((transaction) =>
    transaction.deleteFrom('workspaces').where('workspace_id', '=', 1).execute(),
  )
  expect(await database.read.selectFrom('call_counts').selectAll().execute()).toEqual([])
  expect(await server.list('/api/v1/calls/history?search=555')).toMatchObject({ ids: [], total: 0 })
})

test('finds the days that contain a page', () => {
  const days = [
    { day: 9, calls: 3 },
    { day: 7, calls: 5 },
    { day: 2, calls: 1 },
  ]
  expect(findDayRange(days, 0, 3)).toEqual({ first: 9, last: 9, offset: 0 })
  expect(findDayRange(days, 2, 2)).toEqual({ first: 7, last: 9, offset: 2 })
  expect(findDayRange(days, 3, 5)).toEqual({ first: 7, last: 7, offset: 0 })
  expect(findDayRange(days, 8, 20)).toEqual({ first: 2, last: 2, offset: 0 })
  expect(findDayRange(days, 9, 20)).toBeNull()
  expect(findDayRange([], 0, 20)).toBeNull()
})

test('a page found by days equals the page of the whole list', () => {
  const anyDays = fc
    .uniqueArray(fc.nat(50), { maxLength: 12 })
    .chain((days) =>
      fc.tuple(
        ...days
          .toSorted((a, b) => b - a)
          .map((day) => fc.record({ day: fc.constant(day), calls: fc.integer({ min: 1, max: 6 }) })),
      ),
    )
  fc.assert(
    fc.property(anyDays, fc.nat(60), fc.integer({ min: 1, max: 20 }), (days, offset, limit) => {
      const list = days.flatMap(({ day, calls }) => Array.from({ length: calls }, (_, index) => `${day}/${index}`))
      const range = findDayRange(days, offset, limit)
      const entriesInRange = list.filter((entry) => {
        const day = Number.parseInt(entry, 10)
        return range !== null && day >= range.first && day <= range.last
      })
      const pageEntries = range === null ? [] : entriesInRange.slice(range.offset, range.offset + limit)
      expect(pageEntries).toEqual(list.slice(offset, offset + limit))
    }),
  )
})

const ID_MARK = '\u{e001}\u{e001}'

test.each(['', '   '])('"%s" searches for everything', (text) => {
  expect(parseSearchTerm(text)).toEqual({ kind: 'everything' })
})

test('a prefix of every id is searched as text', () => {
  for (const text of ['al', 'C', '_', 'Call', 'call_']) expect(isInEveryId(text)).toBe(true)
  for (const text of ['all ', 'call_1', 'recall']) expect(isInEveryId(text)).toBe(false)
  expect(parseSearchTerm('call')).toEqual({ kind: 'indexed', text: 'call', phrases: ['call'] })
  expect(parseSearchTerm('call_')).toEqual({ kind: 'indexed', text: 'call_', phrases: ['call_'] })
})

test.each(['ab', '+1', '_3', 'é'])('"%s" is too short for the index', (text) => {
  expect(parseSearchTerm(text)).toEqual({ kind: 'short', text })
})

test('searches the start of an id as text and after the id mark', () => {
  const getPhrases = (text: string) => {
    const term = parseSearchTerm(text)
    return term.kind === 'indexed' ? term.phrases : null
  }
  expect(getPhrases('call_3fa')).toEqual(['call_3fa', `${ID_MARK}3fa`])
  expect(getPhrases('L_3')).toEqual(['L_3', `${ID_MARK}3`])
  expect(getPhrases('_3f')).toEqual(['_3f', `${ID_MARK}3f`])
  expect(getPhrases('recall_3')).toEqual(['recall_3'])
  expect(getPhrases(' Ann "O" ')).toEqual(['Ann "O"'])
})

test('never matches across two texts', () => {
  expect(parseSearchTerm('a\u{1f}bcd')).toEqual({ kind: 'nothing' })
})

test('index queries always have at least three characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const term = parseSearchTerm(text)
      if (term.kind === 'indexed') for (const phrase of term.phrases) expect([...phrase].length).toBeGreaterThan(2)
    }),
  )
})
