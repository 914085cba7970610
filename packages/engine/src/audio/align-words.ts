import type { AudioCues } from './audio-envelope.ts'
import { lengthInText, type SpokenWeight } from './spoken-weight.ts'

/** Where the words of a text may end; all in steps of the shape of its sound. */
export interface AlignedWords {
  /** Of the words that have ended, in order: where, and where the one behind begins. */
  readonly ends: readonly { readonly end: number; readonly next: number }[]
}

export interface AlignOptions {
  readonly from: number
  readonly to: number
  /** All words are spoken by `to`. */
  readonly isComplete: boolean
  /** How many steps a word takes for each letter of its length. */
  readonly pace: number
}

/** Words begin and end at every so many steps. */
const GRID = 4
/** How far a word may be from what is expected of it: one deviation costs a half, and no cue costs more than its most. */
const LENGTH_SHARE = 0.12
const LENGTH_STEPS = 3.5
const MAX_LENGTH_COST = 12
const EXTRA_SYLLABLE_DEVIATION = 0.55
const MISSING_SYLLABLE_DEVIATION = 0.65
const MAX_SYLLABLE_COST = 4
/** Long words lose syllables when they are spoken: so much is kept of each behind the first ones. */
const CERTAIN_SYLLABLES = 2
const KEPT_SYLLABLE_SHARE = 0.6
const HISS_STEPS = 6
const HISS_DEVIATION = 4
const NO_HISS_DEVIATION = 2
const MAX_HISS_COST = 3
/** Silence behind a mark is a pause from here on; elsewhere, when it is longer than closed lips. */
export const PAUSE_STEPS = 8
const MIN_UNMARKED_PAUSE_STEPS = 12
const TYPICAL_PAUSE_STEPS = 15
const MAX_PAUSE_STEPS = 40
const NO_PAUSE_COST = 1
const UNEXPECTED_PAUSE_COST = 2
/** What a whole word costs on average: without it, sound that is still coming would be taken for fewer words. */
const TYPICAL_COST = 1
const TYPICAL_DEVIATION = 8
/** A beginning that costs so much more than the cheapest one of its word is not followed. */
const MAX_COST_MARGIN = 10
const MAX_COST = 1e9
/** No word is longer than so many times what is usual, and some steps. */
const MAX_LENGTH_RATIO = 2
const MAX_EXTRA_STEPS = 20
/** Words are looked for so near to where they are expected. */
const SLACK_STEPS = 60
const SLACK_SHARE = 0.3

/**
 * Divides a sound among words so that each is about as long as its weight, has its syllables and hisses where they are heard,
 * and pauses stand at marks: the cheapest of all divisions. `null`: there is none.
 */
export function alignWords(
  words: readonly SpokenWeight[],
  cues: AudioCues,
  { from, to, isComplete, pace }: AlignOptions,
): AlignedWords | null {
  const nodes = Math.floor((to - from) / GRID)
  const stepOf = (node: number): number => (node === nodes ? to : from + node * GRID)
  const width = nodes + 1
  const costs = new Float64Array((words.length + 1) * width).fill(Number.POSITIVE_INFINITY)
  const back = new Int32Array(costs.length)
  costs[0] = 0
  let expected = 0
  let bestEnd = { cost: Number.POSITIVE_INFINITY, count: 0, node: 0 }
  for (const [index, word] of words.entries()) {
    const costModel = createCostModel(word, cues, { isLast: index === words.length - 1, pace })
    const slack = SLACK_STEPS + SLACK_SHARE * expected
    const first = Math.max(0, Math.floor((expected - slack) / GRID))
    const last = Math.min(nodes, Math.ceil((expected + slack) / GRID))
    const row = costs.subarray(index * width, (index + 1) * width)
    const maxCost =
      row.subarray(first, last + 1).reduce((minCost, cost) => Math.min(minCost, cost), MAX_COST) + MAX_COST_MARGIN
    for (let node = first; node <= last; node += 1) {
      const before = row[node] as number
      if (before > maxCost) continue
      const start = stepOf(node)
      const reach = Math.min(nodes, node + Math.ceil(costModel.maxSteps / GRID))
      for (let next = node + 1; next <= reach; next += 1) {
        const cost = before + costModel.completeCost(start, stepOf(next))
        const place = (index + 1) * width + next
        if (cost >= (costs[place] as number)) continue
        costs[place] = cost
        back[place] = node
      }
      if (isComplete || reach < nodes) continue
      const cost = before + costModel.partialCost(start, to)
      if (cost < bestEnd.cost) bestEnd = { cost, count: index, node }
    }
    expected += costModel.typicalSteps
  }
  const totalCost = costs[words.length * width + nodes] as number
  if (bestEnd.cost >= totalCost) bestEnd = { cost: totalCost, count: words.length, node: nodes }
  if (bestEnd.cost === Number.POSITIVE_INFINITY) return null
  const ends: { end: number; next: number }[] = new Array(bestEnd.count)
  for (let count = bestEnd.count, node = bestEnd.node; count > 0; count -= 1) {
    const next = stepOf(node)
    const quiet = silenceBefore(cues.quiet, next)
    const isPause = count < words.length && words[count - 1]?.hasPunctuation === true && quiet >= PAUSE_STEPS
    node = back[count * width + node] as number
    // A word that is all silence keeps a step.
    ends[count - 1] = { end: isPause ? Math.max(stepOf(node) + 1, next - quiet) : next, next }
  }
  return { ends }
}

