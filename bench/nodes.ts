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
import { measureResume, type ResumeStats } from './harness/resumed-turn.ts'
import { calculateMedian, roundStat } from './harness/statistics.ts'
import type { TurnLoad, TurnLoadStats } from './harness/turn-load-server.ts'

/**
 * Compares one and two nodes on one PostgreSQL database: turns per second with 32 clients and a stub model of 100 words in
 * separate processes, and the pause of a turn after its node is killed. Nodes communicate through LISTEN and NOTIFY, and
 * through Redis if available. All processes share one machine, so the CPU time per turn and process predicts how separate
 * machines would scale.
 */
const { smoke, database } = readOptions()
const CLIENTS = smoke ? 4 : 32
const CHATS_PER_SECOND = 100
const MEASURE_MS = smoke ? 300 : 4_000
const ROUNDS = smoke ? 0 : 3
const TRIALS = smoke ? 1 : 3
/** Milliseconds per word in the turn during which the node is killed. */
const PACE_MS = 25

type Bus = 'NOTIFY' | 'Redis'

interface Scene {
  readonly bus: Bus
  readonly cluster: BenchCluster
  /** Whether the turns of one chat are distributed over all nodes. */
  readonly roundRobin: boolean
}

/** CPU time of one turn, in milliseconds. */
interface TurnCpu {
  readonly nodes: number
  readonly database: number
  readonly redis: number
  readonly model: number
  readonly clients: number
}

interface Stats extends TurnLoadStats {
  readonly cpuMs: TurnCpu
  /** Number of cores that the measured processes used. */
  readonly coresUsed: number
}

/** Processes that all scenarios share. */
interface SharedProcesses {
  readonly postgres: PrivatePostgres
  readonly redis: { readonly url: string; readonly pid: number } | null
  readonly model: LocalServer
  readonly clients: LocalServer
}

async function measureTurnRates(shared: Omit<SharedProcesses, 'model' | 'clients'>) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModel(0))
  const clients = stack.use(await startLocalServer('bench/harness/turn-load-server.ts'))
  const processes = { ...shared, model, clients }
  const scenes: Scene[] = []
  for (const bus of listBuses(shared)) {
    const redisUrl = bus === 'Redis' ? (shared.redis?.url ?? null) : null
    const startNodes = (nodes: number): Promise<BenchCluster> =>
      startCluster({ postgres: shared.postgres, redisUrl, modelUrl: model.url, nodes })
    const singleNode = stack.use(await startNodes(1))
    const twoNodes = stack.use(await startNodes(2))
    scenes.push({ bus, cluster: singleNode, roundRobin: false })
    scenes.push({ bus, cluster: twoNodes, roundRobin: false })
    scenes.push({ bus, cluster: twoNodes, roundRobin: true })
  }
  const statsByScene = scenes.map(() => [] as Stats[])
  for (let count = 0; count <= ROUNDS; count += 1) {
    for (let offset = 0; offset < scenes.length; offset += 1) {
      const index = (count + offset) % scenes.length
      const stats = await measureTurnRate(scenes[index] as Scene, processes)
      // The first of several rounds is a warm-up.
      if (count > 0 || ROUNDS === 0) statsByScene[index]?.push(stats)
    }
  }
  return scenes.map((scene, index) => ({ ...getBusName(scene), ...selectMedianStats(statsByScene[index] ?? []) }))
}

async function measureTurnRate({ cluster, roundRobin }: Scene, shared: SharedProcesses): Promise<Stats> {
  const [node] = cluster.nodes
  if (node === undefined) throw new Error('The cluster has no node.')
  const chats = await createChats(node, CLIENTS + Math.ceil((CHATS_PER_SECOND * MEASURE_MS) / 1000))
  const nodes = cluster.nodes.map(({ url, authorization }) => ({ url, authorization }))
  const load: TurnLoad = { nodes, chats, clients: CLIENTS, durationMs: MEASURE_MS, roundRobin }
  const before = readCpu(cluster, shared)
  const startedAt = performance.now()
  const { statusCode, body } = await request(shared.clients.url, { method: 'POST', body: JSON.stringify(load) })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(text)
  const elapsedMs = performance.now() - startedAt
  const after = readCpu(cluster, shared)
  const stats = JSON.parse(text) as TurnLoadStats
  const cpuUsed = mapCpu((part) => after[part] - before[part])
  const totalMs = PARTS.reduce((sum, part) => sum + cpuUsed[part], 0)
  return { ...stats, cpuMs: mapCpu((part) => cpuUsed[part] / stats.turns), coresUsed: totalMs / elapsedMs }
}

const PARTS = ['nodes', 'database', 'redis', 'model', 'clients'] as const

