import { loadavg } from 'node:os'
import { shownValues } from '../packages/server/src/features/calls/call-filter.ts'
import { type CallService, createCallService } from '../packages/server/src/features/calls/call-service.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'
import { seedWorkspaces } from '../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../testing/temporary-database.ts'
import { agentIdOf, createChance, fillHistory, HISTORY_END_MS, workspaceOf } from './harness/call-history.ts'
import { readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { percentile, round } from './harness/statistics.ts'

/**
 * The history of calls as it grows, asked through its service: first pages under filters, each with the exact total of its
 * list, a page deep in it, and searches. Five workspaces of unequal size, 50 agents, calls of a year.
 */
const { smoke } = readOptions()
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

/** What is asked, made anew each time so that no answer is found twice; `size` is how many calls there are. */
type MakeRequest = (chance: () => number, size: number) => Request

const one = { workspaceIds: [1] }
const pick = <Item>(chance: () => number, items: readonly Item[]): Item =>
  items[Math.floor(chance() * items.length)] as Item
const digits = (chance: () => number, count: number): string =>
  String(Math.floor(chance() * 10 ** count)).padStart(count, '0')

const QUESTIONS: Readonly<Record<string, MakeRequest>> = {
  'page: workspace': () => one,
  'page: all workspaces': () => ({ workspaceIds: WORKSPACE_IDS }),
  'page: agent': (chance) => {
    const agent = Math.floor(chance() * 50)
    return { workspaceIds: [workspaceOf(agent)], agentId: agentIdOf(agent) }
  },
  'page: status': (chance) => ({ ...one, status: pick(chance, ['ended', 'error', 'not_connected', 'ongoing']) }),
  'page: last days': (chance) => ({ ...one, createdFrom: HISTORY_END_MS - Math.floor(chance() * 30 * DAY_MS) }),
  'page: agent, status, days': (chance) => ({
    ...one,
    agentId: agentIdOf(5 * Math.floor(chance() * 10)),
    status: 'error',
    createdFrom: HISTORY_END_MS - Math.floor(chance() * 90 * DAY_MS),
  }),
  'deep page: half way': (chance, size) => ({
    ...one,
    page: Math.max(1, Math.floor((size * 0.17 + chance() * 50) / 20)),
  }),
  'search: number': (chance) => ({ ...one, search: `+1415${digits(chance, 7)}` }),
  'search: four digits': (chance) => ({ ...one, search: digits(chance, 4) }),
  'search: area code': (chance) => ({ ...one, search: `+1${pick(chance, ['415', '212', '310'])}` }),
  'search: first name': (chance) => ({ ...one, search: pick(chance, ['maria', 'james', 'Sofia', 'DAVID']) }),
  'search: part of an id': (chance) => ({
    ...one,
    search: Math.floor(chance() * 2 ** 24)
      .toString(16)
      .padStart(6, '0'),
  }),
  'search: agent name': (chance) => ({ ...one, search: `desk ${5 * Math.floor(chance() * 10)}` }),
  'search: name, status, days': (chance) => ({
    ...one,
    search: pick(chance, ['anna', 'paul', 'emma']),
    status: 'ended',
    createdFrom: HISTORY_END_MS - Math.floor(chance() * 90 * DAY_MS),
  }),
  'search: all workspaces': (chance) => ({
    workspaceIds: WORKSPACE_IDS,
    search: pick(chance, ['laura', 'linda', '0077']),
  }),
  'search: own number': () => ({ workspaceIds: WORKSPACE_IDS, search: '+1800555' }),
  'search: two characters': (chance) => ({ ...one, search: digits(chance, 2) }),
}

interface Figures {
  readonly p50Ms: number
  readonly p95Ms: number
}

const figures = new Map<string, Figures[]>()
const fillSeconds: number[] = []
await measureAll()

interface History {
  readonly size: number
  readonly calls: CallService
}

/** All histories are there before the first question, which is then put to each in turn: what disturbs one disturbs all. */
async function measureAll(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const histories: History[] = []
  for (const size of SIZES) {
    const database = opened.use(await temporaryDatabase())
    await seedWorkspaces(database, WORKSPACE_IDS)
    const startedAt = performance.now()
    await fillHistory(database, size)
    fillSeconds.push(round((performance.now() - startedAt) / 1000))
    histories.push({ size, calls: createCallService({ database, clock: systemClock }) })
  }
  for (const [name, makeRequest] of Object.entries(QUESTIONS)) figures.set(name, await ask(histories, makeRequest))
}

async function ask(histories: readonly History[], makeRequest: MakeRequest): Promise<Figures[]> {
  const runs = histories.map((history) => ({ ...history, chance: createChance(4711), times: [] as number[] }))
  const hidden = shownValues({ archived: false, children: false })
  for (let count = -WARM_UPS; count < REPEATS; count += 1) {
    for (const { size, calls, chance, times } of runs) {
      const { search = '', page = 1, ...filter } = makeRequest(chance, size)
      const began = performance.now()
      await calls.history({ ...filter, hidden }, search, { page, limit: 20 })
      if (count >= 0) times.push(performance.now() - began)
    }
  }
  return runs.map(({ times }) => ({ p50Ms: round(percentile(times, 0.5)), p95Ms: round(percentile(times, 0.95)) }))
}

function growthOf(sizes: readonly Figures[], key: keyof Figures): string {
  return `${round((sizes.at(-1)?.[key] ?? Number.NaN) / (sizes[0]?.[key] ?? Number.NaN))} ×`
}

printTable(
  ['ms, p50 / p95', ...SIZES.map((size) => size.toLocaleString('en')), 'p50 growth', 'p95 growth'],
  [...figures].map(([name, sizes]) => [
    name,
    ...sizes.map(({ p50Ms, p95Ms }) => `${p50Ms} / ${p95Ms}`),
    growthOf(sizes, 'p50Ms'),
    growthOf(sizes, 'p95Ms'),
  ]),
)
console.log(`filling: ${fillSeconds.join(', ')} s`)
printResult('growth', smoke, {
  loadAverage: loadavg().map(round),
  sizes: SIZES,
  fillSeconds,
  questions: Object.fromEntries(figures),
})
