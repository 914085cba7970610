import type { TurnStats } from './measure-turns.ts'
import type { DatabaseName } from './options.ts'
import { printTable } from './report.ts'
import { roundStat } from './statistics.ts'

/** A kind of multi-step turn with its statistics: the bare client first, then Parley on each database. */
export interface MultiStepStats {
  readonly name: string
  readonly names: readonly string[]
  readonly turns: readonly TurnStats[]
}

/** All measurements: the stub, the limit server, and Parley on each database. */
export interface TurnReport {
  readonly names: readonly string[]
  readonly turns: readonly TurnStats[]
  readonly concurrentMs: readonly number[]
  /** Statistics of the paced model, or `null` if they were not measured. */
  readonly paced: readonly TurnStats[] | null
  readonly multiStep: readonly MultiStepStats[]
}

/** Ratios by name for each database. */
type Ratios = readonly (readonly [DatabaseName, Readonly<Record<string, number>>])[]

type TimeKey = 'firstTokenMs' | 'totalMs'

const getTime = (stats: readonly TurnStats[], index: number, key: TimeKey | 'cpuMs'): number =>
  stats[index]?.[key] ?? Number.NaN

/** Prints one row per contender, followed by the multi-step turns. */
export function printTurns({ names, turns, concurrentMs, paced, multiStep }: TurnReport): void {
  const formatValue = (value: number | null | undefined): string => (value == null ? '' : value.toFixed(2))
  const formatCells = (stats: TurnStats | undefined): string[] =>
    [stats?.firstTokenMs, stats?.totalMs, stats?.totalP95Ms, stats?.cpuMs, stats?.databaseCpuMs].map(formatValue)
  const plainRows = names.map((name, index) => {
    const pacedStats = paced?.[index]
    const extraCells = [concurrentMs[index], pacedStats?.firstTokenMs, pacedStats?.totalMs, pacedStats?.cpuMs].map(
      formatValue,
    )
    return [name, ...formatCells(turns[index]), ...extraCells]
  })
  const multiStepRows = multiStep.flatMap((kind) =>
    kind.names.map((name, index) => [`${kind.name}: ${name}`, ...formatCells(kind.turns[index])]),
  )
  const unpacedColumns = ['first token p50', 'whole turn p50', 'whole turn p95', 'CPU per turn', 'database CPU']
  printTable(
    ['ms', ...unpacedColumns, '50 concurrent', 'paced first', 'paced whole', 'paced CPU'],
    [...plainRows, ...multiStepRows],
  )
}

/** Compares Parley with the limit server. Times are the overhead compared with the stub alone. */
export function compareWithLimitServer(
  { turns, concurrentMs, paced }: TurnReport,
  databases: readonly DatabaseName[],
): Ratios {
  return databases.map((database, position) => {
    const index = position + 2
    const compareCpu = (stats: readonly TurnStats[]): number =>
      roundStat(getTime(stats, index, 'cpuMs') / getTime(stats, 1, 'cpuMs'))
    const compareOverhead = (stats: readonly TurnStats[], key: TimeKey): number => {
      const bare = getTime(stats, 0, key)
      return roundStat((getTime(stats, index, key) - bare) / (getTime(stats, 1, key) - bare))
    }
    const ratios = {
      firstTokenOverhead: compareOverhead(turns, 'firstTokenMs'),
      turnOverhead: compareOverhead(turns, 'totalMs'),
      cpuPerTurn: compareCpu(turns),
      concurrentTurns: roundStat((concurrentMs[index] ?? Number.NaN) / (concurrentMs[1] ?? Number.NaN)),
      ...(paced !== null && {
        pacedFirstTokenOverhead: compareOverhead(paced, 'firstTokenMs'),
        pacedCpuPerTurn: compareCpu(paced),
      }),
    }
    return [database, ratios]
  })
}

/** Compares multi-step turns with the bare client, and their overhead and cost with a plain Parley turn. */
export function compareWithBaselineClient(
  { turns }: TurnReport,
  { turns: stats }: MultiStepStats,
  databases: readonly DatabaseName[],
): Ratios {
  return databases.map((database, position) => {
    const index = position + 1
    const plainIndex = position + 2
    const calculateOverheadMs = (key: TimeKey): number => getTime(stats, index, key) - getTime(stats, 0, key)
    const plainOverheadMs = getTime(turns, plainIndex, 'totalMs') - getTime(turns, 0, 'totalMs')
    const ratios = {
      firstToken: roundStat(getTime(stats, index, 'firstTokenMs') / getTime(stats, 0, 'firstTokenMs')),
      totalTurn: roundStat(getTime(stats, index, 'totalMs') / getTime(stats, 0, 'totalMs')),
      firstTokenOverheadMs: roundStat(calculateOverheadMs('firstTokenMs')),
      turnOverheadMs: roundStat(calculateOverheadMs('totalMs')),
      overheadVersusPlainTurn: roundStat(calculateOverheadMs('totalMs') / plainOverheadMs),
      cpuVersusPlainTurn: roundStat(getTime(stats, index, 'cpuMs') / getTime(turns, plainIndex, 'cpuMs')),
    }
    return [database, ratios]
  })
}

/** Prints ratios with one column per database, and returns them by database name. */
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

/** Returns the statistics in the form of the JSON line. */
export function mapStatsByName({ names, turns, concurrentMs, paced, multiStep }: TurnReport): object {
  return {
    turns: mapByName(names, turns),
    concurrentMs: mapByName(names, concurrentMs),
    paced: paced && mapByName(names, paced),
    multiStep: Object.fromEntries(multiStep.map((kind) => [kind.name, mapByName(kind.names, kind.turns)])),
  }
}

function mapByName<Value>(names: readonly string[], values: readonly Value[]): Record<string, Value | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]]))
}
