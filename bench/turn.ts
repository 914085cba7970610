import { mkdtempSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { startPrivatePostgres } from '../testing/private-postgres.ts'
import { measureCommits } from './harness/commit-cost.ts'
import { type BenchPostgres, type Contender, startContenders } from './harness/contenders.ts'
import { chooseDatabases } from './harness/history-databases.ts'
import { CONCURRENT_TURNS, measureConcurrentTurns, measureTurns, type TurnStats } from './harness/measure-turns.ts'
import { readOptions } from './harness/options.ts'
import { type ProfileSpan, printProfiles, readProfileClockUs } from './harness/profile-summary.ts'
import { printResult } from './harness/report.ts'
import { roundStat } from './harness/statistics.ts'
import {
  compareWithBaselineClient,
  compareWithLimitServer,
  type MultiStepStats,
  mapStatsByName,
  printComparison,
  printTurns,
  type TurnReport,
} from './harness/turn-report.ts'

/**
 * Measures the overhead of a chat turn: a streamed, stored completion on a stub model of 100 words, compared with a bare fetch
 * of the stub and with the limit server. Turns with a tool call or a flow are compared with a bare client that sends the same
 * requests. One client measures all contenders alternately, on SQLite and PostgreSQL (`--database` selects one).
 */

/** Milliseconds per word of the paced model. */
const PACE_MS = 2

const { smoke, profile, database } = readOptions()
const warmUpSessions = smoke ? 1 : 2
const sessions = smoke ? 1 : 20
const pacedSessions = smoke ? 0 : 5
const concurrentRounds = smoke ? 1 : 12

const loadAverage = loadavg().map(roundStat)
await using resources = new AsyncDisposableStack()
const client = resources.adopt(new Agent(), (value) => value.destroy())
const profileFolder = profile ? mkdtempSync(join(tmpdir(), 'parley-profile-')) : undefined
const databaseNames = chooseDatabases(database)
const postgres = databaseNames.includes('postgres')
  ? resources.use(await startPrivatePostgres({ durable: true }))
  : null
const commits = postgres && (await measureCommits(await postgres.createDatabase(), smoke ? 10 : 200))

/** Creates new databases. */
async function openDatabases(): Promise<(BenchPostgres | null)[]> {
  const openDatabase = async (): Promise<BenchPostgres | null> =>
    postgres && { databaseUrl: await postgres.createDatabase(), pid: postgres.pid }
  return await Promise.all(databaseNames.map((name) => (name === 'sqlite' ? null : openDatabase())))
}

const profileSpans = new Map<string, ProfileSpan>()
const unpacedReport = await measureUnpaced()
const paced = pacedSessions === 0 ? null : await measurePaced()

async function measureUnpaced(): Promise<Omit<TurnReport, 'paced'>> {
  const multiStepConversations = warmUpSessions + sessions
  const firstConcurrentConversation = multiStepConversations
  const conversations = firstConcurrentConversation + CONCURRENT_TURNS
  const databases = await openDatabases()
  const options = { paceMs: 0, conversations, multiStepConversations, databases, profileFolder }
  await using contenders = await startContenders(client, options)
  const { singleStep } = contenders
  const turns = await measureWarm('turn', singleStep)
  const concurrentTimes = await measureConcurrentTurns(singleStep, concurrentRounds, firstConcurrentConversation)
  const stats: MultiStepStats[] = []
  for (const { name, contenders: kindContenders } of contenders.multiStep) {
    stats.push({ name, names: listNames(kindContenders), turns: await measureWarm(name, kindContenders) })
  }
  return { names: listNames(singleStep), turns, concurrentMs: concurrentTimes, multiStep: stats }
}

async function measureWarm(name: string, contenders: readonly Contender[]): Promise<TurnStats[]> {
  await measureTurns(contenders, warmUpSessions, 0)
  const fromUs = readProfileClockUs()
  const stats = await measureTurns(contenders, sessions, warmUpSessions)
  profileSpans.set(name, { fromUs, untilUs: readProfileClockUs() })
  return stats
}

async function measurePaced(): Promise<TurnStats[]> {
  await using contenders = await startContenders(client, {
    paceMs: PACE_MS,
    conversations: warmUpSessions + pacedSessions,
    databases: await openDatabases(),
  })
  await measureTurns(contenders.singleStep, warmUpSessions, 0)
  return await measureTurns(contenders.singleStep, pacedSessions, warmUpSessions)
}

const report: TurnReport = { ...unpacedReport, paced }
printTurns(report)
const comparison = {
  ratios: printComparison('Parley / limit server', compareWithLimitServer(report, databaseNames)),
  multiStepRatios: Object.fromEntries(
    report.multiStep.map((kind) => {
      const ratios = compareWithBaselineClient(report, kind, databaseNames)
      return [kind.name, printComparison(`${kind.name}: Parley / bare client`, ratios)]
    }),
  ),
}
if (commits !== null) {
  console.log(`\nPostgreSQL alone, ms: an empty statement ${commits.emptyMs}, a commit of one row ${commits.commitMs}.`)
}
printResult('turn', smoke, { loadAverage, ...mapStatsByName(report), ...comparison, commits })
for (const [name, span] of profileFolder === undefined ? [] : profileSpans) {
  console.log(`\n## Profile of ${name}`)
  printProfiles(profileFolder ?? '', span)
}

function listNames(contenders: readonly Contender[]): string[] {
  return contenders.map(({ name }) => name)
}
