import { loadavg } from 'node:os'
import { listHiddenValues } from '../packages/server/src/features/calls/call-filter.ts'
import { type CallService, createCallService } from '../packages/server/src/features/calls/call-service.ts'
import { RECORDS_ONLY } from '../packages/server/src/features/calls/call-test-kit.ts'
import { createSharedClock } from '../packages/server/src/kernel/work/shared-clock.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'
import { seedWorkspaces } from '../testing/seed-workspaces.ts'
import { createRandom, fillHistory, getWorkspace, HISTORY_END_MS, toAgentId } from './harness/call-history.ts'
import { chooseDatabases, openHistoryDatabases } from './harness/history-databases.ts'
import { type DatabaseName, readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculatePercentile, roundStat } from './harness/statistics.ts'

/**
 * Measures queries of the growing call history: filtered first pages with exact totals, a deep page, and searches. The data
 * covers five workspaces of different sizes, 50 agents and one year of calls, on SQLite and PostgreSQL (`--database` selects
 * one).
 */
const { smoke, database } = readOptions()
const SIZES = smoke ? [200, 400, 800] : [10_000, 100_000, 1_000_000]
const REPEATS = smoke ? 3 : 200
const WARM_UPS = smoke ? 1 : 10
const WORKSPACE_IDS = [1, 2, 3, 4, 5]
const DAY_MS = 86_400_000

interface Request {
  readonly workspaceIds: readonly number[]
  readonly agentId?: string
  readonly status?: string
  readonly createdFrom?: number
  readonly search?: string
  readonly page?: number
}

/** Builds a query. Values differ on each call, so that no result is cached; `size` is the number of calls. */
type MakeRequest = (random: () => number, size: number) => Request

