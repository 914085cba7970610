import { NUMBER_WORDS, type NumberWords } from './number-words.ts'
import type { PersonalRange } from './personal-ranges.ts'

/** A text with its numbers in digits, and the way back to where they were said in words. */
export interface DigitizedText {
  readonly text: string
  /** A range of `text` as one of the text that it was made from. */
  readonly original: (range: PersonalRange) => PersonalRange
}

interface Word {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What a part of the text is in digits. */
interface SpokenNumber {
  readonly start: number
  readonly end: number
  readonly digits: string
}

interface Run {
  readonly numbers: readonly SpokenNumber[]
  /** The first word behind it. */
  readonly next: number
  /** How many of it are words. */
  readonly spoken: number
}

interface MappedNumber extends SpokenNumber {
  readonly digitizedStart: number
  readonly digitizedEnd: number
}

const WORD = /[\p{L}\p{M}]+|\d+/gu
/** Between the words of one number. */
const GAP = /^[ \u00a0,.\-–]{1,3}$/
/** What is said for signs between digits, or in search of them. */
const SIGN_WORD = /^(?:dash|hyphen|minus|strich|bindestrich|tiret|guion|guión|trattino|streepje|u[hm]+|ähm?|euh|eh)$/
const VAGUE_WORD = /^(?:o|oh)$/
const MAX_WORDS = 40
const MIN_AFTER_PLUS = 4

/** Writes the numbers that were said in words in digits, those of one number together; `null` when there is none. */
export function digitizeNumbers(text: string): DigitizedText | null {
  const words = [...text.matchAll(WORD)].map(({ index, 0: word }) => {
    return { start: index, end: index + word.length, text: word.toLowerCase() }
  })
  if (!words.some(({ text: word }) => NUMBER_WORDS.some(({ digits }) => digits.has(word)))) return null
  const mappedNumbers: MappedNumber[] = []
  let written = ''
  let position = 0
  for (let first = 0; first < words.length; ) {
    const run = runAt(text, words, first)
    const isCounting = run !== null && isCountingUp(run.numbers)
    for (const [index, numbers] of run !== null && run.spoken > 0 ? run.numbers.entries() : []) {
      if (index === 0 || isCounting) written += text.slice(position, numbers.start)
      const digitizedStart = written.length
      written += numbers.digits
      mappedNumbers.push({ ...numbers, digitizedStart, digitizedEnd: written.length })
      position = numbers.end
    }
    first = run?.next ?? first + 1
  }
  if (mappedNumbers.length === 0) return null
  return { text: written + text.slice(position), original: (range) => originalRange(mappedNumbers, range) }
}

/** The longest run of any language; behind "plus" with a sign in front. */
function runAt(text: string, words: readonly Word[], first: number): Run | null {
  const plus = words[first]?.text === 'plus' ? words[first] : undefined
  let longest: Run | null = null
  for (const language of NUMBER_WORDS) {
    const run = runOf(language, { text, words, first: plus === undefined ? first : first + 1 })
    if (run !== null && run.numbers.length > (longest?.numbers.length ?? 0)) longest = run
  }
  if (plus === undefined || longest === null) return longest
  if (longest.numbers.length < MIN_AFTER_PLUS) return null
  return { ...longest, numbers: [{ start: plus.start, end: plus.end, digits: '+' }, ...longest.numbers] }
}

interface ScanPosition {
  readonly text: string
  readonly words: readonly Word[]
  readonly first: number
}

/** The words from a place on that are numbers in a language; `null` when they are too few to be meant so. */
function runOf(language: NumberWords, { text, words, first }: ScanPosition): Run | null {
  const numbers: SpokenNumber[] = []
  let spoken = 0
  let isVague = false
  let next = first
  for (let index = first; index < words.length && index - first < MAX_WORDS; ) {
    const word = words[index]
    const before = words[index - 1]
    if (word === undefined) break
    if (index > first && before !== undefined && !GAP.test(text.slice(before.end, word.start))) break
    const match = wordsAt(language, words, index)
    if (match === null && numbers.length > 0 && SIGN_WORD.test(word.text)) {
      index += 1
      continue
    }
    // A day of a month stands alone.
    const isDay = match !== null && /\D$/.test(match.digits)
    if (match === null || (isDay && numbers.length > 0)) break
    numbers.push({ start: word.start, end: words[index + match.count - 1]?.end ?? word.end, digits: match.digits })
    if (!/^\d/.test(word.text)) spoken += 1
    isVague ||= VAGUE_WORD.test(word.text)
    index += match.count
    next = index
    if (isDay) break
  }
  if (numbers.length === 0) return null
  return spoken > 0 && spoken < (isVague ? MIN_AFTER_PLUS : language.minWords) ? null : { numbers, next, spoken }
}

/** What one number is at a place, and of how many words: "five", "forty seven", "double zero". */
function wordsAt(
  { digits, tens, repeats }: NumberWords,
  words: readonly Word[],
  index: number,
): { digits: string; count: number } | null {
  const word = words[index]?.text ?? ''
  const following = digits.get(words[index + 1]?.text ?? '') ?? ''
  const isUnit = /^\d$/.test(following)
  const repeat = repeats.get(word)
  if (repeat !== undefined && isUnit) return { digits: following.repeat(repeat), count: 2 }
  const ten = tens.get(word)
  if (ten !== undefined) {
    if (/^[1-9]$/.test(following)) return { digits: String(ten + Number(following)), count: 2 }
    // "twenty fourth"
    if (/^[1-9]th$/.test(following)) return { digits: `${ten + Number(following[0])}th`, count: 2 }
    return { digits: String(ten), count: 1 }
  }
  const own = /^\d/.test(word) ? word : digits.get(word)
  return own === undefined ? null : { digits: own, count: 1 }
}

/** "Eight, nine, ten, eleven" is a list and no number. */
function isCountingUp(numbers: readonly SpokenNumber[]): boolean {
  return (
    numbers.length >= 4 &&
    Number(numbers.at(-1)?.digits) >= 10 &&
    numbers.every(({ digits }, index) => index === 0 || Number(digits) === Number(numbers[index - 1]?.digits) + 1)
  )
}

function originalRange(mappedNumbers: readonly MappedNumber[], { start, end, category }: PersonalRange): PersonalRange {
  const first = lastAtOrBefore(mappedNumbers, start)
  const last = lastAtOrBefore(mappedNumbers, end - 1)
  return {
    category,
    start:
      first === undefined ? start : start < first.digitizedEnd ? first.start : start - first.digitizedEnd + first.end,
    end: last === undefined ? end : end <= last.digitizedEnd ? last.end : end - last.digitizedEnd + last.end,
  }
}

/** The last piece that begins at a place of the written text or before it. */
function lastAtOrBefore(mappedNumbers: readonly MappedNumber[], offset: number): MappedNumber | undefined {
  let low = 0
  let high = mappedNumbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((mappedNumbers[middle]?.digitizedStart ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return mappedNumbers[low - 1]
}
