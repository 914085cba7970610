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

/**
 * Estimates word times by syllables and hisses. If that fails, estimates them by pauses at punctuation and letter counts
 * between the pauses.
 */
export function estimateWords(text: string, audio: KnownAudio): TimedWord[] {
  const words = splitWords(text).map((word) => word.text)
  const weighed = words.map(weighWord)
  const weights = weighed.map((weight, index) => getLengthInText(weight, index === words.length - 1))
  const envelopeEstimate = estimateFromEnvelope(words.map(stripDash), { words: weighed, lengths: weights }, audio)
  if (envelopeEstimate !== null) return envelopeEstimate
  const punctuation = weighed.map(({ hasPunctuation }) => hasPunctuation)
  const anchors = findAnchors(punctuation, weights, audio)
  const last = anchors.at(-1)
  const rest = sumWeights(weights, last?.next ?? 0, words.length)
  const knownEndMs = audio.toMs
  const paceMs = estimatePace(weights, anchors, audio)
  const endMs = audio.isComplete ? knownEndMs : Math.max(knownEndMs, (last?.toMs ?? audio.fromMs) + rest * paceMs)
  const timed: TimedWord[] = []
  let from = { word: 0, ms: audio.fromMs }
  for (const { next, fromMs, toMs } of [...anchors, { next: words.length, fromMs: endMs, toMs: endMs }]) {
    timed.push(...spreadWords(words, weights, { from: from.word, to: next, fromMs: from.ms, toMs: fromMs }))
    from = { word: next, ms: toMs }
  }
  return timed
}

/** A silence that is aligned with punctuation. */
interface Anchor extends Silence {
  /** Index of the following word. */
  readonly next: number
}

/** Maximum distance between a silence and its punctuation's expected time. */
const MAX_ANCHOR_DISTANCE_MS = 400
const MAX_ANCHOR_DISTANCE_SHARE = 0.35

function findAnchors(punctuation: readonly boolean[], weights: readonly number[], audio: KnownAudio): Anchor[] {
  const anchors: Anchor[] = []
  const total = sumWeights(weights, 0, weights.length)
  const paceMs = audio.isComplete ? (audio.toMs - audio.fromMs) / total : audio.characterMs
  for (const silence of audio.silences) {
    const before = anchors.at(-1)
    const start = before?.next ?? 0
    const startMs = before?.toMs ?? audio.fromMs
    let best: { readonly next: number; readonly distanceMs: number } | null = null
    let passed = 0
    for (let index = start; index < punctuation.length - 1; index += 1) {
      passed += weights[index] ?? 0
      if (punctuation[index] !== true) continue
      const distanceMs = Math.abs(startMs + passed * paceMs - silence.toMs)
      if (best === null || distanceMs < best.distanceMs) best = { next: index + 1, distanceMs }
    }
    const toleranceMs = Math.max(MAX_ANCHOR_DISTANCE_MS, (silence.toMs - startMs) * MAX_ANCHOR_DISTANCE_SHARE)
    if (best !== null && best.distanceMs <= toleranceMs) anchors.push({ ...silence, next: best.next })
  }
  return anchors
}

/** Estimates the pace. The known part of this text is a better basis than earlier speech. */
function estimatePace(
  weights: readonly number[],
  anchors: readonly Anchor[],
  { fromMs, characterMs }: KnownAudio,
): number {
  const last = anchors.at(-1)
  if (last === undefined) return characterMs
  const knownLength = sumWeights(weights, 0, last.next)
  return (characterMs * PRIOR_CHARACTERS + (last.toMs - fromMs)) / (PRIOR_CHARACTERS + knownLength)
}

/** Weight of the previous pace, in characters. */
const PRIOR_CHARACTERS = 15

interface Stretch {
  readonly from: number
  readonly to: number
  readonly fromMs: number
  readonly toMs: number
}

