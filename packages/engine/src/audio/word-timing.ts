import type { TimedWord } from '../voice/ports.ts'
import { estimateFromEnvelope } from './envelope-word-timing.ts'
import type { KnownAudio, Silence } from './known-audio.ts'
import { lengthInText, weighWord } from './spoken-weight.ts'

/**
 * When the words of a text are spoken, where the voice does not tell: by what is heard of their syllables and hisses. Where that
 * tells nothing, silence stands where the text has a mark, and between them time goes by in proportion to letters and vowels.
 */
export function estimateWords(text: string, audio: KnownAudio): TimedWord[] {
  const words = splitWords(text).map((word) => word.text)
  const weighed = words.map(weighWord)
  const weights = weighed.map((weight, index) => lengthInText(weight, index === words.length - 1))
  const envelopeEstimate = estimateFromEnvelope(words.map(stripDash), { words: weighed, lengths: weights }, audio)
  if (envelopeEstimate !== null) return envelopeEstimate
  const punctuation = weighed.map(({ hasPunctuation }) => hasPunctuation)
  const anchors = findAnchors(punctuation, weights, audio)
  const last = anchors.at(-1)
  const rest = sumOf(weights, last?.next ?? 0, words.length)
  const knownEndMs = audio.toMs
  const paceMs = estimatePace(weights, anchors, audio)
  const endMs = audio.isComplete ? knownEndMs : Math.max(knownEndMs, (last?.toMs ?? audio.fromMs) + rest * paceMs)
  const timed: TimedWord[] = []
  let from = { word: 0, ms: audio.fromMs }
  for (const { next, fromMs, toMs } of [...anchors, { next: words.length, fromMs: endMs, toMs: endMs }]) {
    timed.push(...spread(words, weights, { from: from.word, to: next, fromMs: from.ms, toMs: fromMs }))
    from = { word: next, ms: toMs }
  }
  return timed
}

/** A silence that stands for a mark in the text. */
interface Anchor extends Silence {
  /** The word behind it. */
  readonly next: number
}

/** A mark counts as that of a silence when it is expected no further away, by the clock and by the time since the one before. */
const MAX_ANCHOR_DISTANCE_MS = 400
const MAX_ANCHOR_DISTANCE_SHARE = 0.35

/** `marks`: behind which words one stands. */
function findAnchors(punctuation: readonly boolean[], weights: readonly number[], audio: KnownAudio): Anchor[] {
  const anchors: Anchor[] = []
  const total = sumOf(weights, 0, weights.length)
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

/** The part of this text that is known tells more of its pace than what was said before. */
function estimatePace(
  weights: readonly number[],
  anchors: readonly Anchor[],
  { fromMs, characterMs }: KnownAudio,
): number {
  const last = anchors.at(-1)
  if (last === undefined) return characterMs
  const knownLength = sumOf(weights, 0, last.next)
  return (characterMs * PRIOR_CHARACTERS + (last.toMs - fromMs)) / (PRIOR_CHARACTERS + knownLength)
}

/** The pace so far stands for so many characters beside those that are known of the text. */
const PRIOR_CHARACTERS = 15

interface Stretch {
  readonly from: number
  readonly to: number
  readonly fromMs: number
  readonly toMs: number
}

function spread(
  words: readonly string[],
  weights: readonly number[],
  { from, to, fromMs, toMs }: Stretch,
): TimedWord[] {
  // What is drawn out before the silence of a mark is about as long as the mark was taken for.
  const total = sumOf(weights, from, to)
  let passed = 0
  return words.slice(from, to).map((word, index) => {
    const startMs = fromMs + ((toMs - fromMs) * passed) / total
    passed += weights[from + index] ?? 0
    // Rounding must not put the end of the last word behind the end of the sound.
    const endMs = from + index === to - 1 ? toMs : fromMs + ((toMs - fromMs) * passed) / total
    return { text: stripDash(word), startMs, endMs }
  })
}

function sumOf(weights: readonly number[], from: number, to: number): number {
  let sum = 0
  for (let index = from; index < to; index += 1) sum += weights[index] ?? 0
  return sum
}

/** How long a text takes to speak, in characters: pauses and the drawn out end make short texts longer than they look. */
export function spokenLength(text: string): number {
  const words = splitWords(text)
  return words.reduce((sum, word, index) => sum + lengthInText(weighWord(word.text), index === words.length - 1), 0)
}

/** The beginning of a text that was heard when so many of its timed words were. */
export function textOfWords(text: string, words: readonly TimedWord[], heardCount: number): string {
  if (heardCount === 0) return ''
  const written = splitWords(text)
  if (written.length === words.length) return text.slice(0, written[heardCount - 1]?.end).trim()
  return words
    .slice(0, heardCount)
    .map((word) => word.text.trim())
    .filter((word) => word !== '')
    .join(' ')
}

/** How many words end at or before a moment. */
export function countHeard(words: readonly TimedWord[], positionMs: number): number {
  let count = 0
  for (const word of words) {
    if (word.endMs > positionMs) break
    count += 1
  }
  return count
}

/** The beginning of the word that a moment cuts in two; the moment itself where it cuts none. */
export function findCutWordStart(words: readonly TimedWord[], positionMs: number): number {
  for (const word of words) {
    if (word.startMs >= positionMs) break
    if (word.endMs > positionMs) return word.startMs
  }
  return positionMs
}

/** A word as it is written, with its marks, and where it ends. */
interface WrittenWord {
  readonly text: string
  readonly end: number
}

/** Characters of scripts without spaces are words of their own, as for the history. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][^\p{L}\p{N}\s]*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu

/** A dash that stands alone is nothing that is spoken: it belongs to the word before it. */
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
