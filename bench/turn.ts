import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { type Contender, type Contenders, startContenders } from './harness/contenders.ts'
import { readOptions } from './harness/options.ts'
import { readCpuMs } from './harness/process-usage.ts'
import { printProfiles, profileTimeUs } from './harness/profile-summary.ts'
import { printResult, printTable } from './harness/report.ts'
import { median, percentile, round } from './harness/statistics.ts'

/**
 * What a chat turn costs beside the model: a streamed completion with persistence on a stub model of 100 words, against a
 * bare fetch of the stub and against the limit server. All are measured by one client, in turns, in the same run.
 */
const TURNS_PER_SESSION = 10
const AT_ONCE = 50
/** Milliseconds per word of the model that takes its time. */
const PACE_MS = 2

const { smoke, profile } = readOptions()
const warmUpSessions = smoke ? 1 : 2
const sessions = smoke ? 1 : 20
const pacedSessions = smoke ? 0 : 5
const roundsAtOnce = smoke ? 1 : 12

interface TurnFigures {
  readonly firstTokenMs: number
  readonly wholeMs: number
  readonly wholeP95Ms: number
  /** CPU time of the server process per turn; null for the stub. */
  readonly cpuMs: number | null
}

/** Sessions of ten turns, the contenders by turns and each time in another order. */
async function measureTurns(contenders: Contenders, count: number, firstConversation: number): Promise<TurnFigures[]> {
  const times = contenders.all.map(() => ({ first: [] as number[], whole: [] as number[] }))
  const cpuBefore = contenders.all.map(cpuOf)
  for (let session = 0; session < count; session += 1) {
    for (let place = 0; place < contenders.all.length; place += 1) {
      const index = (session + place) % contenders.all.length
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) {
        const result = await contenders.all[index]?.turn(firstConversation + session)
        times[index]?.first.push(result?.firstTokenMs ?? Number.NaN)
        times[index]?.whole.push(result?.wholeMs ?? Number.NaN)
      }
    }
  }
  return contenders.all.map((contender, index) => ({
    firstTokenMs: median(times[index]?.first ?? []),
    wholeMs: median(times[index]?.whole ?? []),
    wholeP95Ms: percentile(times[index]?.whole ?? [], 0.95),
    cpuMs:
      contender.pid === undefined ? null : (cpuOf(contender) - (cpuBefore[index] ?? 0)) / (count * TURNS_PER_SESSION),
  }))
}

/** Median time until fifty turns that were sent together are all answered. The first rounds only open connections. */
async function measureAtOnce(contenders: Contenders, rounds: number, firstConversation: number): Promise<number[]> {
  const times = contenders.all.map(() => [] as number[])
  for (let count = 0; count < rounds + 2; count += 1) {
    for (let place = 0; place < contenders.all.length; place += 1) {
      const index = (count + place) % contenders.all.length
      const startedAt = performance.now()
      const conversations = Array.from({ length: AT_ONCE }, (_, number) => firstConversation + number)
      await Promise.all(conversations.map((conversation) => contenders.all[index]?.turn(conversation)))
      if (count >= 2) times[index]?.push(performance.now() - startedAt)
    }
  }
  return times.map(median)
}

function cpuOf({ pid }: Contender): number {
  return pid === undefined ? 0 : readCpuMs(pid)
}

/** How much more than the stub alone Parley takes, as a multiple of what the limit server takes. */
function addedRatio([bare = Number.NaN, limit = Number.NaN, parley = Number.NaN]: readonly number[]): number {
  return round((parley - bare) / (limit - bare))
}

await using resources = new AsyncDisposableStack()
const client = resources.adopt(new Agent(), (value) => value.destroy())
const profileFolder = profile ? mkdtempSync(join(tmpdir(), 'parley-profile-')) : undefined

let profiled = { fromUs: 0, untilUs: 0 }
const { turns, atOnceMs } = await measureUnpaced()
const paced = pacedSessions === 0 ? null : await measurePaced()

async function measureUnpaced(): Promise<{ turns: TurnFigures[]; atOnceMs: number[] }> {
  const firstAtOnce = warmUpSessions + sessions
  const conversations = firstAtOnce + AT_ONCE
  await using contenders = await startContenders(client, { paceMs: 0, conversations, profileFolder })
  await measureTurns(contenders, warmUpSessions, 0)
  const fromUs = profileTimeUs()
  const measured = await measureTurns(contenders, sessions, warmUpSessions)
  profiled = { fromUs, untilUs: profileTimeUs() }
  return { turns: measured, atOnceMs: await measureAtOnce(contenders, roundsAtOnce, firstAtOnce) }
}

async function measurePaced(): Promise<TurnFigures[]> {
  await using contenders = await startContenders(client, {
    paceMs: PACE_MS,
    conversations: warmUpSessions + pacedSessions,
  })
  await measureTurns(contenders, warmUpSessions, 0)
  return await measureTurns(contenders, pacedSessions, warmUpSessions)
}

const names = ['bare fetch', 'limit server', 'Parley'] as const
const show = (value: number | null | undefined): string => (value == null ? '' : value.toFixed(2))
printTable(
  [
    'ms',
    'first token p50',
    'whole turn p50',
    'whole turn p95',
    'CPU a turn',
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
    show(atOnceMs[index]),
    show(paced?.[index]?.firstTokenMs),
    show(paced?.[index]?.wholeMs),
    show(paced?.[index]?.cpuMs),
  ]),
)

const cpuRatio = (figures: readonly TurnFigures[]): number =>
  round((figures[2]?.cpuMs ?? Number.NaN) / (figures[1]?.cpuMs ?? Number.NaN))
const ratios = {
  addedFirstToken: addedRatio(turns.map(({ firstTokenMs }) => firstTokenMs)),
  addedWholeTurn: addedRatio(turns.map(({ wholeMs }) => wholeMs)),
  cpuPerTurn: cpuRatio(turns),
  fiftyAtOnce: round((atOnceMs[2] ?? Number.NaN) / (atOnceMs[1] ?? Number.NaN)),
  ...(paced !== null && {
    pacedAddedFirstToken: addedRatio(paced.map(({ firstTokenMs }) => firstTokenMs)),
    pacedCpuPerTurn: cpuRatio(paced),
  }),
}
console.log('')
printTable(['Parley / limit server', 'ratio'], Object.entries(ratios))
printResult('turn', smoke, { turns: byName(turns), atOnceMs: byName(atOnceMs), paced: paced && byName(paced), ratios })
if (profileFolder !== undefined) printProfiles(profileFolder, profiled)

function byName<Value>(values: readonly Value[]): Record<string, Value | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]]))
}
