import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureAccessUs } from './harness/access-cost.ts'
import { type LoadFigures, type LoadLength, type LoadTarget, runLoad } from './harness/load.ts'
import { startLocalServer } from './harness/local-server.ts'
import { readOptions } from './harness/options.ts'
import { createAgents, startParley } from './harness/parley-server.ts'
import { printProfiles, profileTimeUs } from './harness/profile-summary.ts'
import { printResult, printTable } from './harness/report.ts'
import { median, round } from './harness/statistics.ts'

/**
 * Requests per second of authenticated reads and writes against bare Fastify routes that answer the same bytes, by turns in
 * the same run, with 32 clients in a process of their own.
 */
const { smoke, profile } = readOptions()
const rounds = smoke ? 1 : 5
const length: LoadLength = smoke ? { requests: 640 } : { durationSeconds: 2 }
const LISTED = 50

const profileFolder = profile ? mkdtempSync(join(tmpdir(), 'parley-profile-')) : undefined
const folder = mkdtempSync(join(tmpdir(), 'parley-bare-'))
let profiledFromUs = 0
const results = await measure().finally(() => rmSync(folder, { recursive: true, force: true }))

interface Comparison {
  readonly name: string
  readonly parley: readonly LoadFigures[]
  readonly bare: readonly LoadFigures[]
}

async function measure(): Promise<Comparison[]> {
  await using parley = await startParley({ profileFolder })
  const [agent] = await createAgents(parley, LISTED)
  if (agent === undefined) throw new Error('No agent was made.')
  const { workspaceId, agentId } = agent
  // Another name each time: a PATCH that changes nothing writes nothing.
  const change = { workspaceId, agent_name: 'Front desk [<id>]' }
  const operations = [
    { name: 'read agent', method: 'GET', path: `/api/agents/${agentId}?workspaceId=${workspaceId}` },
    { name: `list ${LISTED} agents`, method: 'GET', path: `/api/agents?workspaceId=${workspaceId}&limit=${LISTED}` },
    { name: 'change agent', method: 'PATCH', path: `/api/agents/${agentId}`, body: change },
  ] as const
  const routes = []
  for (const operation of operations) {
    const answer = await parley.call(operation.method, operation.path, 'body' in operation ? operation.body : undefined)
    routes.push({ method: operation.method, path: operation.path.split('?')[0], body: JSON.stringify(answer) })
  }
  const routesFile = join(folder, 'routes.json')
  writeFileSync(routesFile, JSON.stringify(routes))
  await using bare = await startLocalServer('bench/harness/bare-server.ts', { programArguments: [routesFile] })
  const comparisons: Comparison[] = []
  profiledFromUs = profileTimeUs()
  for (const operation of operations) {
    const targetOn = (origin: string): LoadTarget => ({
      url: origin + operation.path,
      method: operation.method,
      authorization: parley.authorization,
      ...('body' in operation && { body: JSON.stringify(operation.body) }),
    })
    comparisons.push({ name: operation.name, ...(await compare(targetOn(parley.url), targetOn(bare.url))) })
  }
  return comparisons
}

/** The first round only warms up, unless it is the only one. */
async function compare(parley: LoadTarget, bare: LoadTarget): Promise<Omit<Comparison, 'name'>> {
  const figures = { parley: [] as LoadFigures[], bare: [] as LoadFigures[] }
  for (let round = 0; round < rounds; round += 1) {
    figures.bare.push(await runLoad(bare, length))
    figures.parley.push(await runLoad(parley, length))
  }
  return rounds === 1 ? figures : { parley: figures.parley.slice(1), bare: figures.bare.slice(1) }
}

const summary = results.map(({ name, parley, bare }) => {
  const middle = (figures: readonly LoadFigures[], key: keyof LoadFigures): number =>
    median(figures.map((figure) => figure[key]))
  const rate = { parley: middle(parley, 'requestsPerSecond'), bare: middle(bare, 'requestsPerSecond') }
  return {
    name,
    parleyPerSecond: Math.round(rate.parley),
    barePerSecond: Math.round(rate.bare),
    ratio: round(rate.parley / rate.bare),
    p50Ms: middle(parley, 'p50Ms'),
    p99Ms: middle(parley, 'p99Ms'),
    bareP99Ms: middle(bare, 'p99Ms'),
  }
})
printTable(
  ['32 clients', 'Parley /s', 'bare /s', 'Parley / bare', 'p50 ms', 'p99 ms', 'bare p99 ms'],
  summary.map((row) => Object.values(row)),
)

/** What of a read of one agent are the decisions about access; the server's thread is what limits the rate. */
const readUs = 1e6 / (summary[0]?.parleyPerSecond ?? 1)
const access = []
for (const workspaces of [2, smoke ? 100 : 10_000]) {
  const costUs = await measureAccessUs(workspaces, smoke ? 1000 : 200_000)
  access.push({ workspaces, costUs: round(costUs), readUs: round(readUs), share: round(costUs / readUs) })
}
printTable(
  ['access to', 'µs', 'whole read µs', 'share'],
  access.map(({ workspaces, costUs, share }) => [`of ${workspaces} workspaces`, costUs, round(readUs), share]),
)
printResult('api', smoke, { operations: summary, access })
if (profileFolder !== undefined)
  printProfiles(profileFolder, { fromUs: profiledFromUs, untilUs: Number.POSITIVE_INFINITY })