/** What stretches of sound cost as a word. */
interface CostModel {
  readonly typicalSteps: number
  readonly maxSteps: number
  completeCost(start: number, end: number): number
  /** Of a word that goes on behind the sound that is known. */
  partialCost(start: number, end: number): number
}

function createCostModel(
  word: SpokenWeight,
  { syllables, hisses, quiet }: AudioCues,
  { isLast, pace }: { readonly isLast: boolean; readonly pace: number },
): CostModel {
  const typical = lengthInText(word, isLast) * pace
  const deviation = LENGTH_SHARE * typical + LENGTH_STEPS
  const fixed = Math.log(deviation / TYPICAL_DEVIATION) - TYPICAL_COST
  const certain = Math.min(word.syllables, CERTAIN_SYLLABLES)
  const heard = certain + KEPT_SYLLABLE_SHARE * (word.syllables - certain)
  const hissing = HISS_STEPS * word.hisses
  const hissDeviation = word.hisses > 0 ? HISS_DEVIATION : NO_HISS_DEVIATION
  const pauses = word.hasPunctuation && !isLast
  const between = (cue: Float64Array, start: number, end: number): number =>
    (cue[end] as number) - (cue[start] as number)
  const syllableCost = (more: number): number =>
    heard === 0
      ? 0
      : costOf(more / (more < 0 ? MISSING_SYLLABLE_DEVIATION : EXTRA_SYLLABLE_DEVIATION), MAX_SYLLABLE_COST)
  return {
    typicalSteps: typical + (pauses ? TYPICAL_PAUSE_STEPS : 0),
    maxSteps: MAX_LENGTH_RATIO * typical + MAX_EXTRA_STEPS + (word.hasPunctuation ? MAX_PAUSE_STEPS : 0),
    completeCost(start, end) {
      const silent = Math.min(end - start, silenceBefore(quiet, end))
      const isPause = pauses && silent >= PAUSE_STEPS
      const unexpectedCost = !pauses && silent >= MIN_UNMARKED_PAUSE_STEPS ? UNEXPECTED_PAUSE_COST : 0
      const pauseCost = pauses && !isPause ? NO_PAUSE_COST : unexpectedCost
      const spoken = end - start - (isPause ? silent : 0)
      return (
        fixed +
        pauseCost +
        costOf((spoken - typical) / deviation, MAX_LENGTH_COST) +
        syllableCost(between(syllables, start, end) - heard) +
        costOf((between(hisses, start, end) - hissing) / hissDeviation, MAX_HISS_COST)
      )
    },
    partialCost(start, end) {
      return (
        costOf(Math.max(0, end - start - typical) / deviation, MAX_LENGTH_COST) +
        syllableCost(Math.max(0, between(syllables, start, end) - heard)) +
        costOf(Math.max(0, between(hisses, start, end) - hissing) / hissDeviation, MAX_HISS_COST)
      )
    },
  }
}

/** How long it has been quiet where a word begins; the first steps of its sound belong to no grid. */
function silenceBefore(quiet: Float64Array, step: number): number {
  for (let back = 0; back < GRID - 1; back += 1) {
    const steps = quiet[step - back] ?? 0
    if (steps > 0) return steps + back
  }
  return 0
}

function costOf(deviations: number, maxCost: number): number {
  return Math.min((deviations * deviations) / 2, maxCost)
}
