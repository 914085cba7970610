import { createManualClock } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advanceUntil } from '../../../../../testing/advance-until.ts'
import { type SeededCall, seedCalls } from '../../../../../testing/seed-calls.ts'
import { createChatRow, createTurnRow, type SeededChat } from '../../../../../testing/seed-chats.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { TurnRow } from '../../tables/chat-tables.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { createUsageService, registerUsageRoutes } from './usage-service.ts'
import { estimateAnswerLatencies } from './usage-store.ts'

const DAY_MS = 86_400_000
const JAN_1 = Date.UTC(2026, 0, 1)

async function openUsage() {
  const database = await temporaryDatabase()
  const time = createManualClock()
  const { clock } = time
  await seedWorkspaces(database, [1, 2, 3])
  const makeId = (prefix: string) => `${prefix}_x`
  const service = createUsageService({ database, clock })
  const routes = openRoutes({ database, clock, makeId }, (api) => registerUsageRoutes(api, service))
  return {
    ...routes,
    database,
    time,
    service,
    usage: async (query: string) => {
      const { status, body } = await routes.send(`GET /api/usage?${query}`)
      return status === 200 ? body : { status, code: body.code, details: body.details }
    },
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}

type ChatOfTurns = SeededChat & { readonly started_at: number; readonly turns: readonly Partial<TurnRow>[] }

async function seedChats(database: Database, chats: readonly ChatOfTurns[]): Promise<void> {
  const rows = chats.map(({ turns: _turns, ...chat }) => createChatRow(chat))
  const turns = chats.flatMap((chat) =>
    chat.turns.map((turn, position) => {
      const { chat_id, started_at } = chat
      return createTurnRow({ turn_id: `turn_${chat_id}_${position}`, chat_id, position, started_at, ...turn })
    }),
  )
  await database.transaction(async (transaction) => {
    await transaction.insertInto('chats').values(rows).execute()
    await transaction.insertInto('turns').values(turns).execute()
  })
}

const spent = (...costs: (number | null)[]): string =>
  JSON.stringify(costs.map((cost) => ({ model: 'm', inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cost })))

/** `created_at` counts from January 1. */
const CALLS: readonly SeededCall[] = [
  { call_id: 'call_1', agent_id: 'agent_a', duration_ms: 90_000, cost_total: 100_001, successful: 1 },
  { call_id: 'call_2', agent_id: 'agent_b', duration_ms: 30_000, cost_total: null, successful: 0, archived_at: 1 },
  { call_id: 'call_3', agent_id: 'agent_a', duration_ms: null, status: 'error', created_at: DAY_MS },
  { call_id: 'call_4', workspace_id: 2, agent_id: 'agent_c', duration_ms: 1_000, cost_total: 5, created_at: DAY_MS },
  { call_id: 'call_5', workspace_id: 3, agent_id: 'agent_d', created_at: DAY_MS },
]

const CHATS: readonly ChatOfTurns[] = [
  {
    chat_id: 'chat_1',
    agent_id: 'agent_a',
    started_at: JAN_1 + 5,
    turns: [
      { first_text_ms: 100, usage: spent(0.1, null) },
      { first_text_ms: 300, usage: spent(0.2) },
      { status: 'failed' },
    ],
  },
  { chat_id: 'chat_2', agent_id: 'agent_b', started_at: JAN_1 + DAY_MS - 1, turns: [{ first_text_ms: 200 }] },
]

const RANGE = 'startDate=2026-01-01&endDate=2026-01-02'

test('calls and chats by day, agent and workspace', async () => {
  await using server = await openUsage()
  const { database, usage } = server
  await seedCalls(
    database,
    CALLS.map((call) => ({ ...call, created_at: JAN_1 + (call.created_at ?? 0) })),
  )
  await seedChats(database, CHATS)
  const firstDay = {
    key: '2026-01-01',
    calls: 2,
    chats: 2,
    minutes: 2,
    cost: 0.400001,
    successRate: 0.5,
    latencyP50Ms: 200,
    latencyP95Ms: 300,
    errors: 1,
  }
  const silent = { successRate: null, latencyP50Ms: null, latencyP95Ms: null }
  const secondDay = { key: '2026-01-02', calls: 2, chats: 0, minutes: 0.02, cost: 0.000005, ...silent, errors: 1 }
  expect(await usage(RANGE)).toEqual([firstDay, secondDay])
  expect(await usage(`${RANGE}&groupBy=agent`)).toMatchObject([
    { key: 'agent_a', calls: 2, chats: 1, minutes: 1.5, cost: 0.400001, successRate: 1, latencyP95Ms: 300, errors: 2 },
    { key: 'agent_b', calls: 1, chats: 1, minutes: 0.5, cost: 0, successRate: 0, latencyP50Ms: 200, errors: 0 },
    { key: 'agent_c', calls: 1, chats: 0 },
  ])
  expect(await usage(`${RANGE}&groupBy=workspace`)).toMatchObject([
    { key: '1', calls: 3, chats: 2, errors: 2 },
    { key: '2', calls: 1, chats: 0, errors: 0 },
  ])
  expect(await usage(`${RANGE}&workspaceId=2`)).toMatchObject([{ key: '2026-01-02', calls: 1 }])
  expect(await usage('from=2026-01-02&to=2026-01-02')).toEqual([secondDay])
})

test('counts answers of calls and chats', async () => {
  await using server = await openUsage()
  const { database, usage } = server
  const stats = (num: number, [min, p50, max]: readonly [number, number, number]) =>
    JSON.stringify({ e2e: { min, p50, p90: max, p95: max, p99: max, max, num }, model: null })
  await seedCalls(database, [
    { call_id: 'call_1', created_at: JAN_1, latency: stats(2, [400, 400, 800]) },
    { call_id: 'call_2', created_at: JAN_1, latency: stats(1, [600, 600, 600]) },
    { call_id: 'call_3', created_at: JAN_1, latency: '{"e2e":null}' },
  ])
  const chat = { chat_id: 'chat_1', started_at: JAN_1, turns: [{ first_text_ms: 1_000 }] }
  await seedChats(database, [chat])
  expect(await usage(RANGE)).toMatchObject([{ calls: 3, chats: 1, latencyP50Ms: 600, latencyP95Ms: 1_000 }])
})

test('interpolated latencies lie between the stored percentiles, in order', () => {
  const [low, middle, high] = [fc.nat(500), fc.nat(500), fc.nat(500)]
  fc.assert(
    fc.property(low, middle, high, fc.integer({ min: 1, max: 400 }), (min, more, most, num) => {
      const [p50, max] = [min + more, min + more + most]
      const latencies = estimateAnswerLatencies(
        JSON.stringify({ e2e: { min, p50, p90: max, p95: max, p99: max, max, num } }),
      )
      expect(latencies).toHaveLength(num)
      expect(latencies).toEqual(latencies.toSorted((a, b) => a - b))
      expect(latencies.at(-1)).toBe(max)
      expect(latencies[0]).toBeGreaterThanOrEqual(min)
      const median = latencies[Math.ceil(num / 2) - 1] ?? 0
      if (num % 2 === 0) expect(median).toBeCloseTo(p50)
    }),
    { numRuns: 1_000 },
  )
})

test('defaults to the last 30 days and rejects more than a year', async () => {
  await using server = await openUsage()
  const { database, usage, time } = server
  const now = time.clock.now()
  await seedCalls(database, [
    { call_id: 'call_1', created_at: now },
    { call_id: 'call_2', created_at: now - 30 * DAY_MS + 1 },
    { call_id: 'call_3', created_at: now - 30 * DAY_MS },
  ])
  expect(await usage('groupBy=workspace')).toMatchObject([{ key: '1', calls: 2 }])
  expect(await usage('startDate=2024-01-01&endDate=2024-12-31')).toEqual([])
  expect(await usage('startDate=2024-01-01&endDate=2025-01-01')).toMatchObject({
    status: 400,
    code: 'invalid_request',
    details: [{ path: 'startDate' }],
  })
  expect(await usage('endDate=2025-01-01&groupBy=hour')).toMatchObject({ status: 400, details: [{ path: 'groupBy' }] })
})

test('percentiles are exact over more chats than one read', async () => {
  await using server = await openUsage()
  const { database, time, service } = server
  const chats = Array.from({ length: 450 }, (_, index) => ({
    chat_id: `chat_${index}`,
    started_at: JAN_1 + Math.floor(index / 7),
    turns: [{ first_text_ms: (index * 7) % 450 }],
  }))
  await seedChats(database, chats)
  const reading = service.read({ workspaceIds: [1], from: JAN_1, to: JAN_1 + DAY_MS, groupBy: 'workspace' })
  // Other requests are served between two reads.
  expect(await advanceUntil(time, reading)).toMatchObject([{ chats: 450, latencyP50Ms: 224, latencyP95Ms: 427 }])
})
