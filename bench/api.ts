import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPrivatePostgres } from '../testing/private-postgres.ts'
import { measureAccessUs } from './harness/access-cost.ts'
import { chooseDatabases } from './harness/history-databases.ts'
import { CLIENTS, type LoadLength, type LoadStats, type LoadTarget, runLoad } from './harness/load.ts'
import { startLocalServer } from './harness/local-server.ts'
import { type DatabaseName, readOptions } from './harness/options.ts'
import { createAgents, type ParleyServer, startParley } from './harness/parley-server.ts'
import { printProfiles, readProfileClockUs } from './harness/profile-summary.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculateMedian, roundStat } from './harness/statistics.ts'

/**
 * Measures authenticated reads and writes per second and compares them with bare Fastify routes that send the same bytes. 32
 * clients in a separate process measure both alternately, on SQLite and PostgreSQL (`--database` selects one).
 */
const { smoke, profile, database } = readOptions()
const rounds = smoke ? 1 : 5
const length: LoadLength = smoke ? { requests: 160 } : { durationSeconds: 2 }
const LISTED_AGENTS = 50

const loadAverage = loadavg().map(roundStat)
const profileFolder = profile ? mkdtempSync(join(tmpdir(), 'parley-profile-')) : undefined
const folder = mkdtempSync(join(tmpdir(), 'parley-bare-'))
let profiledFromUs = 0
const results = await measureApi().finally(() => rmSync(folder, { recursive: true, force: true }))

interface Comparison {
  readonly name: string
  readonly database: DatabaseName
  readonly parley: readonly LoadStats[]
  readonly baseline: readonly LoadStats[]
}

/** A measured request. */
interface Operation {
  readonly name: string
  readonly method: 'GET' | 'PATCH'
  /** If there are several paths, each client gets its own. */
  readonly paths: readonly string[]
  readonly body?: object
}

/** Parley on one database, and the requests to measure. */
interface TestInstallation {
  readonly database: DatabaseName
  readonly parley: ParleyServer
  readonly operations: readonly Operation[]
}

async function measureApi(): Promise<Comparison[]> {
  await using resources = new AsyncDisposableStack()
  const installations: TestInstallation[] = []
  for (const name of chooseDatabases(database)) {
    const databaseUrl = name === 'sqlite' ? null : await createPostgresDatabase(resources)
    const parley = resources.use(await startParley({ profileFolder, databaseUrl }))
    installations.push({ database: name, parley, operations: await prepareOperations(parley) })
  }
  const routes = []
  for (const { parley, operations } of installations) {
    for (const { method, path, body } of operations.flatMap(({ paths, ...rest }) =>
      paths.map((path) => ({ ...rest, path })),
    )) {
      const response = await parley.call(method, path, body)
      routes.push({ method, path: path.split('?')[0], body: JSON.stringify(response) })
    }
  }
  const routesFile = join(folder, 'routes.json')
  writeFileSync(routesFile, JSON.stringify(removeDuplicateRoutes(routes)))
  const baseline = resources.use(
    await startLocalServer('bench/harness/bare-server.ts', { programArguments: [routesFile] }),
  )
  profiledFromUs = readProfileClockUs()
  const comparisons: Comparison[] = []
  for (const index of installations[0]?.operations.keys() ?? []) {
    comparisons.push(...(await compareOperation(installations, index, baseline.url)))
  }
  return comparisons
}

async function createPostgresDatabase(resources: AsyncDisposableStack): Promise<string> {
  return await resources.use(await startPrivatePostgres({ durable: true })).createDatabase()
}

async function prepareOperations(parley: ParleyServer): Promise<Operation[]> {
  const agents = await createAgents(parley, LISTED_AGENTS)
  const [agent] = agents
  if (agent === undefined) throw new Error('No agent was created.')
  const { workspaceId, agentId } = agent
  const buildAgentPath = (id: string): string => `/api/agents/${id}`
  // The name changes in each request because a PATCH without changes writes nothing.
  const change = { method: 'PATCH', body: { workspaceId, agent_name: 'Front desk [<id>]' } } as const
  const pathsPerClient = agents.slice(0, CLIENTS).map((each) => buildAgentPath(each.agentId))
  return [
    { name: 'read agent', method: 'GET', paths: [`${buildAgentPath(agentId)}?workspaceId=${workspaceId}`] },
    {
      name: `list ${LISTED_AGENTS} agents`,
      method: 'GET',
      paths: [`/api/agents?workspaceId=${workspaceId}&limit=${LISTED_AGENTS}`],
    },
    { name: 'change the same agent', ...change, paths: [buildAgentPath(agentId)] },
    { name: 'change one agent per client', ...change, paths: pathsPerClient },
  ]
}

