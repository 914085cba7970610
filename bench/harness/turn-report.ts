import type { TurnStats } from './measure-turns.ts'
import type { DatabaseName } from './options.ts'
import { printTable } from './report.ts'
import { round } from './statistics.ts'

/** A kind of turn that does something, and its figures: the bare client's, then Parley's on each database. */
export interface MultiStepStats {
  readonly name: string
  readonly names: readonly string[]
  readonly turns: readonly TurnStats[]
}

/** What was measured: the figures of the stub, the limit server, then Parley on each database. */
export interface TurnReport {
  readonly names: readonly string[]
  readonly turns: readonly TurnStats[]
  readonly concurrentMs: readonly number[]
  /** `null` when it was not measured. */
  readonly paced: readonly TurnStats[] | null
  readonly multiStep: readonly MultiStepStats[]
}

/** Figures by their names, for each database. */
type Ratios = readonly (readonly [DatabaseName, Readonly<Record<string, number>>])[]

type TimeKey = 'firstTokenMs' | 'totalMs'

const at = (stats: readonly TurnStats[], index: number, key: TimeKey | 'cpuMs'): number =>
  stats[index]?.[key] ?? Number.NaN

/** Prints a row for each contender, those of turns that do something below. */
export function printTurns({ names, turns, concurrentMs, paced, multiStep }: TurnReport): void {
  const show = (value: number | null | undefined): string => (value == null ? '' : value.toFixed(2))
  const cells = (stats: TurnStats | undefined): string[] =>
    [stats?.firstTokenMs, stats?.totalMs, stats?.totalP95Ms, stats?.cpuMs, stats?.databaseCpuMs].map(show)
  const plain = names.map((name, index) => {
    const slow = paced?.[index]
    const others = [concurrentMs[index], slow?.firstTokenMs, slow?.totalMs, slow?.cpuMs].map(show)
    return [name, ...cells(turns[index]), ...others]
  })
  const others = multiStep.flatMap((kind) =>
    kind.names.map((name, index) => [`${kind.name}: ${name}`, ...cells(kind.turns[index])]),
  )
  const unpacedColumns = ['first token p50', 'whole turn p50', 'whole turn p95', 'CPU a turn', 'of the database']
  printTable(['ms', ...unpacedColumns, '50 at once', 'paced first', 'paced whole', 'paced CPU'], [...plain, ...others])
}

/** How Parley compares with the limit server; times are what is added to those of the stub alone. */
export function compareWithLimitServer(
  { turns, concurrentMs, paced }: TurnReport,
  databases: readonly DatabaseName[],
): Ratios {
  return databases.map((database, place) => {
    const index = place + 2
    const cpu = (stats: readonly TurnStats[]): number => round(at(stats, index, 'cpuMs') / at(stats, 1, 'cpuMs'))
    const overhead = (stats: readonly TurnStats[], key: TimeKey): number => {
      const bare = at(stats, 0, key)
      return round((at(stats, index, key) - bare) / (at(stats, 1, key) - bare))
    }
    const ratios = {
      firstTokenOverhead: overhead(turns, 'firstTokenMs'),
      turnOverhead: overhead(turns, 'totalMs'),
      cpuPerTurn: cpu(turns),
      concurrentTurns: round((concurrentMs[index] ?? Number.NaN) / (concurrentMs[1] ?? Number.NaN)),
      ...(paced !== null && { pacedFirstTokenOverhead: overhead(paced, 'firstTokenMs'), pacedCpuPerTurn: cpu(paced) }),
    }
    return [database, ratios]
  })
}

/** How turns that do something compare with the bare client; what they add and cost, also with a plain turn of Parley. */
export function compareWithBaselineClient(
  { turns }: TurnReport,
  { turns: stats }: MultiStepStats,
  databases: readonly DatabaseName[],
): Ratios {
  return databases.map((database, place) => {
    const index = place + 1
    const plain = place + 2
    const overhead = (key: TimeKey): number => at(stats, index, key) - at(stats, 0, key)
    const plainOverheadMs = at(turns, plain, 'totalMs') - at(turns, 0, 'totalMs')
    const ratios = {
      firstToken: round(at(stats, index, 'firstTokenMs') / at(stats, 0, 'firstTokenMs')),
      totalTurn: round(at(stats, index, 'totalMs') / at(stats, 0, 'totalMs')),
      firstTokenOverheadMs: round(overhead('firstTokenMs')),
      turnOverheadMs: round(overhead('totalMs')),
      overheadVersusPlainTurn: round(overhead('totalMs') / plainOverheadMs),
      cpuVersusPlainTurn: round(at(stats, index, 'cpuMs') / at(turns, plain, 'cpuMs')),
    }
    return [database, ratios]
  })
}

/** Prints ratios, a column for each database, and returns them by its name. */
export function printComparison(heading: string, ratiosByDatabase: Ratios): Readonly<Record<string, object>> {
  console.log('')
  printTable(
    [heading, ...ratiosByDatabase.map(([database]) => database)],
    Object.keys(ratiosByDatabase[0]?.[1] ?? {}).map((key) => [
      key,
      ...ratiosByDatabase.map(([, ratios]) => ratios[key] ?? ''),
    ]),
  )
  return Object.fromEntries(ratiosByDatabase)
}

/** The figures as they are printed in the JSON line. */
export function statsByName({ names, turns, concurrentMs, paced, multiStep }: TurnReport): object {
  return {
    turns: byName(names, turns),
    concurrentMs: byName(names, concurrentMs),
    paced: paced && byName(names, paced),
    multiStep: Object.fromEntries(multiStep.map((kind) => [kind.name, byName(kind.names, kind.turns)])),
  }
}

function byName<Value>(names: readonly string[], values: readonly Value[]): Record<string, Value | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]]))
}
