import { loadavg } from 'node:os'
import { request } from 'undici'
import { findPostgres, type PrivatePostgres, startPrivatePostgres } from '../testing/private-postgres.ts'
import { findRedis, startPrivateRedis } from '../testing/private-redis.ts'
import { type BenchCluster, startCluster } from './harness/cluster.ts'
import { type LocalServer, startLocalServer } from './harness/local-server.ts'
import { readOptions } from './harness/options.ts'
import { createChats } from './harness/parley-turn.ts'
import { readCpuMs, readFamilyCpuMs } from './harness/process-usage.ts'
import { printResult, printTable } from './harness/report.ts'
import { measureResume, type ResumeFigures } from './harness/resumed-turn.ts'
import { median, round } from './harness/statistics.ts'
import type { TurnLoad, TurnLoadFigures } from './harness/turn-load-server.ts'

/**
 * Several nodes on one PostgreSQL: how many turns a second one node and two nodes answer, with 32 clients and a stub model of
 * 100 words in processes of their own, and how long a turn rests whose node was killed. Nodes tell each other by LISTEN and
 * NOTIFY, and by Redis where there is one. All of it shares this machine: what a turn takes of its processors, by process, is
 * what says how far nodes of their own machines would go.
 */
const { smoke, database } = readOptions()
const CLIENTS = smoke ? 4 : 32
const CHATS_A_SECOND = 100
const SPAN_MS = smoke ? 300 : 4_000
const ROUNDS = smoke ? 0 : 3
const TRIALS = smoke ? 1 : 3
/** Milliseconds per word while a node is killed. */
const PACE_MS = 25

type Bus = 'NOTIFY' | 'Redis'

interface Scene {
  readonly bus: Bus
  readonly cluster: BenchCluster
  /** Whether the turns of one chat go to all nodes. */
  readonly wanders: boolean
}

/** CPU time of one turn, in milliseconds. */
interface TurnCpu {
  readonly nodes: number
  readonly database: number
  readonly redis: number
  readonly model: number
  readonly clients: number
}

interface Figures extends TurnLoadFigures {
  readonly cpuMs: TurnCpu
  /** Of all processors, by all these processes. */
  readonly busyCores: number
}

/** The processes that all scenes share. */
interface Surroundings {
  readonly postgres: PrivatePostgres
  readonly redis: { readonly url: string; readonly pid: number } | null
  readonly model: LocalServer
  readonly clients: LocalServer
}

async function measureTurnRates(surroundings: Omit<Surroundings, 'model' | 'clients'>) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModel(0))
  const clients = stack.use(await startLocalServer('bench/harness/turn-load-server.ts'))
  const all = { ...surroundings, model, clients }
  const scenes: Scene[] = []
  for (const bus of busesOf(surroundings)) {
    const redisUrl = bus === 'Redis' ? (surroundings.redis?.url ?? null) : null
    const start = (nodes: number): Promise<BenchCluster> =>
      startCluster({ postgres: surroundings.postgres, redisUrl, modelUrl: model.url, nodes })
    const one = stack.use(await start(1))
    const two = stack.use(await start(2))
    scenes.push({ bus, cluster: one, wanders: false })
    scenes.push({ bus, cluster: two, wanders: false })
    scenes.push({ bus, cluster: two, wanders: true })
  }
  const measured = scenes.map(() => [] as Figures[])
  for (let count = 0; count <= ROUNDS; count += 1) {
    for (let place = 0; place < scenes.length; place += 1) {
      const index = (count + place) % scenes.length
      const figures = await measureSpan(scenes[index] as Scene, all)
      // The first round warms up, unless it is the only one.
      if (count > 0 || ROUNDS === 0) measured[index]?.push(figures)
    }
  }
  return scenes.map((scene, index) => ({ ...nameOf(scene), ...middleOf(measured[index] ?? []) }))
}

async function measureSpan({ cluster, wanders }: Scene, surroundings: Surroundings): Promise<Figures> {
  const [node] = cluster.nodes
  if (node === undefined) throw new Error('The cluster has no node.')
  const chats = await createChats(node, CLIENTS + Math.ceil((CHATS_A_SECOND * SPAN_MS) / 1000))
  const nodes = cluster.nodes.map(({ url, authorization }) => ({ url, authorization }))
  const load: TurnLoad = { nodes, chats, clients: CLIENTS, durationMs: SPAN_MS, wanders }
  const before = readCpu(cluster, surroundings)
  const startedAt = performance.now()
  const { statusCode, body } = await request(surroundings.clients.url, { method: 'POST', body: JSON.stringify(load) })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(text)
  const elapsedMs = performance.now() - startedAt
  const after = readCpu(cluster, surroundings)
  const figures = JSON.parse(text) as TurnLoadFigures
  const spent = mapCpu((part) => after[part] - before[part])
  const totalMs = PARTS.reduce((sum, part) => sum + spent[part], 0)
  return { ...figures, cpuMs: mapCpu((part) => spent[part] / figures.turns), busyCores: totalMs / elapsedMs }
}