/** Removes duplicate routes. Lists have the same path and response size in every installation. */
function removeDuplicateRoutes<Route extends { readonly method: string; readonly path: string | undefined }>(
  routes: readonly Route[],
): Route[] {
  return [...new Map(routes.map((route) => [`${route.method} ${route.path}`, route])).values()]
}

/** Measures one operation on all installations and the bare server, alternating between them. The first round is a warm-up. */
async function compareOperation(
  installations: readonly TestInstallation[],
  index: number,
  baselineUrl: string,
): Promise<Comparison[]> {
  const baseline: LoadStats[] = []
  const parley = installations.map(() => [] as LoadStats[])
  for (let count = 0; count < rounds; count += 1) {
    for (const [installationIndex, installation] of installations.entries()) {
      const operation = installation.operations[index] as Operation
      if (installationIndex === 0)
        baseline.push(await runLoad(buildLoadTarget(baselineUrl, installation, operation), length))
      parley[installationIndex]?.push(
        await runLoad(buildLoadTarget(installation.parley.url, installation, operation), length),
      )
    }
  }
  const removeWarmUp = (stats: readonly LoadStats[] = []): readonly LoadStats[] =>
    rounds === 1 ? stats : stats.slice(1)
  return installations.map((installation, installationIndex) => ({
    name: installation.operations[index]?.name ?? '',
    database: installation.database,
    parley: removeWarmUp(parley[installationIndex]),
    baseline: removeWarmUp(baseline),
  }))
}

function buildLoadTarget(origin: string, { parley }: TestInstallation, { method, paths, body }: Operation): LoadTarget {
  return {
    urls: paths.map((path) => origin + path),
    method,
    authorization: parley.authorization,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

const summary = results.map(({ name, database, parley, baseline }) => {
  const getMedian = (stats: readonly LoadStats[], key: keyof LoadStats): number =>
    calculateMedian(stats.map((run) => run[key]))
  const rate = { parley: getMedian(parley, 'requestsPerSecond'), baseline: getMedian(baseline, 'requestsPerSecond') }
  return {
    name,
    database,
    parleyPerSecond: Math.round(rate.parley),
    baselinePerSecond: Math.round(rate.baseline),
    ratio: roundStat(rate.parley / rate.baseline),
    rejected: roundStat(getMedian(parley, 'rejectedRatio')),
    p50Ms: getMedian(parley, 'p50Ms'),
    p99Ms: getMedian(parley, 'p99Ms'),
    baselineP99Ms: getMedian(baseline, 'p99Ms'),
  }
})
printTable(
  ['32 clients', 'database', 'Parley /s', 'bare /s', 'Parley / bare', 'rejected', 'p50 ms', 'p99 ms', 'bare p99 ms'],
  summary.map((row) => Object.values(row)),
)

/** Time per read of an agent. Access checks are reported as a share of it. */
const readUs = 1e6 / (summary[0]?.parleyPerSecond ?? 1)
const access = []
for (const workspaces of [2, smoke ? 100 : 10_000]) {
  const costUs = await measureAccessUs(workspaces, smoke ? 1000 : 200_000)
  access.push({ workspaces, costUs: roundStat(costUs), readUs: roundStat(readUs), share: roundStat(costUs / readUs) })
}
printTable(
  ['access check', 'µs', 'whole read µs', 'share'],
  access.map(({ workspaces, costUs, share }) => [`with ${workspaces} workspaces`, costUs, roundStat(readUs), share]),
)
printResult('api', smoke, { loadAverage, operations: summary, access })
if (profileFolder !== undefined)
  printProfiles(profileFolder, { fromUs: profiledFromUs, untilUs: Number.POSITIVE_INFINITY })