const singleWorkspace = { workspaceIds: [1] }
const pickItem = <Item>(random: () => number, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item
const createDigits = (random: () => number, count: number): string =>
  String(Math.floor(random() * 10 ** count)).padStart(count, '0')

const QUERIES: Readonly<Record<string, MakeRequest>> = {
  'page: workspace': () => singleWorkspace,
  'page: all workspaces': () => ({ workspaceIds: WORKSPACE_IDS }),
  'page: agent': (random) => {
    const agent = Math.floor(random() * 50)
    return { workspaceIds: [getWorkspace(agent)], agentId: toAgentId(agent) }
  },
  'page: status': (random) => ({
    ...singleWorkspace,
    status: pickItem(random, ['ended', 'error', 'not_connected', 'ongoing']),
  }),
  'page: last days': (random) => ({
    ...singleWorkspace,
    createdFrom: HISTORY_END_MS - Math.floor(random() * 30 * DAY_MS),
  }),
  'page: agent, status, days': (random) => ({
    ...singleWorkspace,
    agentId: toAgentId(5 * Math.floor(random() * 10)),
    status: 'error',
    createdFrom: HISTORY_END_MS - Math.floor(random() * 90 * DAY_MS),
  }),
  'deep page: halfway': (random, size) => ({
    ...singleWorkspace,
    page: Math.max(1, Math.floor((size * 0.17 + random() * 50) / 20)),
  }),
  'search: number': (random) => ({ ...singleWorkspace, search: `+1415${createDigits(random, 7)}` }),
  'search: four digits': (random) => ({ ...singleWorkspace, search: createDigits(random, 4) }),
  'search: area code': (random) => ({ ...singleWorkspace, search: `+1${pickItem(random, ['415', '212', '310'])}` }),
  'search: first name': (random) => ({
    ...singleWorkspace,
    search: pickItem(random, ['maria', 'james', 'Sofia', 'DAVID']),
  }),
  'search: part of an id': (random) => ({
    ...singleWorkspace,
    search: Math.floor(random() * 2 ** 24)
      .toString(16)
      .padStart(6, '0'),
  }),
  'search: agent name': (random) => ({ ...singleWorkspace, search: `desk ${5 * Math.floor(random() * 10)}` }),
  'search: name, status, days': (random) => ({
    ...singleWorkspace,
    search: pickItem(random, ['anna', 'paul', 'emma']),
    status: 'ended',
    createdFrom: HISTORY_END_MS - Math.floor(random() * 90 * DAY_MS),
  }),
  'search: all workspaces': (random) => ({
    workspaceIds: WORKSPACE_IDS,
    search: pickItem(random, ['laura', 'linda', '0077']),
  }),
  'search: own number': () => ({ workspaceIds: WORKSPACE_IDS, search: '+1800555' }),
  'search: two characters': (random) => ({ ...singleWorkspace, search: createDigits(random, 2) }),
}

interface Stats {
  readonly p50Ms: number
  readonly p95Ms: number
}

interface History {
  readonly size: number
  readonly calls: CallService
}

/** Results of one database. */
interface Growth {
  readonly fillSeconds: readonly number[]
  readonly queries: ReadonlyMap<string, readonly Stats[]>
}

const growthByDatabase = new Map<DatabaseName, Growth>()
for (const name of chooseDatabases(database)) {
  const growth = await measureGrowth(name)
  growthByDatabase.set(name, growth)
  printGrowth(name, growth)
}
printResult('growth', smoke, {
  loadAverage: loadavg().map(roundStat),
  sizes: SIZES,
  databases: Object.fromEntries(
    [...growthByDatabase].map(([name, { fillSeconds, queries }]) => [
      name,
      { fillSeconds, queries: Object.fromEntries(queries) },
    ]),
  ),
})

/** Fills all histories first and then alternates between them, so that disturbances affect all of them equally. */
async function measureGrowth(name: DatabaseName): Promise<Growth> {
  await using databases = await openHistoryDatabases(name)
  const callHistories: History[] = []
  const fillSeconds: number[] = []
  for (const size of SIZES) {
    const { database, runMaintenance } = await databases.open()
    await seedWorkspaces(database, WORKSPACE_IDS)
    const startedAt = performance.now()
    await fillHistory(database, size)
    fillSeconds.push(roundStat((performance.now() - startedAt) / 1000))
    await runMaintenance()
    callHistories.push({
      size,
      calls: createCallService({ database, clock: createSharedClock(systemClock), ...RECORDS_ONLY }),
    })
  }
  const queries = new Map<string, readonly Stats[]>()
  for (const [queryName, makeRequest] of Object.entries(QUERIES)) {
    queries.set(queryName, await timeRequest(callHistories, makeRequest))
  }
  return { fillSeconds, queries }
}

async function timeRequest(callHistories: readonly History[], makeRequest: MakeRequest): Promise<Stats[]> {
  const runs = callHistories.map((history) => ({ ...history, random: createRandom(4711), times: [] as number[] }))
  const hidden = listHiddenValues({ archived: false, children: false })
  for (let count = -WARM_UPS; count < REPEATS; count += 1) {
    for (const { size, calls, random, times } of runs) {
      const { search = '', page = 1, ...filter } = makeRequest(random, size)
      const queryStartedAt = performance.now()
      await calls.searchHistory({ ...filter, hidden }, { text: search }, { page, limit: 20 })
      if (count >= 0) times.push(performance.now() - queryStartedAt)
    }
  }
  return runs.map(({ times }) => ({
    p50Ms: roundStat(calculatePercentile(times, 0.5)),
    p95Ms: roundStat(calculatePercentile(times, 0.95)),
  }))
}

function calculateGrowth(sizes: readonly Stats[], key: keyof Stats): string {
  return `${roundStat((sizes.at(-1)?.[key] ?? Number.NaN) / (sizes[0]?.[key] ?? Number.NaN))} ×`
}

function printGrowth(name: DatabaseName, { fillSeconds, queries }: Growth): void {
  printTable(
    [`${name}: ms, p50 / p95`, ...SIZES.map((size) => size.toLocaleString('en')), 'p50 growth', 'p95 growth'],
    [...queries].map(([queryName, sizes]) => [
      queryName,
      ...sizes.map(({ p50Ms, p95Ms }) => `${p50Ms} / ${p95Ms}`),
      calculateGrowth(sizes, 'p50Ms'),
      calculateGrowth(sizes, 'p95Ms'),
    ]),
  )
  console.log(`filling: ${fillSeconds.join(', ')} s`)
}