const PARTS = ['nodes', 'database', 'redis', 'model', 'clients'] as const

function mapCpu(value: (part: (typeof PARTS)[number]) => number): TurnCpu {
  return Object.fromEntries(PARTS.map((part) => [part, value(part)])) as unknown as TurnCpu
}

function readCpu(cluster: BenchCluster, { postgres, redis, model, clients }: Surroundings): TurnCpu {
  return {
    nodes: cluster.nodes.reduce((sum, { pid }) => sum + readCpuMs(pid), 0),
    database: readFamilyCpuMs(postgres.pid),
    redis: redis === null ? 0 : readCpuMs(redis.pid),
    model: readCpuMs(model.pid),
    clients: readCpuMs(clients.pid),
  }
}

function middleOf(figures: readonly Figures[]): Figures {
  const middle = (pick: (one: Figures) => number): number => round(median(figures.map(pick)))
  return {
    turns: middle(({ turns }) => turns),
    turnsPerSecond: middle(({ turnsPerSecond }) => turnsPerSecond),
    firstTokenP50Ms: middle(({ firstTokenP50Ms }) => firstTokenP50Ms),
    wholeP50Ms: middle(({ wholeP50Ms }) => wholeP50Ms),
    wholeP99Ms: middle(({ wholeP99Ms }) => wholeP99Ms),
    cpuMs: mapCpu((part) => middle(({ cpuMs }) => cpuMs[part])),
    busyCores: middle(({ busyCores }) => busyCores),
  }
}

function nameOf({ bus, cluster, wanders }: Scene): { readonly bus: Bus; readonly nodes: string } {
  if (cluster.nodes.length === 1) return { bus, nodes: 'one' }
  return { bus, nodes: wanders ? 'two, chats wander' : 'two' }
}

/** A node of each bus is killed in turn, and another one takes its place. */
async function measureResumes({ postgres, redis }: Omit<Surroundings, 'model' | 'clients'>) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModel(PACE_MS))
  const results: { readonly bus: Bus; readonly trials: readonly ResumeFigures[] }[] = []
  for (const bus of smoke ? (['NOTIFY'] as const) : busesOf({ redis })) {
    const redisUrl = bus === 'Redis' ? (redis?.url ?? null) : null
    await using cluster = await startCluster({ postgres, redisUrl, modelUrl: model.url, nodes: 2 })
    const trials: ResumeFigures[] = []
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const [victim, other] = cluster.nodes.slice(-2)
      if (victim === undefined || other === undefined) throw new Error('The cluster has no two nodes.')
      trials.push(await measureResume(victim, other))
      if (trial + 1 < TRIALS) await cluster.add()
    }
    results.push({ bus, trials })
  }
  return results
}

function busesOf({ redis }: Pick<Surroundings, 'redis'>): readonly Bus[] {
  return redis === null ? ['NOTIFY'] : ['NOTIFY', 'Redis']
}

function startModel(paceMs: number): Promise<LocalServer> {
  const programArguments = ['--words', '100', '--pace-ms', String(paceMs)]
  return startLocalServer('testing/model-server/main.ts', { programArguments })
}

async function measure(): Promise<void> {
  const loadAverage = loadavg().map(round)
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startPrivatePostgres({ durable: true }))
  const redis = findRedis() === null ? null : stack.use(await startPrivateRedis())
  if (redis === null) console.log('No Redis was found: LISTEN and NOTIFY only.')
  const rates = await measureTurnRates({ postgres, redis })
  const resumes = await measureResumes({ postgres, redis })
  printTable(
    [
      'bus',
      'nodes',
      'turns/s',
      'first p50 ms',
      'whole p50',
      'whole p99',
      'busy cores',
      ...PARTS.map((part) => `CPU ${part}`),
    ],
    rates.map(({ bus, nodes, cpuMs, ...row }) => [
      bus,
      nodes,
      ...[row.turnsPerSecond, row.firstTokenP50Ms, row.wholeP50Ms, row.wholeP99Ms, row.busyCores],
      ...PARTS.map((part) => cpuMs[part]),
    ]),
  )
  console.log('')
  printTable(
    ['bus', 'from the kill to the next event, ms', 'to the end of the turn, ms'],
    resumes.map(({ bus, trials }) => [
      bus,
      trials.map(({ firstNewEventMs }) => firstNewEventMs).join(', '),
      trials.map(({ wholeMs }) => wholeMs).join(', '),
    ]),
  )
  printResult('nodes', smoke, { loadAverage, clients: CLIENTS, rates, resumes })
}

if (database === 'sqlite') console.log('Skipped: several nodes need PostgreSQL.')
else if (findPostgres() === null) console.log('Skipped: no PostgreSQL of version 15 or newer was found.')
else await measure()
