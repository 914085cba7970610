import { mkdtempSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { startPrivatePostgres } from '../testing/private-postgres.ts'
import { measureCommits } from './harness/commit-cost.ts'
import { type BenchPostgres, startContenders } from './harness/contenders.ts'
import { chooseDatabases } from './harness/history-databases.ts'
import { AT_ONCE, measureAtOnce, measureTurns, type TurnFigures } from './harness/measure-turns.ts'
import { readOptions } from './harness/options.ts'
import { printProfiles, profileTimeUs } from './harness/profile-summary.ts'
import { printResult, printTable } from './harness/report.ts'
import { round } from './harness/statistics.ts'

/**
 * What a chat turn costs beside the model: a streamed completion with persistence on a stub model of 100 words, against a
 * bare fetch of the stub and against the limit server. All are measured by one client, in turns, in the same run. Parley
 * stores in SQLite and in a private PostgreSQL, or in one of them: `--database sqlite`, `--database postgres`.
 */

/** Milliseconds per word of the model that takes its time. */
const PACE_MS = 2

const { smoke, profile, database } = readOptions()
const warmUpSessions = smoke ? 1 : 2
const sessions = smoke ? 1 : 20
const pacedSessions = smoke ? 0 : 5
const roundsAtOnce = smoke ? 1 : 12

const loadAverage = loadavg().map(round)
await using resources = new AsyncDisposableStack()
const client = resources.adopt(new Agent(), (value) => value.destroy())
const profileFolder = profile ? mkdtempSync(join(tmpdir(), 'parley-profile-')) : undefined
const chosen = chooseDatabases(database)
const postgres = chosen.includes('postgres') ? resources.use(await startPrivatePostgres({ durable: true })) : null
const commits = postgres && (await measureCommits(await postgres.createDatabase(), smoke ? 10 : 200))

/** New databases each time. */
async function openDatabases(): Promise<(BenchPostgres | null)[]> {
  const open = async (): Promise<BenchPostgres | null> =>
    postgres && { databaseUrl: await postgres.createDatabase(), pid: postgres.pid }
  return await Promise.all(chosen.map((name) => (name === 'sqlite' ? null : open())))
}

let profiled = { fromUs: 0, untilUs: 0 }
const { names, turns, atOnceMs } = await measureUnpaced()
const paced = pacedSessions === 0 ? null : await measurePaced()

async function measureUnpaced(): Promise<{ names: string[]; turns: TurnFigures[]; atOnceMs: number[] }> {
  const firstAtOnce = warmUpSessions + sessions
  const conversations = firstAtOnce + AT_ONCE
  const databases = await openDatabases()
  await using contenders = await startContenders(client, { paceMs: 0, conversations, databases, profileFolder })
  const { all } = contenders
  await measureTurns(all, warmUpSessions, 0)
  const fromUs = profileTimeUs()
  const measured = await measureTurns(all, sessions, warmUpSessions)
  profiled = { fromUs, untilUs: profileTimeUs() }
  const atOnce = await measureAtOnce(all, roundsAtOnce, firstAtOnce)
  return { names: all.map(({ name }) => name), turns: measured, atOnceMs: atOnce }
}

async function measurePaced(): Promise<TurnFigures[]> {
  await using contenders = await startContenders(client, {
    paceMs: PACE_MS,
    conversations: warmUpSessions + pacedSessions,
    databases: await openDatabases(),
  })
  await measureTurns(contenders.all, warmUpSessions, 0)
  return await measureTurns(contenders.all, pacedSessions, warmUpSessions)
}

const show = (value: number | null | undefined): string => (value == null ? '' : value.toFixed(2))
printTable(
  [
    'ms',
    'first token p50',
    'whole turn p50',
    'whole turn p95',
    'CPU a turn',
    'of the database',
    '50 at once',
    'paced first',
    'paced whole',
    'paced CPU',
  ],
  names.map((name, index) => [
    name,
    show(turns[index]?.firstTokenMs),
    show(turns[index]?.wholeMs),
    show(turns[index]?.wholeP95Ms),
    show(turns[index]?.cpuMs),
    show(turns[index]?.databaseCpuMs),
    show(atOnceMs[index]),
    show(paced?.[index]?.firstTokenMs),
    show(paced?.[index]?.wholeMs),
    show(paced?.[index]?.cpuMs),
  ]),
)

/** How one contender compares with the limit server; times are what is added to those of the stub alone. */
function ratiosOf(index: number): Record<string, number> {
  const cpu = (figures: readonly TurnFigures[]): number =>
    round((figures[index]?.cpuMs ?? Number.NaN) / (figures[1]?.cpuMs ?? Number.NaN))
  const added = (figures: readonly TurnFigures[], key: 'firstTokenMs' | 'wholeMs'): number => {
    const [bare = Number.NaN, limit = Number.NaN] = figures.map((figure) => figure[key])
    return round(((figures[index]?.[key] ?? Number.NaN) - bare) / (limit - bare))
  }
  return {
    addedFirstToken: added(turns, 'firstTokenMs'),
    addedWholeTurn: added(turns, 'wholeMs'),
    cpuPerTurn: cpu(turns),
    fiftyAtOnce: round((atOnceMs[index] ?? Number.NaN) / (atOnceMs[1] ?? Number.NaN)),
    ...(paced !== null && { pacedAddedFirstToken: added(paced, 'firstTokenMs'), pacedCpuPerTurn: cpu(paced) }),
  }
}

const compared = chosen.map((name, index) => [name, ratiosOf(index + 2)] as const)
console.log('')
printTable(
  ['Parley / limit server', ...chosen],
  Object.keys(compared[0]?.[1] ?? {}).map((key) => [key, ...compared.map(([, ratios]) => ratios[key] ?? '')]),
)
if (commits !== null) {
  console.log(`\nPostgreSQL alone, ms: an empty statement ${commits.emptyMs}, a commit of one row ${commits.commitMs}.`)
}
printResult('turn', smoke, {
  loadAverage,
  turns: byName(turns),
  atOnceMs: byName(atOnceMs),
  paced: paced && byName(paced),
  ratios: Object.fromEntries(compared),
  commits,
})
if (profileFolder !== undefined) printProfiles(profileFolder, profiled)

function byName<Value>(values: readonly Value[]): Record<string, Value | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]]))
}
