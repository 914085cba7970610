import type { AudioCues } from './audio-envelope.ts'

/** Word boundaries in envelope steps. */
export interface AlignedWords {
  /** Each ended word's end and the next word's start, in order. */
  readonly ends: readonly { readonly end: number; readonly next: number }[]
}

interface AlignOptions {
  readonly from: number
  readonly to: number
  /** Whether all words are spoken before `to`. */
  readonly isComplete: boolean
  /** Steps per letter of word length. */
  readonly pace: number
}

/** Spacing, in steps, of the grid on which word boundaries lie. */
const GRID = 4
/** Deviation from the expected length that costs 0.5. The cost of each cue is capped. */
const LENGTH_SHARE = 0.12
const LENGTH_STEPS = 3.5
const MAX_LENGTH_COST = 12
const EXTRA_SYLLABLE_DEVIATION = 0.55
const MISSING_SYLLABLE_DEVIATION = 0.65
const MAX_SYLLABLE_COST = 4
/**
 * Number of syllables that count fully. Of the others only a share counts, because speakers swallow syllables of long words.
 */
const CERTAIN_SYLLABLES = 2
const KEPT_SYLLABLE_SHARE = 0.6
const HISS_STEPS = 6
const HISS_DEVIATION = 4
const NO_HISS_DEVIATION = 2
const MAX_HISS_COST = 3
/** Minimum silence that counts as a pause after punctuation. Elsewhere, a pause must be longer than a consonant's closure. */
export const PAUSE_STEPS = 8
const MIN_UNMARKED_PAUSE_STEPS = 12
const TYPICAL_PAUSE_STEPS = 15
const MAX_PAUSE_STEPS = 40
const NO_PAUSE_COST = 1
const UNEXPECTED_PAUSE_COST = 2
/** Average cost of a complete word. Without this cost, audio that is still arriving would match too few words. */
const TYPICAL_COST = 1
const TYPICAL_DEVIATION = 8
/** Word starts that cost this much more than the cheapest one are pruned. */
const MAX_COST_MARGIN = 10
const MAX_COST = 1e9
/** Upper bound of word length: this multiple of the typical length plus extra steps. */
const MAX_LENGTH_RATIO = 2
const MAX_EXTRA_STEPS = 20
/** Search window around a word's expected start. */
const SLACK_STEPS = 60
const SLACK_SHARE = 0.3

/** Finds the cheapest split of audio into words by length, syllables, hisses and pauses. Returns `null` if no split fits. */
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
    const quiet = countMatches(cues.quiet, next)
    const isPause = count < words.length && words[count - 1]?.hasPunctuation === true && quiet >= PAUSE_STEPS
    node = back[count * width + node] as number
    // Keep at least one step of a word that is completely silent.
    ends[count - 1] = { end: isPause ? Math.max(stepOf(node) + 1, next - quiet) : next, next }
  }
  return { ends }
}

/** The cost of assigning a range of steps to a word. */
interface CostModel {
  readonly typicalSteps: number
  readonly maxSteps: number
  completeCost(start: number, end: number): number
  /** Returns the cost of a word that continues past the known audio. */
  partialCost(start: number, end: number): number
}

function createCostModel(
  word: SpokenWeight,
  { syllables, hisses, quiet }: AudioCues,
  { isLast, pace }: { readonly isLast: boolean; readonly pace: number },
): CostModel {
  const typical = getLengthInText(word, isLast) * pace
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
      : computeCost(more / (more < 0 ? MISSING_SYLLABLE_DEVIATION : EXTRA_SYLLABLE_DEVIATION), MAX_SYLLABLE_COST)
  return {
    typicalSteps: typical + (pauses ? TYPICAL_PAUSE_STEPS : 0),
    maxSteps: MAX_LENGTH_RATIO * typical + MAX_EXTRA_STEPS + (word.hasPunctuation ? MAX_PAUSE_STEPS : 0),
    completeCost(start, end) {
      const silent = Math.min(end - start, countMatches(quiet, end))
      const isPause = pauses && silent >= PAUSE_STEPS
      const unexpectedCost = !pauses && silent >= MIN_UNMARKED_PAUSE_STEPS ? UNEXPECTED_PAUSE_COST : 0
      const pauseCost = pauses && !isPause ? NO_PAUSE_COST : unexpectedCost
      const spoken = end - start - (isPause ? silent : 0)
      return (
        fixed +
        pauseCost +
        computeCost((spoken - typical) / deviation, MAX_LENGTH_COST) +
        syllableCost(between(syllables, start, end) - heard) +
        computeCost((between(hisses, start, end) - hissing) / hissDeviation, MAX_HISS_COST)
      )
    },
    partialCost(start, end) {
      return (
        computeCost(Math.max(0, end - start - typical) / deviation, MAX_LENGTH_COST) +
        syllableCost(Math.max(0, between(syllables, start, end) - heard)) +
        computeCost(Math.max(0, between(hisses, start, end) - hissing) / hissDeviation, MAX_HISS_COST)
      )
    },
  }
}

