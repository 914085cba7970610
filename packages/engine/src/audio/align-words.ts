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
/** Deviation from the expected length that costs 0.5, as a share of the length and in steps. */
const LENGTH_SHARE = 0.12
const LENGTH_STEPS = 3.5
const MAX_LENGTH_COST = 12
const EXTRA_SYLLABLE_DEVIATION = 0.55
const MISSING_SYLLABLE_DEVIATION = 0.65
const MAX_SYLLABLE_COST = 4
/** Number of syllables that count fully. Speakers swallow syllables of long words, so each further one counts as a share. */
const CERTAIN_SYLLABLES = 2
const EXTRA_SYLLABLE_SHARE = 0.6
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
/** Word starts are pruned if they cost this much more than the cheapest one. */
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
  const nodeCount = Math.floor((to - from) / GRID)
  const toStep = (node: number): number => (node === nodeCount ? to : from + node * GRID)
  const width = nodeCount + 1
  const costs = new Float64Array((words.length + 1) * width).fill(Number.POSITIVE_INFINITY)
  const previousNodes = new Int32Array(costs.length)
  costs[0] = 0
  let expectedSteps = 0
  let bestEnd = { cost: Number.POSITIVE_INFINITY, count: 0, node: 0 }
  for (const [index, word] of words.entries()) {
    const costModel = createCostModel(word, cues, { isLast: index === words.length - 1, pace })
    const slack = SLACK_STEPS + SLACK_SHARE * expectedSteps
    const firstNode = Math.max(0, Math.floor((expectedSteps - slack) / GRID))
    const lastNode = Math.min(nodeCount, Math.ceil((expectedSteps + slack) / GRID))
    const row = costs.subarray(index * width, (index + 1) * width)
    const maxCost =
      row.subarray(firstNode, lastNode + 1).reduce((minCost, cost) => Math.min(minCost, cost), MAX_COST) +
      MAX_COST_MARGIN
    for (let node = firstNode; node <= lastNode; node += 1) {
      const previousCost = row[node] as number
      if (previousCost > maxCost) continue
      const start = toStep(node)
      const lastNextNode = Math.min(nodeCount, node + Math.ceil(costModel.maxSteps / GRID))
      for (let next = node + 1; next <= lastNextNode; next += 1) {
        const cost = previousCost + costModel.completeCost(start, toStep(next))
        const cellIndex = (index + 1) * width + next
        if (cost >= (costs[cellIndex] as number)) continue
        costs[cellIndex] = cost
        previousNodes[cellIndex] = node
      }
      if (isComplete || lastNextNode < nodeCount) continue
      const cost = previousCost + costModel.partialCost(start, to)
      if (cost < bestEnd.cost) bestEnd = { cost, count: index, node }
    }
    expectedSteps += costModel.typicalSteps
  }
  const totalCost = costs[words.length * width + nodeCount] as number
  if (bestEnd.cost >= totalCost) bestEnd = { cost: totalCost, count: words.length, node: nodeCount }
  if (bestEnd.cost === Number.POSITIVE_INFINITY) return null
  const ends: { end: number; next: number }[] = new Array(bestEnd.count)
  for (let count = bestEnd.count, node = bestEnd.node; count > 0; count -= 1) {
    const next = toStep(node)
    const quiet = countQuietSteps(cues.quiet, next)
    const isPause = count < words.length && words[count - 1]?.hasPunctuation === true && quiet >= PAUSE_STEPS
    node = previousNodes[count * width + node] as number
    // Keep at least one step of a word that is completely silent.
    ends[count - 1] = { end: isPause ? Math.max(toStep(node) + 1, next - quiet) : next, next }
  }
  return { ends }
}

/** The cost of assigning a range of steps to a word. */
interface CostModel {
  readonly typicalSteps: number
  readonly maxSteps: number
  completeCost(start: number, end: number): number
  /** Returns the cost of a word that continues past the end of the audio. */
  partialCost(start: number, end: number): number
}

