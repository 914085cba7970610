import type { TimedWord } from '../voice/ports.ts'
import {
  type AlignedWords,
  alignWords,
  getLengthInText,
  PAUSE_STEPS,
  type SpokenWeight,
  weighWord,
} from './align-words.ts'
import { type AudioCues, type AudioEnvelope, extractCues, STEP_MS } from './audio-envelope.ts'

/** Estimates word times by syllables and hisses, or by silences at punctuation and letter counts if the audio does not match. */
export function estimateWords(text: string, audio: ReceivedAudio): TimedWord[] {
  const words = splitWords(text).map((word) => word.text)
  const spokenWeights = words.map(weighWord)
  const lengths = spokenWeights.map((weight, index) => getLengthInText(weight, index === words.length - 1))
  const envelopeEstimate = estimateFromEnvelope(words.map(stripDash), { words: spokenWeights, lengths }, audio)
  if (envelopeEstimate !== null) return envelopeEstimate
  const punctuation = spokenWeights.map(({ hasPunctuation }) => hasPunctuation)
  const anchors = findAnchors(punctuation, lengths, audio)
  const lastAnchor = anchors.at(-1)
  const remainingLength = sumWeights(lengths, lastAnchor?.next ?? 0, words.length)
  const knownEndMs = audio.toMs
  const paceMs = estimatePace(lengths, anchors, audio)
  const endMs = audio.isComplete
    ? knownEndMs
    : Math.max(knownEndMs, (lastAnchor?.toMs ?? audio.fromMs) + remainingLength * paceMs)
  const timedWords: TimedWord[] = []
  let position = { word: 0, ms: audio.fromMs }
  for (const { next, fromMs, toMs } of [...anchors, { next: words.length, fromMs: endMs, toMs: endMs }]) {
    timedWords.push(
      ...distributeWords(words, lengths, { from: position.word, to: next, fromMs: position.ms, toMs: fromMs }),
    )
    position = { word: next, ms: toMs }
  }
  return timedWords
}

/** A silence that is aligned with punctuation. */
interface Anchor extends Silence {
  /** Index of the following word. */
  readonly next: number
}

/** Maximum distance between a silence and its punctuation's expected time. */
const MAX_ANCHOR_DISTANCE_MS = 400
const MAX_ANCHOR_DISTANCE_SHARE = 0.35

function findAnchors(punctuation: readonly boolean[], weights: readonly number[], audio: ReceivedAudio): Anchor[] {
  const anchors: Anchor[] = []
  const totalWeight = sumWeights(weights, 0, weights.length)
  const paceMs = audio.isComplete ? (audio.toMs - audio.fromMs) / totalWeight : audio.characterMs
  for (const silence of audio.silences) {
    const previousAnchor = anchors.at(-1)
    const start = previousAnchor?.next ?? 0
    const startMs = previousAnchor?.toMs ?? audio.fromMs
    let bestMatch: { readonly next: number; readonly distanceMs: number } | null = null
    let passedWeight = 0
    for (let index = start; index < punctuation.length - 1; index += 1) {
      passedWeight += weights[index] ?? 0
      if (punctuation[index] !== true) continue
      const distanceMs = Math.abs(startMs + passedWeight * paceMs - silence.toMs)
      if (bestMatch === null || distanceMs < bestMatch.distanceMs) bestMatch = { next: index + 1, distanceMs }
    }
    const toleranceMs = Math.max(MAX_ANCHOR_DISTANCE_MS, (silence.toMs - startMs) * MAX_ANCHOR_DISTANCE_SHARE)
    if (bestMatch !== null && bestMatch.distanceMs <= toleranceMs) anchors.push({ ...silence, next: bestMatch.next })
  }
  return anchors
}

/** Estimates the pace from the received part of the audio, weighted against the pace of earlier speech. */
function estimatePace(
  weights: readonly number[],
  anchors: readonly Anchor[],
  { fromMs, characterMs }: ReceivedAudio,
): number {
  const lastAnchor = anchors.at(-1)
  if (lastAnchor === undefined) return characterMs
  const knownLength = sumWeights(weights, 0, lastAnchor.next)
  return (characterMs * PRIOR_CHARACTERS + (lastAnchor.toMs - fromMs)) / (PRIOR_CHARACTERS + knownLength)
}

