import type { TimedWord } from '../voice/ports.ts'
import type { KnownSound, Silence } from './known-sound.ts'
import { estimateFromShape } from './shaped-words.ts'
import { lengthInText, weighWord } from './spoken-weight.ts'

/**
 * When the words of a text are spoken, where the voice does not tell: by what is heard of their syllables and hisses. Where that
 * tells nothing, silence stands where the text has a mark, and between them time goes by in proportion to letters and vowels.
 */
export function estimateWords(text: string, sound: KnownSound): TimedWord[] {
  const words = splitWords(text).map((word) => word.text)
  const weighed = words.map(weighWord)
  const weights = weighed.map((weight, index) => lengthInText(weight, index === words.length - 1))
  const shaped = estimateFromShape(words.map(withoutDash), { words: weighed, lengths: weights }, sound)
  if (shaped !== null) return shaped
  const marks = weighed.map(({ hasMark }) => hasMark)
  const anchors = findAnchors(marks, weights, sound)
  const last = anchors.at(-1)
  const rest = sumOf(weights, last?.next ?? 0, words.length)
  const soFarMs = sound.toMs
  const paceMs = paceAfter(weights, anchors, sound)
  const endMs = sound.isComplete ? soFarMs : Math.max(soFarMs, (last?.toMs ?? sound.fromMs) + rest * paceMs)
  const timed: TimedWord[] = []
  let from = { word: 0, ms: sound.fromMs }
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
const NEAR_MS = 400
const NEAR_SHARE = 0.35

/** `marks`: behind which words one stands. */
function findAnchors(marks: readonly boolean[], weights: readonly number[], sound: KnownSound): Anchor[] {
  const anchors: Anchor[] = []
  const total = sumOf(weights, 0, weights.length)
  const paceMs = sound.isComplete ? (sound.toMs - sound.fromMs) / total : sound.characterMs
  for (const silence of sound.silences) {
    const before = anchors.at(-1)
    const start = before?.next ?? 0
    const startMs = before?.toMs ?? sound.fromMs
    let best: { readonly next: number; readonly offMs: number } | null = null
    let passed = 0
    for (let index = start; index < marks.length - 1; index += 1) {
      passed += weights[index] ?? 0
      if (marks[index] !== true) continue
      const offMs = Math.abs(startMs + passed * paceMs - silence.toMs)
      if (best === null || offMs < best.offMs) best = { next: index + 1, offMs }
    }
    const nearMs = Math.max(NEAR_MS, (silence.toMs - startMs) * NEAR_SHARE)
    if (best !== null && best.offMs <= nearMs) anchors.push({ ...silence, next: best.next })
  }
  return anchors
}

/** The part of this text that is known tells more of its pace than what was said before. */
function paceAfter(
  weights: readonly number[],
  anchors: readonly Anchor[],
  { fromMs, characterMs }: KnownSound,
): number {
  const last = anchors.at(-1)
  if (last === undefined) return characterMs
  const known = sumOf(weights, 0, last.next)
  return (characterMs * TRUSTED_CHARACTERS + (last.toMs - fromMs)) / (TRUSTED_CHARACTERS + known)
}

/** The pace so far stands for so many characters beside those that are known of the text. */
const TRUSTED_CHARACTERS = 15

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
    return { text: withoutDash(word), startMs, endMs }
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
export function startOfCutWord(words: readonly TimedWord[], positionMs: number): number {
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

function withoutDash(word: string): string {
  return word.split(/\s/, 1)[0] ?? word
}