function createCostModel(
  word: SpokenWeight,
  { syllables, hisses, quiet }: AudioCues,
  { isLast, pace }: { readonly isLast: boolean; readonly pace: number },
): CostModel {
  const typicalSteps = getLengthInText(word, isLast) * pace
  const deviation = LENGTH_SHARE * typicalSteps + LENGTH_STEPS
  const fixedCost = Math.log(deviation / TYPICAL_DEVIATION) - TYPICAL_COST
  const certainSyllables = Math.min(word.syllables, CERTAIN_SYLLABLES)
  const expectedSyllables = certainSyllables + EXTRA_SYLLABLE_SHARE * (word.syllables - certainSyllables)
  const expectedHisses = HISS_STEPS * word.hisses
  const hissDeviation = word.hisses > 0 ? HISS_DEVIATION : NO_HISS_DEVIATION
  const expectsPause = word.hasPunctuation && !isLast
  const countBetween = (cue: Float64Array, start: number, end: number): number =>
    (cue[end] as number) - (cue[start] as number)
  const computeSyllableCost = (extraSyllables: number): number =>
    expectedSyllables === 0
      ? 0
      : computeCost(
          extraSyllables / (extraSyllables < 0 ? MISSING_SYLLABLE_DEVIATION : EXTRA_SYLLABLE_DEVIATION),
          MAX_SYLLABLE_COST,
        )
  return {
    typicalSteps: typicalSteps + (expectsPause ? TYPICAL_PAUSE_STEPS : 0),
    maxSteps: MAX_LENGTH_RATIO * typicalSteps + MAX_EXTRA_STEPS + (word.hasPunctuation ? MAX_PAUSE_STEPS : 0),
    completeCost(start, end) {
      const silentSteps = Math.min(end - start, countQuietSteps(quiet, end))
      const isPause = expectsPause && silentSteps >= PAUSE_STEPS
      const unexpectedCost = !expectsPause && silentSteps >= MIN_UNMARKED_PAUSE_STEPS ? UNEXPECTED_PAUSE_COST : 0
      const pauseCost = expectsPause && !isPause ? NO_PAUSE_COST : unexpectedCost
      const spokenSteps = end - start - (isPause ? silentSteps : 0)
      return (
        fixedCost +
        pauseCost +
        computeCost((spokenSteps - typicalSteps) / deviation, MAX_LENGTH_COST) +
        computeSyllableCost(countBetween(syllables, start, end) - expectedSyllables) +
        computeCost((countBetween(hisses, start, end) - expectedHisses) / hissDeviation, MAX_HISS_COST)
      )
    },
    partialCost(start, end) {
      return (
        computeCost(Math.max(0, end - start - typicalSteps) / deviation, MAX_LENGTH_COST) +
        computeSyllableCost(Math.max(0, countBetween(syllables, start, end) - expectedSyllables)) +
        computeCost(Math.max(0, countBetween(hisses, start, end) - expectedHisses) / hissDeviation, MAX_HISS_COST)
      )
    },
  }
}

/** Returns the number of quiet steps before a word start. Skips up to three steps, because the grid may miss the exact start. */
function countQuietSteps(quiet: Float64Array, step: number): number {
  for (let offset = 0; offset < GRID - 1; offset += 1) {
    const steps = quiet[step - offset] ?? 0
    if (steps > 0) return steps + offset
  }
  return 0
}

function computeCost(deviations: number, maxCost: number): number {
  return Math.min((deviations * deviations) / 2, maxCost)
}

/** A word's expected duration and sounds. */
export interface SpokenWeight {
  /** Duration in average letters. Each vowel group adds one letter. */
  readonly length: number
  /** Number of audible vowels: 0.5 for a vowel that is often silent, 0 if the spelling does not reveal any. */
  readonly syllables: number
  /** Number of letters that are fricatives in most languages. */
  readonly hisses: number
  /** Whether punctuation follows the word. */
  readonly hasPunctuation: boolean
}

/** Extra length before punctuation and at the end of a text, in letters. */
const PUNCTUATION_LENGTH = 2.5

/** Returns a word's duration in letters, including the pause after punctuation and at the end of the text. */
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
  const normalizedWord = word.toLowerCase().normalize('NFKD')
  const digitCount = countMatches(normalizedWord, /\p{N}/gu)
  const symbolCount = countMatches(normalizedWord, /[%&+=@#$€£]/g)
  const { length, syllables } = weighLetters(word, normalizedWord)
  return {
    length: Math.max(1, length + digitCount * DIGIT.length + symbolCount * SYMBOL.length),
    syllables: syllables + digitCount * DIGIT.syllables + symbolCount * SYMBOL.syllables,
    hisses: countMatches(normalizedWord, HISSES),
    hasPunctuation: PUNCTUATION.test(word),
  }
}

function weighLetters(word: string, normalizedWord: string): Pick<SpokenWeight, 'length' | 'syllables'> {
  const syllabicCount = countMatches(word, SYLLABIC)
  if (syllabicCount > 0) return { length: syllabicCount * SYLLABLE_LENGTH, syllables: syllabicCount }
  const letterCount = countMatches(normalizedWord, /\p{L}/gu)
  const vowelGroupCount = countMatches(normalizedWord, VOWELS)
  if (vowelGroupCount > 0) {
    return {
      length: letterCount + vowelGroupCount,
      syllables: vowelGroupCount - (vowelGroupCount > 1 && SILENT_ENDING.test(normalizedWord) ? 0.5 : 0),
    }
  }
  const isSpelled = /^\P{L}*[A-Z]/u.test(word)
  if (isSpelled) return { length: letterCount * SYLLABLE_LENGTH, syllables: letterCount }
  return { length: letterCount * VOWELLESS_LETTER_LENGTH, syllables: 0 }
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