/** Weight of the previous pace, in characters. */
const PRIOR_CHARACTERS = 15

interface WordRange {
  readonly from: number
  readonly to: number
  readonly fromMs: number
  readonly toMs: number
}

function distributeWords(
  words: readonly string[],
  weights: readonly number[],
  { from, to, fromMs, toMs }: WordRange,
): TimedWord[] {
  // The punctuation's weight already covers the lengthening before a pause.
  const totalWeight = sumWeights(weights, from, to)
  let passedWeight = 0
  return words.slice(from, to).map((word, index) => {
    const startMs = fromMs + ((toMs - fromMs) * passedWeight) / totalWeight
    passedWeight += weights[from + index] ?? 0
    // Rounding must not move the last word past the end of the audio.
    const endMs = from + index === to - 1 ? toMs : fromMs + ((toMs - fromMs) * passedWeight) / totalWeight
    return { text: stripDash(word), startMs, endMs }
  })
}

function sumWeights(weights: readonly number[], from = 0, to = weights.length): number {
  let sum = 0
  for (let index = from; index < to; index += 1) sum += weights[index] ?? 0
  return sum
}

/** Computes a text's duration in characters, including pauses and final lengthening. */
export function computeSpokenLength(text: string): number {
  const words = splitWords(text)
  return words.reduce((sum, word, index) => sum + getLengthInText(weighWord(word.text), index === words.length - 1), 0)
}

/** Returns the prefix of a text that covers its first `heardCount` timed words. */
export function getHeardPrefix(text: string, words: readonly TimedWord[], heardCount: number): string {
  if (heardCount === 0) return ''
  const writtenWords = splitWords(text)
  if (writtenWords.length === words.length) return text.slice(0, writtenWords[heardCount - 1]?.end).trim()
  return words
    .slice(0, heardCount)
    .map((word) => word.text.trim())
    .filter((word) => word !== '')
    .join(' ')
}

/** Counts the words that end at or before a position. */
export function countHeardWords(words: readonly TimedWord[], positionMs: number): number {
  let count = 0
  for (const word of words) {
    if (word.endMs > positionMs) break
    count += 1
  }
  return count
}

/** Returns the start of the word that a position interrupts, or the position itself if it is between words. */
export function findInterruptedWordStart(words: readonly TimedWord[], positionMs: number): number {
  for (const word of words) {
    if (word.startMs >= positionMs) break
    if (word.endMs > positionMs) return word.startMs
  }
  return positionMs
}

/** A word with its punctuation and its end in the text. */
interface WrittenWord {
  readonly text: string
  readonly end: number
}

/** Matches words. Each character of scripts without spaces counts as a word, as in the history. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][^\p{L}\p{N}\s]*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu

/** Splits a text into words. A standalone dash is not spoken and belongs to the preceding word. */
export function splitWords(text: string): WrittenWord[] {
  const words: WrittenWord[] = []
  for (const { 0: token, index } of text.matchAll(WORD)) {
    const end = index + token.length
    const lastWord = words.at(-1)
    if (lastWord === undefined || /[\p{L}\p{N}]/u.test(token)) words.push({ text: token, end })
    else words[words.length - 1] = { text: text.slice(lastWord.end - lastWord.text.length, end), end }
  }
  return words
}

/** Removes a standalone dash from a word of `splitWords`. */
export function stripDash(word: string): string {
  return word.split(/\s/, 1)[0] ?? word
}

export interface Silence {
  readonly fromMs: number
  readonly toMs: number
}

interface ReceivedAudio {
  readonly fromMs: number
  readonly toMs: number
  /** Whether the audio ends at `toMs`. */
  readonly isComplete: boolean
  readonly silences: readonly Silence[]
  /** A character's average duration in this voice, for audio that has not arrived. */
  readonly characterMs: number
  /** The envelope, or `null` if only the silences are available. */
  readonly envelope: Pick<AudioEnvelope, 'voice' | 'hiss'> | null
}