function spreadWords(
  words: readonly string[],
  weights: readonly number[],
  { from, to, fromMs, toMs }: Stretch,
): TimedWord[] {
  // Lengthening before a pause takes about as long as the punctuation weight.
  const total = sumWeights(weights, from, to)
  let passed = 0
  return words.slice(from, to).map((word, index) => {
    const startMs = fromMs + ((toMs - fromMs) * passed) / total
    passed += weights[from + index] ?? 0
    // Rounding must not move the last word past the end of the audio.
    const endMs = from + index === to - 1 ? toMs : fromMs + ((toMs - fromMs) * passed) / total
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
export function getTextOfWords(text: string, words: readonly TimedWord[], heardCount: number): string {
  if (heardCount === 0) return ''
  const written = splitWords(text)
  if (written.length === words.length) return text.slice(0, written[heardCount - 1]?.end).trim()
  return words
    .slice(0, heardCount)
    .map((word) => word.text.trim())
    .filter((word) => word !== '')
    .join(' ')
}

/** Counts the words that end at or before a position. */
export function countHeard(words: readonly TimedWord[], positionMs: number): number {
  let count = 0
  for (const word of words) {
    if (word.endMs > positionMs) break
    count += 1
  }
  return count
}

/** Returns the start of the word that a position interrupts, or the position itself if it is between words. */
export function findCutWordStart(words: readonly TimedWord[], positionMs: number): number {
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

/** Characters of scripts without spaces count as words, as in the history. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][^\p{L}\p{N}\s]*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu

/** Splits a text into words. A standalone dash is not spoken and belongs to the preceding word. */
function splitWords(text: string): WrittenWord[] {
  const words: WrittenWord[] = []
  for (const { 0: part, index } of text.matchAll(WORD)) {
    const end = index + part.length
    const last = words.at(-1)
    if (last === undefined || /[\p{L}\p{N}]/u.test(part)) words.push({ text: part, end })
    else words[words.length - 1] = { text: text.slice(last.end - last.text.length, end), end }
  }
  return words
}

function stripDash(word: string): string {
  return word.split(/\s/, 1)[0] ?? word
}

/** A silence between two sounds. */
export interface Silence {
  readonly fromMs: number
  readonly toMs: number
}

/** The known facts about a text's audio. */
interface KnownAudio {
  readonly fromMs: number
  readonly toMs: number
  /** Whether the audio ends at `toMs`. */
  readonly isComplete: boolean
  readonly silences: readonly Silence[]
  /** A character's average duration in this voice, for audio that has not arrived. */
  readonly characterMs: number
  /** The envelope, or `null` if only the silences are known. */
  readonly envelope: Pick<AudioEnvelope, 'voice' | 'hiss'> | null
}

/** Minimum length and number of peaks for a conclusive result. */
const MIN_STEPS = 20
const MIN_PEAKS = 3
/** Limits on peaks per written syllable and on steps without a peak. Beyond these limits, the audio does not match the text. */
const MIN_SYLLABLE_RATIO = 0.6
const MAX_SYLLABLE_RATIO = 1.5
const MAX_SYLLABLE_STEPS = 60
/** Weight of the previous pace, in letters. */
const PRIOR_LETTERS = 150

/** Estimates word times by the audio envelope. Returns `null` if there is no envelope or it does not match the text. */
function estimateFromEnvelope(
  texts: readonly string[],
  { words, lengths }: { readonly words: readonly SpokenWeight[]; readonly lengths: readonly number[] },
  audio: KnownAudio,
): TimedWord[] | null {
  const { envelope, isComplete, fromMs, toMs, characterMs } = audio
  if (envelope === null) return null
  const from = Math.floor(fromMs / STEP_MS)
  const to = Math.min(envelope.voice.length, Math.ceil(toMs / STEP_MS))
  const written = words.reduce((sum, { syllables }) => sum + syllables, 0)
  if (to - from < MIN_STEPS || written === 0) return null
  const cues = extractCues(envelope)
  const heardPeaks = (cues.syllables[to] ?? 0) - (cues.syllables[from] ?? 0)
  const spoken = countSpokenSteps(cues, from, to)
  const minPeaks = Math.max(MIN_PEAKS, isComplete ? written * MIN_SYLLABLE_RATIO : spoken / MAX_SYLLABLE_STEPS)
  if (heardPeaks < minPeaks || (isComplete && heardPeaks > written * MAX_SYLLABLE_RATIO)) return null
  let pace = isComplete ? spoken / sumWeights(lengths) : characterMs / STEP_MS
  let aligned: AlignedWords | null = null
  // The known part of this text is a better basis for the pace than earlier speech.
  for (let round = 0; round < (isComplete ? 1 : 2); round += 1) {
    aligned = alignWords(words, cues, { from, to, isComplete, pace })
    const last = aligned?.ends.at(-1)
    if (aligned === null || last === undefined) break
    const known = sumWeights(lengths.slice(0, aligned.ends.length))
    pace = (pace * PRIOR_LETTERS + countSpokenSteps(cues, from, last.end)) / (PRIOR_LETTERS + known)
  }
  return aligned === null ? null : timeWords(texts, lengths, { aligned, audio, letterMs: pace * STEP_MS })
}

function timeWords(
  texts: readonly string[],
  lengths: readonly number[],
  { aligned, audio, letterMs }: { aligned: AlignedWords; audio: KnownAudio; letterMs: number },
): TimedWord[] {
  let startMs = audio.fromMs
  return texts.map((text, index) => {
    const known = aligned.ends[index]
    const continuedEndMs = startMs + (lengths[index] ?? 0) * letterMs
    // A word without a known end lasts at least as long as the audio.
    const unfinishedEndMs = index === aligned.ends.length ? Math.max(audio.toMs, continuedEndMs) : continuedEndMs
    const isLast = audio.isComplete && index === texts.length - 1
    const endMs = isLast ? audio.toMs : known === undefined ? unfinishedEndMs : known.end * STEP_MS
    const word = { text, startMs, endMs }
    startMs = known === undefined ? endMs : known.next * STEP_MS
    return word
  })
}

/** Counts the steps without pauses. */
function countSpokenSteps({ quiet }: AudioCues, from: number, to: number): number {
  let silent = 0
  for (let step = from + 1; step <= to; step += 1) {
    const soFar = quiet[step] ?? 0
    if (soFar === PAUSE_STEPS) silent += PAUSE_STEPS
    else if (soFar > PAUSE_STEPS) silent += 1
  }
  return to - from - silent
}
