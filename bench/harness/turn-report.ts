import type { TurnFigures } from './measure-turns.ts'
import type { DatabaseName } from './options.ts'
import { printTable } from './report.ts'
import { round } from './statistics.ts'

/** A kind of turn that does something, and its figures: the bare client's, then Parley's on each database. */
export interface ActingFigures {
  readonly name: string
  readonly names: readonly string[]
  readonly turns: readonly TurnFigures[]
}

/** What was measured: the figures of the stub, the limit server, then Parley on each database. */
export interface TurnReport {
  readonly names: readonly string[]
  readonly turns: readonly TurnFigures[]
  readonly atOnceMs: readonly number[]
  /** `null` when it was not measured. */
  readonly paced: readonly TurnFigures[] | null
  readonly acting: readonly ActingFigures[]
}

/** Figures by their names, for each database. */
type Ratios = readonly (readonly [DatabaseName, Readonly<Record<string, number>>])[]

type TimeKey = 'firstTokenMs' | 'wholeMs'

const at = (figures: readonly TurnFigures[], index: number, key: TimeKey | 'cpuMs'): number =>
  figures[index]?.[key] ?? Number.NaN

/** Prints a row for each contender, those of turns that do something below. */
export function printTurns({ names, turns, atOnceMs, paced, acting }: TurnReport): void {
  const show = (value: number | null | undefined): string => (value == null ? '' : value.toFixed(2))
  const cells = (figures: TurnFigures | undefined): string[] =>
    [figures?.firstTokenMs, figures?.wholeMs, figures?.wholeP95Ms, figures?.cpuMs, figures?.databaseCpuMs].map(show)
  const plain = names.map((name, index) => {
    const slow = paced?.[index]
    const others = [atOnceMs[index], slow?.firstTokenMs, slow?.wholeMs, slow?.cpuMs].map(show)
    return [name, ...cells(turns[index]), ...others]
  })
  const others = acting.flatMap((kind) =>
    kind.names.map((name, index) => [`${kind.name}: ${name}`, ...cells(kind.turns[index])]),
  )
  const once = ['first token p50', 'whole turn p50', 'whole turn p95', 'CPU a turn', 'of the database']
  printTable(['ms', ...once, '50 at once', 'paced first', 'paced whole', 'paced CPU'], [...plain, ...others])
}

/** How Parley compares with the limit server; times are what is added to those of the stub alone. */
export function ratiosToLimit({ turns, atOnceMs, paced }: TurnReport, databases: readonly DatabaseName[]): Ratios {
  return databases.map((database, place) => {
    const index = place + 2
    const cpu = (figures: readonly TurnFigures[]): number =>
      round(at(figures, index, 'cpuMs') / at(figures, 1, 'cpuMs'))
    const added = (figures: readonly TurnFigures[], key: TimeKey): number => {
      const bare = at(figures, 0, key)
      return round((at(figures, index, key) - bare) / (at(figures, 1, key) - bare))
    }
    const ratios = {
      addedFirstToken: added(turns, 'firstTokenMs'),
      addedWholeTurn: added(turns, 'wholeMs'),
      cpuPerTurn: cpu(turns),
      fiftyAtOnce: round((atOnceMs[index] ?? Number.NaN) / (atOnceMs[1] ?? Number.NaN)),
      ...(paced !== null && { pacedAddedFirstToken: added(paced, 'firstTokenMs'), pacedCpuPerTurn: cpu(paced) }),
    }
    return [database, ratios]
  })
}

/** How turns that do something compare with the bare client; what they add and cost, also with a plain turn of Parley. */
export function ratiosToBareClient(
  { turns }: TurnReport,
  { turns: figures }: ActingFigures,
  databases: readonly DatabaseName[],
): Ratios {
  return databases.map((database, place) => {
    const index = place + 1
    const plain = place + 2
    const added = (key: TimeKey): number => at(figures, index, key) - at(figures, 0, key)
    const addedByPlain = at(turns, plain, 'wholeMs') - at(turns, 0, 'wholeMs')
    const ratios = {
      firstToken: round(at(figures, index, 'firstTokenMs') / at(figures, 0, 'firstTokenMs')),
      wholeTurn: round(at(figures, index, 'wholeMs') / at(figures, 0, 'wholeMs')),
      addedFirstTokenMs: round(added('firstTokenMs')),
      addedWholeTurnMs: round(added('wholeMs')),
      addedAgainstPlainTurn: round(added('wholeMs') / addedByPlain),
      cpuAgainstPlainTurn: round(at(figures, index, 'cpuMs') / at(turns, plain, 'cpuMs')),
    }
    return [database, ratios]
  })
}

/** Prints ratios, a column for each database, and returns them by its name. */
export function printComparison(heading: string, compared: Ratios): Readonly<Record<string, object>> {
  console.log('')
  printTable(
    [heading, ...compared.map(([database]) => database)],
    Object.keys(compared[0]?.[1] ?? {}).map((key) => [key, ...compared.map(([, ratios]) => ratios[key] ?? '')]),
  )
  return Object.fromEntries(compared)
}

/** The figures as they are printed in the JSON line. */
export function figuresByName({ names, turns, atOnceMs, paced, acting }: TurnReport): object {
  return {
    turns: byName(names, turns),
    atOnceMs: byName(names, atOnceMs),
    paced: paced && byName(names, paced),
    acting: Object.fromEntries(acting.map((kind) => [kind.name, byName(kind.names, kind.turns)])),
  }
}

function byName<Value>(names: readonly string[], values: readonly Value[]): Record<string, Value | undefined> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]]))
}
