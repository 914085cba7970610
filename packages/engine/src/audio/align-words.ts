import type { SoundCues } from './sound-shape.ts'
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
const MOST_LENGTH_COST = 12
const MORE_SYLLABLES = 0.55
const FEWER_SYLLABLES = 0.65
const MOST_SYLLABLE_COST = 4
/** Long words lose syllables when they are spoken: so much is kept of each behind the first ones. */
const SURE_SYLLABLES = 2
const KEPT_SYLLABLES = 0.6
const HISS_STEPS = 6
const HISS_DEVIATION = 4
const NO_HISS_DEVIATION = 2
const MOST_HISS_COST = 3
/** Silence behind a mark is a pause from here on; elsewhere, when it is longer than closed lips. */
export const PAUSE_STEPS = 8
const LONG_PAUSE_STEPS = 12
const USUAL_PAUSE_STEPS = 15
const MOST_PAUSE_STEPS = 40
const NO_PAUSE_COST = 1
const STRAY_PAUSE_COST = 2
/** What a whole word costs on average: without it, sound that is still coming would be taken for fewer words. */
const USUAL_COST = 1
const USUAL_DEVIATION = 8
/** A beginning that costs so much more than the cheapest one of its word is not followed. */
const MOST_BEHIND = 10
const MOST_COST = 1e9
/** No word is longer than so many times what is usual, and some steps. */
const MOST_LENGTHS = 2
const MOST_MORE_STEPS = 20
/** Words are looked for so near to where they are expected. */
const SLACK_STEPS = 60
const SLACK_SHARE = 0.3

/**
 * Divides a sound among words so that each is about as long as its weight, has its syllables and hisses where they are heard,
 * and pauses stand at marks: the cheapest of all divisions. `null`: there is none.
 */
export function alignWords(
  words: readonly SpokenWeight[],
  cues: SoundCues,
  { from, to, isComplete, pace }: AlignOptions,
): AlignedWords | null {
  const nodes = Math.floor((to - from) / GRID)
  const stepOf = (node: number): number => (node === nodes ? to : from + node * GRID)
  const width = nodes + 1
  const costs = new Float64Array((words.length + 1) * width).fill(Number.POSITIVE_INFINITY)
  const back = new Int32Array(costs.length)
  costs[0] = 0
  let expected = 0
  let going = { cost: Number.POSITIVE_INFINITY, count: 0, node: 0 }
  for (const [index, word] of words.entries()) {
    const price = priceOf(word, cues, { isLast: index === words.length - 1, pace })
    const slack = SLACK_STEPS + SLACK_SHARE * expected
    const first = Math.max(0, Math.floor((expected - slack) / GRID))
    const last = Math.min(nodes, Math.ceil((expected + slack) / GRID))
    const row = costs.subarray(index * width, (index + 1) * width)
    const most = row.subarray(first, last + 1).reduce((least, cost) => Math.min(least, cost), MOST_COST) + MOST_BEHIND
    for (let node = first; node <= last; node += 1) {
      const before = row[node] as number
      if (before > most) continue
      const start = stepOf(node)
      const reach = Math.min(nodes, node + Math.ceil(price.mostSteps / GRID))
      for (let next = node + 1; next <= reach; next += 1) {
        const cost = before + price.whole(start, stepOf(next))
        const place = (index + 1) * width + next
        if (cost >= (costs[place] as number)) continue
        costs[place] = cost
        back[place] = node
      }
      if (isComplete || reach < nodes) continue
      const cost = before + price.begun(start, to)
      if (cost < going.cost) going = { cost, count: index, node }
    }
    expected += price.usualSteps
  }
  const wholeCost = costs[words.length * width + nodes] as number
  if (going.cost >= wholeCost) going = { cost: wholeCost, count: words.length, node: nodes }
  if (going.cost === Number.POSITIVE_INFINITY) return null
  const ends: { end: number; next: number }[] = new Array(going.count)
  for (let count = going.count, node = going.node; count > 0; count -= 1) {
    const next = stepOf(node)
    const quiet = silenceBefore(cues.quiet, next)
    const isPause = count < words.length && words[count - 1]?.hasMark === true && quiet >= PAUSE_STEPS
    node = back[count * width + node] as number
    // A word that is all silence keeps a step.
    ends[count - 1] = { end: isPause ? Math.max(stepOf(node) + 1, next - quiet) : next, next }
  }
  return { ends }
}

/** What stretches of sound cost as a word. */
interface Price {
  readonly usualSteps: number
  readonly mostSteps: number
  whole(start: number, end: number): number
  /** Of a word that goes on behind the sound that is known. */
  begun(start: number, end: number): number
}

function priceOf(
  word: SpokenWeight,
  { syllables, hisses, quiet }: SoundCues,
  { isLast, pace }: { readonly isLast: boolean; readonly pace: number },
): Price {
  const usual = lengthInText(word, isLast) * pace
  const deviation = LENGTH_SHARE * usual + LENGTH_STEPS
  const fixed = Math.log(deviation / USUAL_DEVIATION) - USUAL_COST
  const sure = Math.min(word.syllables, SURE_SYLLABLES)
  const heard = sure + KEPT_SYLLABLES * (word.syllables - sure)
  const hissing = HISS_STEPS * word.hisses
  const hissDeviation = word.hisses > 0 ? HISS_DEVIATION : NO_HISS_DEVIATION
  const pauses = word.hasMark && !isLast
  const between = (cue: Float64Array, start: number, end: number): number =>
    (cue[end] as number) - (cue[start] as number)
  const syllableCost = (more: number): number =>
    heard === 0 ? 0 : costOf(more / (more < 0 ? FEWER_SYLLABLES : MORE_SYLLABLES), MOST_SYLLABLE_COST)
  return {
    usualSteps: usual + (pauses ? USUAL_PAUSE_STEPS : 0),
    mostSteps: MOST_LENGTHS * usual + MOST_MORE_STEPS + (word.hasMark ? MOST_PAUSE_STEPS : 0),
    whole(start, end) {
      const silent = Math.min(end - start, silenceBefore(quiet, end))
      const isPause = pauses && silent >= PAUSE_STEPS
      const stray = !pauses && silent >= LONG_PAUSE_STEPS ? STRAY_PAUSE_COST : 0
      const pauseCost = pauses && !isPause ? NO_PAUSE_COST : stray
      const spoken = end - start - (isPause ? silent : 0)
      return (
        fixed +
        pauseCost +
        costOf((spoken - usual) / deviation, MOST_LENGTH_COST) +
        syllableCost(between(syllables, start, end) - heard) +
        costOf((between(hisses, start, end) - hissing) / hissDeviation, MOST_HISS_COST)
      )
    },
    begun(start, end) {
      return (
        costOf(Math.max(0, end - start - usual) / deviation, MOST_LENGTH_COST) +
        syllableCost(Math.max(0, between(syllables, start, end) - heard)) +
        costOf(Math.max(0, between(hisses, start, end) - hissing) / hissDeviation, MOST_HISS_COST)
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

function costOf(deviations: number, most: number): number {
  return Math.min((deviations * deviations) / 2, most)
}
