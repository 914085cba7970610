import { mkdtempSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { startPrivatePostgres } from '../testing/private-postgres.ts'
import { measureCommits } from './harness/commit-cost.ts'
import { type BenchPostgres, type Contender, startContenders } from './harness/contenders.ts'
import { chooseDatabases } from './harness/history-databases.ts'
import { AT_ONCE, measureAtOnce, measureTurns, type TurnFigures } from './harness/measure-turns.ts'
import { readOptions } from './harness/options.ts'
import { type ProfileSpan, printProfiles, profileTimeUs } from './harness/profile-summary.ts'
import { printResult, printTable } from './harness/report.ts'
import { round } from './harness/statistics.ts'

/**
 * What a chat turn costs beside the model: a streamed completion with persistence on a stub model of 100 words, against a
 * bare fetch of the stub and against the limit server. Then a turn that calls a tool and one that a flow routes, against a
 * bare client that sends the same requests itself. All are measured by one client, in turns, in the same run. Parley stores
 * in SQLite and in a private PostgreSQL, or in one of them: `--database sqlite`, `--database postgres`.
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

const profiled = new Map<string, ProfileSpan>()
const { names, turns, atOnceMs, acting } = await measureUnpaced()
const paced = pacedSessions === 0 ? null : await measurePaced()

/** A kind of turn that does something, and its figures for each of its contenders. */
interface ActingFigures {
  readonly name: string
  readonly names: readonly string[]
  readonly turns: readonly TurnFigures[]
}

interface UnpacedFigures {
  readonly names: readonly string[]
  readonly turns: readonly TurnFigures[]
  readonly atOnceMs: readonly number[]
  readonly acting: readonly ActingFigures[]
}

async function measureUnpaced(): Promise<UnpacedFigures> {
  const actingConversations = warmUpSessions + sessions
  const firstAtOnce = actingConversations
  const conversations = firstAtOnce + AT_ONCE
  const databases = await openDatabases()
  const options = { paceMs: 0, conversations, actingConversations, databases, profileFolder }
  await using contenders = await startContenders(client, options)
  const { all } = contenders
  const measured = await measureWarm('turn', all)
  const atOnce = await measureAtOnce(all, roundsAtOnce, firstAtOnce)
  const figures: ActingFigures[] = []
  for (const { name, all: others } of contenders.acting) {
    figures.push({ name, names: namesOf(others), turns: await measureWarm(name, others) })
  }
  return { names: namesOf(all), turns: measured, atOnceMs: atOnce, acting: figures }
}

async function measureWarm(name: string, contenders: readonly Contender[]): Promise<TurnFigures[]> {
  await measureTurns(contenders, warmUpSessions, 0)
  const fromUs = profileTimeUs()
  const figures = await measureTurns(contenders, sessions, warmUpSessions)
  profiled.set(name, { fromUs, untilUs: profileTimeUs() })
  return figures
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
const cells = (figures: TurnFigures | undefined): string[] =>
  [figures?.firstTokenMs, figures?.wholeMs, figures?.wholeP95Ms, figures?.cpuMs, figures?.databaseCpuMs].map(show)
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
  [
    ...names.map((name, index) => [
      name,
      ...cells(turns[index]),
      show(atOnceMs[index]),
      show(paced?.[index]?.firstTokenMs),
      show(paced?.[index]?.wholeMs),
      show(paced?.[index]?.cpuMs),
    ]),
    ...acting.flatMap((kind) =>
      kind.names.map((name, index) => [`${kind.name}: ${name}`, ...cells(kind.turns[index])]),
    ),
  ],
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

/** How one contender compares with the bare client; what is added is also held against what a plain turn adds to its stub. */
function actingRatiosOf({ turns: figures }: ActingFigures, index: number, plainIndex: number): Record<string, number> {
  const at = (key: 'firstTokenMs' | 'wholeMs', all: readonly TurnFigures[], place: number): number =>
    all[place]?.[key] ?? Number.NaN
  const added = (key: 'firstTokenMs' | 'wholeMs'): number => at(key, figures, index) - at(key, figures, 0)
  const addedByPlain = at('wholeMs', turns, plainIndex) - at('wholeMs', turns, 0)
  const cpu = (figures[index]?.cpuMs ?? Number.NaN) / (turns[plainIndex]?.cpuMs ?? Number.NaN)
  return {
    wholeTurn: round(at('wholeMs', figures, index) / at('wholeMs', figures, 0)),
    addedFirstTokenMs: round(added('firstTokenMs')),
    addedWholeTurnMs: round(added('wholeMs')),
    addedAgainstPlainTurn: round(added('wholeMs') / addedByPlain),
    cpuAgainstPlainTurn: round(cpu),
  }
}

const compared = chosen.map((name, index) => [name, ratiosOf(index + 2)] as const)
console.log('')
printTable(
  ['Parley / limit server', ...chosen],
  Object.keys(compared[0]?.[1] ?? {}).map((key) => [key, ...compared.map(([, ratios]) => ratios[key] ?? '')]),
)
const comparedActing = acting.map((kind) => {
  const ratios = chosen.map((name, index) => [name, actingRatiosOf(kind, index + 1, index + 2)] as const)
  console.log('')
  printTable(
    [`${kind.name}: Parley / bare client`, ...chosen],
    Object.keys(ratios[0]?.[1] ?? {}).map((key) => [key, ...ratios.map(([, values]) => values[key] ?? '')]),
  )
  return [kind.name, Object.fromEntries(ratios)] as const
})
if (commits !== null) {
  console.log(`\nPostgreSQL alone, ms: an empty statement ${commits.emptyMs}, a commit of one row ${commits.commitMs}.`)
}
printResult('turn', smoke, {
  loadAverage,
  turns: byName(names, turns),
  atOnceMs: byName(names, atOnceMs),
  paced: paced && byName(names, paced),
  acting: Object.fromEntries(acting.map((kind) => [kind.name, byName(kind.names, kind.turns)])),
  ratios: Object.fromEntries(compared),
  actingRatios: Object.fromEntries(comparedActing),
  commits,
})
for (const [name, span] of profileFolder === undefined ? [] : profiled) {
  console.log(`\n## Profile of ${name}`)
  printProfiles(profileFolder ?? '', span)
}

function namesOf(contenders: readonly Contender[]): string[] {
  return contenders.map(({ name }) => name)
}

function byName<Value>(order: readonly string[], values: readonly Value[]): Record<string, Value | undefined> {
  return Object.fromEntries(order.map((name, index) => [name, values[index]]))
}
