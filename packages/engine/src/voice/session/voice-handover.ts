import { splitWords } from '../../audio/word-timing.ts'
import type { TimedWord } from '../ports.ts'

/** The speech of a voice that failed. Times count from the start of its audio. */
export interface BrokenSpeech {
  readonly synthesizedMs: number
  /** Audio that the caller hears in any case, because it was sent. */
  readonly sentMs: number
  /** Words whose times are known. */
  readonly words: readonly TimedWord[]
  /** Speaking rate, where 1 is a voice's own speed. */
  readonly speed: number
}

/** Where the next voice continues. */
export interface VoiceHandover {
  /** Text for the next voice, which starts with a whole word. */
  readonly remainingText: string
  /** Audio of the failed voice that is played. The rest is withdrawn. */
  readonly keptMs: number
  /** Words in this audio. */
  readonly keptWords: readonly TimedWord[]
}

/** Duration of a character at normal speed, for voices without word times. */
const CHARACTER_MS = 65

/** Punctuation belongs to the preceding word. A character of a script without spaces is the next word. */
const REST_OF_WORD = /^[\S--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]*/v

/** A word with its times and its range in the text. */
interface PlacedWord extends TimedWord {
  readonly from: number
  readonly to: number
}

/**
 * Finds where the next voice continues. An unfinished word is withdrawn and spoken again if the caller has not heard any of it.
 * Otherwise it is repeated only if less than half of it was synthesized.
 */
export function findHandover(text: string, speech: BrokenSpeech): VoiceHandover {
  const { synthesizedMs, sentMs } = speech
  if (synthesizedMs <= 0) return { remainingText: text, keptMs: 0, keptWords: [] }
  const words = placeWords(text, speech)
  const brokenIndex = words.findIndex(({ endMs }) => endMs > synthesizedMs)
  const broken = words[brokenIndex]
  if (broken === undefined) return { remainingText: '', keptMs: synthesizedMs, keptWords: words.map(toTimedWord) }
  const isWithdrawn = broken.startMs >= sentMs
  const isSpoken = !isWithdrawn && (broken.startMs + broken.endMs) / 2 <= synthesizedMs
  const keptCount = isSpoken ? brokenIndex + 1 : brokenIndex
  return {
    remainingText: text.slice(isSpoken ? broken.to : broken.from).trim(),
    keptMs: isSpoken ? synthesizedMs : Math.min(synthesizedMs, Math.max(sentMs, broken.startMs)),
    keptWords: words.slice(0, keptCount).map((word) => {
      return toTimedWord({ ...word, endMs: Math.min(word.endMs, synthesizedMs) })
    }),
  }
}

/** Distributes the words of a text over its audio in proportion to their length. */
export function spreadWords(text: string, durationMs: number): readonly TimedWord[] {
  const characterMs = durationMs / Math.max(1, text.trim().length + 1)
  return continueWords(text, { from: 0, startMs: 0, characterMs }).map(toTimedWord)
}

function toTimedWord({ text, startMs, endMs }: TimedWord): TimedWord {
  return { text, startMs, endMs }
}

/** Places the timed words in the text. The words after them continue at the same pace. */
function placeWords(text: string, { words, speed }: BrokenSpeech): readonly PlacedWord[] {
  const timedWords = findTimedWords(text, words)
  const lastWord = timedWords.at(-1)
  if (lastWord === undefined) return continueWords(text, { from: 0, startMs: 0, characterMs: CHARACTER_MS / speed })
  const characterMs = lastWord.endMs / lastWord.to
  return [...timedWords, ...continueWords(text, { from: lastWord.to, startMs: lastWord.endMs, characterMs })]
}

function findTimedWords(text: string, words: readonly TimedWord[]): readonly PlacedWord[] {
  const searchedText = text.toLowerCase()
  const placedWords: PlacedWord[] = []
  let offset = 0
  for (const word of words) {
    const from = searchedText.indexOf(word.text.toLowerCase(), offset)
    if (from < 0) continue
    const end = from + word.text.length
    offset = end + (REST_OF_WORD.exec(text.slice(end))?.[0].length ?? 0)
    placedWords.push({ ...word, from, to: offset })
  }
  return placedWords
}

function continueWords(
  text: string,
  { from, startMs, characterMs }: { readonly from: number; readonly startMs: number; readonly characterMs: number },
): readonly PlacedWord[] {
  const rest = text.slice(from)
  let wordStartMs = startMs
  return splitWords(rest).map(({ text: word, end }) => {
    const durationMs = (word.length + 1) * characterMs
    const placedWord = { text: word, startMs: wordStartMs, endMs: wordStartMs + durationMs }
    wordStartMs += durationMs
    return { ...placedWord, from: from + end - word.length, to: from + end }
  })
}
