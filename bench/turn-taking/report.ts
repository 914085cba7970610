import { printTable } from '../harness/report.ts'
import { roundStat } from '../harness/statistics.ts'
import { METRICS, type Metric, type MetricResult, measureAll } from './metrics.ts'
import type { Outcome } from './run-scenarios.ts'

/** Figures of the calls under one condition, such as babble on a phone line. */
export interface OutcomeGroup {
  readonly name: string
  readonly calls: number
  readonly results: readonly MetricResult[]
}

/** Groups calls by sample rate, and calls with babble by its level. */
export function groupOutcomes(outcomes: readonly Outcome[]): OutcomeGroup[] {
  const names = new Map<string, Outcome[]>()
  for (const outcome of outcomes.toSorted((left, right) => right.rateHz - left.rateHz)) {
    const babble = outcome.condition.startsWith('babble') ? `, ${outcome.condition}` : ''
    const name = `${outcome.rateHz / 1_000} kHz${babble}`
    names.set(name, [...(names.get(name) ?? []), outcome])
  }
  return [...names].map(([name, members]) => ({ name, calls: members.length, results: measureAll(members) }))
}

/** Prints one line per figure, with its goal and its value in each group. */
export function printGroups(groups: readonly OutcomeGroup[]): void {
  const rows = METRICS.flatMap((metric, index) => {
    const results = groups.map((group) => group.results[index])
    if (results.every((result) => result?.value == null)) return []
    return [[metric.name, formatGoal(metric), ...results.map((result) => formatResult(metric, result))]]
  })
  printTable(['', 'goal', ...groups.map(({ name }) => name)], rows)
}

/** Prints calls that could not be judged. */
export function printProblems(outcomes: readonly Outcome[]): void {
  const problems = outcomes.filter(({ problem }) => problem !== null)
  if (problems.length === 0) return
  console.log(`\n${problems.length} calls could not be judged:`)
  for (const { id, problem } of problems.slice(0, 10)) console.log(`  ${id}: ${problem}`)
}

function formatGoal({ goal, unit }: Metric): string {
  if (goal === null) return ''
  return `${goal.kind === 'at most' ? '<=' : '>='} ${formatValue(goal.limit, unit)}`
}

function formatResult({ unit }: Metric, result: MetricResult | undefined): string {
  if (result === undefined || result.value === null) return ''
  const mark = result.isMet === null ? '' : result.isMet ? ' pass' : ' FAIL'
  return formatValue(result.value, unit) + mark
}

function formatValue(value: number, unit: Metric['unit']): string {
  if (unit === 'share') return value.toFixed(2)
  if (!Number.isFinite(value)) return 'never'
  return unit === 'ms' ? `${roundStat(value)} ms` : String(value)
}