function mapCpu(getValue: (part: (typeof PARTS)[number]) => number): TurnCpu {
  return Object.fromEntries(PARTS.map((part) => [part, getValue(part)])) as unknown as TurnCpu
}

function readCpu(cluster: BenchCluster, { postgres, redis, model, clients }: SharedProcesses): TurnCpu {
  return {
    nodes: cluster.nodes.reduce((sum, { pid }) => sum + readCpuMs(pid), 0),
    database: readFamilyCpuMs(postgres.pid),
    redis: redis === null ? 0 : readCpuMs(redis.pid),
    model: readCpuMs(model.pid),
    clients: readCpuMs(clients.pid),
  }
}

function selectMedianStats(stats: readonly Stats[]): Stats {
  const getMedian = (getValue: (roundStats: Stats) => number): number => roundStat(calculateMedian(stats.map(getValue)))
  return {
    turns: getMedian(({ turns }) => turns),
    turnsPerSecond: getMedian(({ turnsPerSecond }) => turnsPerSecond),
    firstTokenP50Ms: getMedian(({ firstTokenP50Ms }) => firstTokenP50Ms),
    totalP50Ms: getMedian(({ totalP50Ms }) => totalP50Ms),
    totalP99Ms: getMedian(({ totalP99Ms }) => totalP99Ms),
    cpuMs: mapCpu((part) => getMedian(({ cpuMs }) => cpuMs[part])),
    coresUsed: getMedian(({ coresUsed }) => coresUsed),
  }
}

function getBusName({ bus, cluster, roundRobin }: Scene): { readonly bus: Bus; readonly nodes: string } {
  if (cluster.nodes.length === 1) return { bus, nodes: 'one' }
  return { bus, nodes: roundRobin ? 'two, round robin' : 'two' }
}

/** Kills a node for each bus and measures how another node resumes the turn. */
async function measureResumes({ postgres, redis }: Omit<SharedProcesses, 'model' | 'clients'>) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModel(PACE_MS))
  const results: { readonly bus: Bus; readonly trials: readonly ResumeStats[] }[] = []
  for (const bus of listBuses({ redis })) {
    const redisUrl = bus === 'Redis' ? (redis?.url ?? null) : null
    await using cluster = await startCluster({ postgres, redisUrl, modelUrl: model.url, nodes: 2 })
    const trials: ResumeStats[] = []
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const [target, other] = cluster.nodes.slice(-2)
      if (target === undefined || other === undefined) throw new Error('The cluster needs two nodes.')
      trials.push(await measureResume(target, other))
      if (trial + 1 < TRIALS) await cluster.add()
    }
    results.push({ bus, trials })
  }
  return results
}

function listBuses({ redis }: Pick<SharedProcesses, 'redis'>): readonly Bus[] {
  return redis === null || smoke ? ['NOTIFY'] : ['NOTIFY', 'Redis']
}

function startModel(paceMs: number): Promise<LocalServer> {
  const programArguments = ['--words', '100', '--pace-ms', String(paceMs)]
  return startLocalServer('testing/model-server/main.ts', { programArguments })
}

async function measure(): Promise<void> {
  const loadAverage = loadavg().map(roundStat)
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startPrivatePostgres({ durable: true }))
  const redis = findRedis() === null ? null : stack.use(await startPrivateRedis())
  if (redis === null) console.log('Redis was not found; measuring LISTEN and NOTIFY only.')
  const rates = await measureTurnRates({ postgres, redis })
  const resumes = await measureResumes({ postgres, redis })
  printTable(
    [
      'bus',
      'nodes',
      'turns/s',
      'first token p50 ms',
      'turn p50',
      'turn p99',
      'busy cores',
      ...PARTS.map((part) => `CPU ${part}`),
    ],
    rates.map(({ bus, nodes, cpuMs, ...row }) => [
      bus,
      nodes,
      ...[row.turnsPerSecond, row.firstTokenP50Ms, row.totalP50Ms, row.totalP99Ms, row.coresUsed],
      ...PARTS.map((part) => cpuMs[part]),
    ]),
  )
  console.log('')
  printTable(
    ['bus', 'kill to next event, ms', 'kill to end of turn, ms'],
    resumes.map(({ bus, trials }) => [
      bus,
      trials.map(({ firstNewEventMs }) => firstNewEventMs).join(', '),
      trials.map(({ totalMs }) => totalMs).join(', '),
    ]),
  )
  printResult('nodes', smoke, { loadAverage, clients: CLIENTS, rates, resumes })
}

if (database === 'sqlite') console.log('Skipped: several nodes need PostgreSQL.')
else if (findPostgres() === null) console.log('Skipped: PostgreSQL 15 or newer was not found.')
else await measure()