/** Counts the quiet steps before a word start, where the first steps may lie off the grid. */
function countMatches(quiet: Float64Array, step: number): number {
  for (let back = 0; back < GRID - 1; back += 1) {
    const steps = quiet[step - back] ?? 0
    if (steps > 0) return steps + back
  }
  return 0
}

function computeCost(deviations: number, maxCost: number): number {
  return Math.min((deviations * deviations) / 2, maxCost)
}

/** The expected sound of a word. */
export interface SpokenWeight {
  /** Duration in average letters. Each vowel group adds one letter. */
  readonly length: number
  /** Number of separately audible vowels: 0.5 for a vowel that is often silent, 0 if the spelling does not reveal it. */
  readonly syllables: number
  /** Number of letters that are fricatives in most languages. */
  readonly hisses: number
  /** Whether punctuation follows the word. */
  readonly hasPunctuation: boolean
}

/** Extra length before punctuation and at the end of a text, in letters. */
const PUNCTUATION_LENGTH = 2.5

/** Returns a word's duration at its position, in letters. */
export function getLengthInText({ length, hasPunctuation }: SpokenWeight, isLast: boolean): number {
  return length + (hasPunctuation || isLast ? PUNCTUATION_LENGTH : 0)
}

const PUNCTUATION = /[.!?…:,;–—-]["'”’»)]*$/
const VOWELS = /[aeiouyæœøıаеиоуыэюяієαεηιουω]+/g
const SILENT_ENDING = /[^aeiouy]e[sd]?\P{L}*$/u
const HISSES = /sch|sh?|z+|x|ch(?=[ei])|c(?=[eiy])|[сзшщжцчσς]/g
/** Matches scripts in which one character is about one syllable. */
const SYLLABIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
const SYLLABLE_LENGTH = 3
/** Length of a letter in scripts that do not write vowels. */
const VOWELLESS_LETTER_LENGTH = 1.35
const DIGIT = { length: 5, syllables: 1.2 }
const SYMBOL = { length: 7, syllables: 2 }

/** Weighs a word by letters and vowels. Digits, symbols and spelled letters weigh more. */
export function weighWord(word: string): SpokenWeight {
  const plain = word.toLowerCase().normalize('NFKD')
  const digits = count(plain, /\p{N}/gu)
  const signs = count(plain, /[%&+=@#$€£]/g)
  const { length, syllables } = weighLetters(word, plain)
  return {
    length: Math.max(1, length + digits * DIGIT.length + signs * SYMBOL.length),
    syllables: syllables + digits * DIGIT.syllables + signs * SYMBOL.syllables,
    hisses: count(plain, HISSES),
    hasPunctuation: PUNCTUATION.test(word),
  }
}

function weighLetters(word: string, plain: string): Pick<SpokenWeight, 'length' | 'syllables'> {
  const whole = count(word, SYLLABIC)
  if (whole > 0) return { length: whole * SYLLABLE_LENGTH, syllables: whole }
  const letters = count(plain, /\p{L}/gu)
  const groups = count(plain, VOWELS)
  if (groups > 0) {
    return { length: letters + groups, syllables: groups - (groups > 1 && SILENT_ENDING.test(plain) ? 0.5 : 0) }
  }
  const isSpelled = /^\P{L}*[A-Z]/u.test(word)
  if (isSpelled) return { length: letters * SYLLABLE_LENGTH, syllables: letters }
  return { length: letters * VOWELLESS_LETTER_LENGTH, syllables: 0 }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