/** Minimum number of steps and peaks for a conclusive result. */
const MIN_STEPS = 20
const MIN_PEAKS = 3
/** Limits of peaks per written syllable and of steps per peak. Beyond them, the audio does not match the text. */
const MIN_SYLLABLE_RATIO = 0.6
const MAX_SYLLABLE_RATIO = 1.5
const MAX_SYLLABLE_STEPS = 60
/** Weight of the previous pace, in letters. */
const PRIOR_LETTERS = 150

/** Estimates word times by the audio envelope. Returns `null` if there is no envelope or it does not match the text. */
function estimateFromEnvelope(
  texts: readonly string[],
  { words, lengths }: { readonly words: readonly SpokenWeight[]; readonly lengths: readonly number[] },
  audio: ReceivedAudio,
): TimedWord[] | null {
  const { envelope, isComplete, fromMs, toMs, characterMs } = audio
  if (envelope === null) return null
  const from = Math.floor(fromMs / STEP_MS)
  const to = Math.min(envelope.voice.length, Math.ceil(toMs / STEP_MS))
  const writtenSyllables = words.reduce((sum, { syllables }) => sum + syllables, 0)
  if (to - from < MIN_STEPS || writtenSyllables === 0) return null
  const cues = extractCues(envelope)
  const heardPeaks = (cues.syllables[to] ?? 0) - (cues.syllables[from] ?? 0)
  const spokenSteps = countSpokenSteps(cues, from, to)
  const minPeaks = Math.max(
    MIN_PEAKS,
    isComplete ? writtenSyllables * MIN_SYLLABLE_RATIO : spokenSteps / MAX_SYLLABLE_STEPS,
  )
  if (heardPeaks < minPeaks || (isComplete && heardPeaks > writtenSyllables * MAX_SYLLABLE_RATIO)) return null
  let pace = isComplete ? spokenSteps / sumWeights(lengths) : characterMs / STEP_MS
  let alignment: AlignedWords | null = null
  // Repeat with the measured pace, which is more accurate than the pace of earlier speech.
  for (let round = 0; round < (isComplete ? 1 : 2); round += 1) {
    alignment = alignWords(words, cues, { from, to, isComplete, pace })
    const lastEnd = alignment?.ends.at(-1)
    if (alignment === null || lastEnd === undefined) break
    const alignedLength = sumWeights(lengths.slice(0, alignment.ends.length))
    pace = (pace * PRIOR_LETTERS + countSpokenSteps(cues, from, lastEnd.end)) / (PRIOR_LETTERS + alignedLength)
  }
  return alignment === null ? null : timeWords(texts, lengths, { alignment, audio, letterMs: pace * STEP_MS })
}

function timeWords(
  texts: readonly string[],
  lengths: readonly number[],
  { alignment, audio, letterMs }: { alignment: AlignedWords; audio: ReceivedAudio; letterMs: number },
): TimedWord[] {
  let startMs = audio.fromMs
  return texts.map((text, index) => {
    const alignedEnd = alignment.ends[index]
    const continuedEndMs = startMs + (lengths[index] ?? 0) * letterMs
    // An unfinished word lasts at least until the end of the received audio.
    const unfinishedEndMs = index === alignment.ends.length ? Math.max(audio.toMs, continuedEndMs) : continuedEndMs
    const isLast = audio.isComplete && index === texts.length - 1
    const endMs = isLast ? audio.toMs : alignedEnd === undefined ? unfinishedEndMs : alignedEnd.end * STEP_MS
    const word = { text, startMs, endMs }
    startMs = alignedEnd === undefined ? endMs : alignedEnd.next * STEP_MS
    return word
  })
}

/** Counts the steps outside of pauses. */
function countSpokenSteps({ quiet }: AudioCues, from: number, to: number): number {
  let silentSteps = 0
  for (let step = from + 1; step <= to; step += 1) {
    const quietSteps = quiet[step] ?? 0
    if (quietSteps === PAUSE_STEPS) silentSteps += PAUSE_STEPS
    else if (quietSteps > PAUSE_STEPS) silentSteps += 1
  }
  return to - from - silentSteps
}
