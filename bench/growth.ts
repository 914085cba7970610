import { loadavg } from 'node:os'
import { shownValues } from '../packages/server/src/features/calls/call-filter.ts'
import { type CallService, createCallService } from '../packages/server/src/features/calls/call-service.ts'
import { RECORDS_ONLY } from '../packages/server/src/features/calls/call-test-kit.ts'
import { shareClock } from '../packages/server/src/kernel/work/shared-clock.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'
import { seedWorkspaces } from '../testing/seed-workspaces.ts'
import { agentIdOf, createChance, fillHistory, HISTORY_END_MS, workspaceOf } from './harness/call-history.ts'
import { chooseDatabases, openHistoryDatabases } from './harness/history-databases.ts'
import { type DatabaseName, readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { percentile, round } from './harness/statistics.ts'

/**
 * The history of calls as it grows, asked through its service: first pages under filters, each with the exact total of its
 * list, a page deep in it, and searches. Five workspaces of unequal size, 50 agents, calls of a year. On SQLite and on a
 * private PostgreSQL, or on one of them: `--database sqlite`, `--database postgres`.
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

interface History {
  readonly size: number
  readonly calls: CallService
}

/** What was measured on one database. */
interface Growth {
  readonly fillSeconds: readonly number[]
  readonly questions: ReadonlyMap<string, readonly Figures[]>
}

const measured = new Map<DatabaseName, Growth>()
for (const name of chooseDatabases(database)) {
  const growth = await measureGrowth(name)
  measured.set(name, growth)
  printGrowth(name, growth)
}
printResult('growth', smoke, {
  loadAverage: loadavg().map(round),
  sizes: SIZES,
  databases: Object.fromEntries(
    [...measured].map(([name, { fillSeconds, questions }]) => [
      name,
      { fillSeconds, questions: Object.fromEntries(questions) },
    ]),
  ),
})

/** All histories are there before the first question, which is then put to each in turn: what disturbs one disturbs all. */
async function measureGrowth(name: DatabaseName): Promise<Growth> {
  await using databases = await openHistoryDatabases(name)
  const histories: History[] = []
  const fillSeconds: number[] = []
  for (const size of SIZES) {
    const { database, settle } = await databases.open()
    await seedWorkspaces(database, WORKSPACE_IDS)
    const startedAt = performance.now()
    await fillHistory(database, size)
    fillSeconds.push(round((performance.now() - startedAt) / 1000))
    await settle()
    histories.push({ size, calls: createCallService({ database, clock: shareClock(systemClock), ...RECORDS_ONLY }) })
  }
  const questions = new Map<string, readonly Figures[]>()
  for (const [question, makeRequest] of Object.entries(QUESTIONS)) {
    questions.set(question, await ask(histories, makeRequest))
  }
  return { fillSeconds, questions }
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

function printGrowth(name: DatabaseName, { fillSeconds, questions }: Growth): void {
  printTable(
    [`${name}: ms, p50 / p95`, ...SIZES.map((size) => size.toLocaleString('en')), 'p50 growth', 'p95 growth'],
    [...questions].map(([question, sizes]) => [
      question,
      ...sizes.map(({ p50Ms, p95Ms }) => `${p50Ms} / ${p95Ms}`),
      growthOf(sizes, 'p50Ms'),
      growthOf(sizes, 'p95Ms'),
    ]),
  )
  console.log(`filling: ${fillSeconds.join(', ')} s`)
}
