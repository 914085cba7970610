import { calculatePercentile } from '../harness/statistics.ts'
import type { Outcome } from './run-scenarios.ts'

/** The figures of the benchmark and their goals. */

/** A goal: the value is at most or at least `limit`. */
interface Goal {
  readonly kind: 'at most' | 'at least'
  readonly limit: number
}

export interface Metric {
  readonly name: string
  readonly unit: 'ms' | 'share' | 'calls'
  /** Null for a figure without a goal. */
  readonly goal: Goal | null
  /** Returns the value, or null if there is no call to measure. */
  readonly measure: (outcomes: readonly Outcome[]) => number | null
  /** Whether calls in which the agent never spoke count. */
  readonly includesUnanswered?: boolean
}

export interface MetricResult {
  readonly name: string
  readonly value: number | null
  readonly isMet: boolean | null
}

const YIELD_LIMIT_MS = 900
const atMost = (limit: number): Goal => ({ kind: 'at most', limit })
const atLeast = (limit: number): Goal => ({ kind: 'at least', limit })

type Matches = (outcome: Outcome) => boolean

const ofKind = (kind: Outcome['kind'], condition?: string): Matches => {
  return (outcome) => outcome.kind === kind && (condition === undefined || outcome.condition === condition)
}

/** Measures the share of the selected calls that match. */
function createShare(select: Matches, matches: Matches): Metric['measure'] {
  return (outcomes) => {
    const selected = outcomes.filter(select)
    return selected.length === 0 ? null : selected.filter(matches).length / selected.length
  }
}

/** Measures a percentile of the known times of the selected calls. `missing` replaces an unknown time. */
function createTime(
  select: Matches,
  field: 'yieldMs' | 'loweredMs' | 'responseMs',
  share: number,
  missing: number | null = null,
): Metric['measure'] {
  return (outcomes) => {
    const times = outcomes.filter(select).map((outcome) => outcome[field] ?? missing)
    const known = times.filter((time) => time !== null)
    return known.length === 0 ? null : calculatePercentile(known, share)
  }
}

/** An interruption of an agent that spoke. */
const isInterruption: Matches = ({ kind, wasSilent }) => kind === 'interruption' && wasSilent !== true
/** A question without an answer counts as answered after an endless time. */
const isUncutQuestion: Matches = ({ kind, cutIn }) => kind === 'question' && cutIn !== true
const hasNoGap: Matches = ({ gapMs }) => gapMs === 0
const hasCutIn: Matches = ({ cutIn }) => cutIn === true
const hasGivenUp: Matches = ({ gaveUp }) => gaveUp === true
const share = (name: string, goal: Goal | null, measure: Metric['measure']): Metric => ({
  name,
  unit: 'share',
  goal,
  measure,
})
const time = (name: string, goal: Goal | null, measure: Metric['measure']): Metric => ({
  name,
  unit: 'ms',
  goal,
  measure,
})

export const METRICS: readonly Metric[] = [
  time('interruption: yields p50', atMost(450), createTime(isInterruption, 'yieldMs', 0.5, Number.POSITIVE_INFINITY)),
  time('– p95', null, createTime(isInterruption, 'yieldMs', 0.95, Number.POSITIVE_INFINITY)),
  share(
    `– within ${YIELD_LIMIT_MS} ms`,
    atLeast(0.95),
    createShare(isInterruption, ({ yieldMs }) => yieldMs !== null && yieldMs <= YIELD_LIMIT_MS),
  ),
  share('backchannel: no gap', atLeast(0.9), createShare(ofKind('backchannel'), hasNoGap)),
  time('– below -3 dB p50', atMost(400), createTime(ofKind('backchannel'), 'loweredMs', 0.5)),
  share('– answer given up', atMost(0.02), createShare(ofKind('backchannel'), hasGivenUp)),
  share('noise: no gap', atLeast(0.98), createShare(ofKind('noise'), hasNoGap)),
  time('– below -3 dB p50', atMost(100), createTime(ofKind('noise'), 'loweredMs', 0.5)),
  share('– answer given up', null, createShare(ofKind('noise'), hasGivenUp)),
  share('other people: no gap', atLeast(0.9), createShare(ofKind('other-people'), hasNoGap)),
  time('– below -3 dB p50', null, createTime(ofKind('other-people'), 'loweredMs', 0.5)),
  share('– answer given up', null, createShare(ofKind('other-people'), hasGivenUp)),
  share('pause of 0.5 s: cut into', atMost(0.02), createShare(ofKind('pause', '500 ms'), hasCutIn)),
  share('pause of 1.0 s: cut into', atMost(0.1), createShare(ofKind('pause', '1000 ms'), hasCutIn)),
  share('pause of 1.5 s: cut into', null, createShare(ofKind('pause', '1500 ms'), hasCutIn)),
  time('question: answered p50', atMost(700), createTime(isUncutQuestion, 'responseMs', 0.5, Number.POSITIVE_INFINITY)),
  time('– p95', atMost(1_100), createTime(isUncutQuestion, 'responseMs', 0.95, Number.POSITIVE_INFINITY)),
  share('– cut into', null, createShare(ofKind('question'), hasCutIn)),
  {
    name: 'own echo: interruptions',
    unit: 'calls',
    goal: atMost(0),
    measure: (outcomes) => {
      const calls = outcomes.filter(ofKind('echo'))
      return calls.length === 0 ? null : calls.filter((outcome) => !hasNoGap(outcome) || hasGivenUp(outcome)).length
    },
  },
  {
    ...share(
      'agent did not speak within 8 s',
      null,
      createShare(
        () => true,
        ({ isUnanswered }) => isUnanswered,
      ),
    ),
    includesUnanswered: true,
  },
  share(
    'agent silent before the event',
    null,
    createShare(
      ({ kind, wasSilent }) => wasSilent !== null && kind !== 'echo' && kind !== 'undisturbed',
      ({ wasSilent }) => wasSilent === true,
    ),
  ),
  share('nothing happens: no gap', atLeast(1), createShare(ofKind('undisturbed'), hasNoGap)),
]

export function measureAll(outcomes: readonly Outcome[]): MetricResult[] {
  const run = outcomes.filter(({ problem }) => problem === null)
  const answered = run.filter(({ isUnanswered }) => !isUnanswered)
  return METRICS.map(({ name, goal, measure, includesUnanswered = false }) => {
    const value = measure(includesUnanswered ? run : answered)
    return { name, value, isMet: goal === null || value === null ? null : meetsGoal(value, goal) }
  })
}

function meetsGoal(value: number, { kind, limit }: Goal): boolean {
  return kind === 'at most' ? value <= limit : value >= limit
}
