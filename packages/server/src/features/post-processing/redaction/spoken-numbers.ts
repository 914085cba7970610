import type { PersonalRange } from './word-patterns.ts'

/** Spoken numbers as transcribers write them, one table per language. */

interface NumberWords {
  /** Digits of each word. Ordinals keep a suffix that marks them as days of a month. */
  readonly digits: ReadonlyMap<string, string>
  /** Tens that a unit may follow: "forty seven". */
  readonly tens: ReadonlyMap<string, number>
  /** Words that double or triple the next digit. */
  readonly repeats: ReadonlyMap<string, number>
  /** Minimum number of consecutive words that count as a number. */
  readonly minWords: number
}

const toDigitEntries = (words: string): [string, string][] =>
  words
    .split(' ')
    .flatMap((alternatives, digit) => alternatives.split('/').map((word): [string, string] => [word, String(digit)]))

const ENGLISH_TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const ENGLISH_TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'
const ENGLISH_ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'
const ENGLISH: NumberWords = {
  digits: new Map([
    ...toDigitEntries('zero/oh/o/nought one two three four five six seven eight nine'),
    ...ENGLISH_TEENS.split(' ').map((word, index): [string, string] => [word, String(10 + index)]),
    ...ENGLISH_ORDINALS.split(' ').map((word, index): [string, string] => [word, `${index + 1}th`]),
    ['thirtieth', '30th'],
  ]),
  tens: new Map(ENGLISH_TENS.split(' ').map((word, index) => [word, 20 + index * 10])),
  repeats: new Map([
    ['double', 2],
    ['triple', 3],
  ]),
  minWords: 1,
}

const GERMAN_UNITS = ['', 'ein', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun']
const GERMAN_TENS = ['zwanzig', 'dreißig', 'vierzig', 'fünfzig', 'sechzig', 'siebzig', 'achtzig', 'neunzig']
const GERMAN_TEENS = 'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(' ')

/** Lists the numbers from 10 to 99, which German writes as one word. */
function listGermanPairs(): [string, string][] {
  const teens = GERMAN_TEENS.map((word, index): [string, string] => [word, String(10 + index)])
  const compoundTens = GERMAN_TENS.flatMap((tens, index) =>
    GERMAN_UNITS.map((unit, digit): [string, string] => {
      return [unit === '' ? tens : `${unit}und${tens}`, String(20 + index * 10 + digit)]
    }),
  )
  return [...teens, ...compoundTens]
}

/** Lists the birth years of living people and the inflected days of the month. */
function listGermanDates(): [string, string][] {
  const pairs: [string, string][] = [
    ...GERMAN_UNITS.slice(1).map((word, index): [string, string] => [index === 0 ? 'eins' : word, `0${index + 1}`]),
    ...listGermanPairs(),
  ]
  const years = pairs.flatMap(([word, digits]): [string, string][] => [
    [`neunzehnhundert${word}`, `19${digits}`],
    [`zweitausend${word}`, `20${digits}`],
    [`zweitausendund${word}`, `20${digits}`],
  ])
  const irregular = ['ers', 'zwei', 'drit', 'vier', 'fünf', 'sechs', 'sieb', 'ach', 'neun', 'zehn', 'elf', 'zwölf']
  const days = [...irregular, ...GERMAN_TEENS.slice(3)].map((word, index): [string, number] => [`${word}te`, index + 1])
  const late = listGermanPairs()
    .filter(([, digits]) => Number(digits) >= 20 && Number(digits) <= 31)
    .map(([word, digits]): [string, number] => [`${word}ste`, Number(digits)])
  const ordinals = [...days, ...late].flatMap(([word, day]) =>
    [word, `${word}n`, `${word}r`].map((form): [string, string] => [form, `${day}.`]),
  )
  return [['zweitausend', '2000'], ['neunzehnhundert', '1900'], ...years, ...ordinals]
}

const GERMAN: NumberWords = {
  digits: new Map([
    ...toDigitEntries('null eins zwei/zwo drei vier fünf sechs sieben acht neun'),
    ...listGermanPairs(),
    ...listGermanDates(),
  ]),
  tens: new Map(),
  repeats: new Map([
    ['doppel', 2],
    ['zweimal', 2],
    ['dreimal', 3],
  ]),
  minWords: 1,
}

/** Builds the table of a language that supports only single digits. */
const singleDigits = (words: string): NumberWords => ({
  digits: new Map(toDigitEntries(words)),
  tens: new Map(),
  repeats: new Map([
    ['double', 2],
    ['doble', 2],
    ['doppio', 2],
    ['dubbel', 2],
  ]),
  minWords: 4,
})

const NUMBER_WORDS: readonly NumberWords[] = [
  ENGLISH,
  GERMAN,
  singleDigits('zéro un/une deux trois quatre cinq six sept huit neuf'),
  singleDigits('cero uno/una dos tres cuatro cinco seis siete ocho nueve'),
  singleDigits('zero uno due tre quattro cinque sei sette otto nove'),
  singleDigits('nul een/één twee drie vier vijf zes zeven acht negen'),
]

/** A text with its numbers in digits, and a mapping back to the original text. */
interface DigitizedText {
  readonly text: string
  /** Maps a range of `text` to the original text. */
  readonly original: (range: PersonalRange) => PersonalRange
}

interface Word {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A spoken number converted to digits. */
interface SpokenNumber {
  readonly start: number
  readonly end: number
  readonly digits: string
}

interface Run {
  readonly numbers: readonly SpokenNumber[]
  /** Index of the first word after the number. */
  readonly next: number
  /** Number of words. */
  readonly spoken: number
}

interface MappedNumber extends SpokenNumber {
  readonly digitizedStart: number
  readonly digitizedEnd: number
}

const WORD = /[\p{L}\p{M}]+|\d+/gu
/** Separators between words of one number. */
const GAP = /^[ \u00a0,.\-–]{1,3}$/
/** Words for separators between digits, and fillers. */
const SIGN_WORD = /^(?:dash|hyphen|minus|strich|bindestrich|tiret|guion|guión|trattino|streepje|u[hm]+|ähm?|euh|eh)$/
const VAGUE_WORD = /^(?:o|oh)$/
const MAX_WORDS = 40
const MIN_AFTER_PLUS = 4

/** Converts spoken numbers to digits and joins the parts of each number. Returns null if there are no numbers. */
export function digitizeNumbers(text: string): DigitizedText | null {
  const words = [...text.matchAll(WORD)].map(({ index, 0: word }) => {
    return { start: index, end: index + word.length, text: word.toLowerCase() }
  })
  if (!words.some(({ text: word }) => NUMBER_WORDS.some(({ digits }) => digits.has(word)))) return null
  const mappedNumbers: MappedNumber[] = []
  let digitText = ''
  let position = 0
  for (let first = 0; first < words.length; ) {
    const run = findNumberRun(text, words, first)
    const isCounting = run !== null && isCountingUp(run.numbers)
    for (const [index, numbers] of run !== null && run.spoken > 0 ? run.numbers.entries() : []) {
      if (index === 0 || isCounting) digitText += text.slice(position, numbers.start)
      const digitizedStart = digitText.length
      digitText += numbers.digits
      mappedNumbers.push({ ...numbers, digitizedStart, digitizedEnd: digitText.length })
      position = numbers.end
    }
    first = run?.next ?? first + 1
  }
  if (mappedNumbers.length === 0) return null
  return { text: digitText + text.slice(position), original: (range) => toOriginalRange(mappedNumbers, range) }
}

/** Finds the longest run in any language. The word "plus" before the run becomes a plus sign. */
function findNumberRun(text: string, words: readonly Word[], first: number): Run | null {
  const plus = words[first]?.text === 'plus' ? words[first] : undefined
  let longest: Run | null = null
  for (const language of NUMBER_WORDS) {
    const run = readNumberRun(language, { text, words, first: plus === undefined ? first : first + 1 })
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

/** Reads the number words of a language from a position. Returns null if there are too few. */
function readNumberRun(language: NumberWords, { text, words, first }: ScanPosition): Run | null {
  const numbers: SpokenNumber[] = []
  let spoken = 0
  let isVague = false
  let next = first
  for (let index = first; index < words.length && index - first < MAX_WORDS; ) {
    const word = words[index]
    const previousWord = words[index - 1]
    if (word === undefined) break
    if (index > first && previousWord !== undefined && !GAP.test(text.slice(previousWord.end, word.start))) break
    const match = readNumberAt(language, words, index)
    if (match === null && numbers.length > 0 && SIGN_WORD.test(word.text)) {
      index += 1
      continue
    }
    // A day of a month is a separate number.
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

/** Reads one number at a position and its word count: "five", "forty seven", "double zero". */
function readNumberAt(
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
    // For example, "twenty fourth".
    if (/^[1-9]th$/.test(following)) return { digits: `${ten + Number(following[0])}th`, count: 2 }
    return { digits: String(ten), count: 1 }
  }
  const wordDigits = /^\d/.test(word) ? word : digits.get(word)
  return wordDigits === undefined ? null : { digits: wordDigits, count: 1 }
}

/** Whether the numbers count up. "Eight, nine, ten, eleven" is a list. */
function isCountingUp(numbers: readonly SpokenNumber[]): boolean {
  return (
    numbers.length >= 4 &&
    Number(numbers.at(-1)?.digits) >= 10 &&
    numbers.every(({ digits }, index) => index === 0 || Number(digits) === Number(numbers[index - 1]?.digits) + 1)
  )
}

function toOriginalRange(
  mappedNumbers: readonly MappedNumber[],
  { start, end, category }: PersonalRange,
): PersonalRange {
  const firstNumber = findLastAtOrBefore(mappedNumbers, start)
  const lastNumber = findLastAtOrBefore(mappedNumbers, end - 1)
  return {
    category,
    start:
      firstNumber === undefined
        ? start
        : start < firstNumber.digitizedEnd
          ? firstNumber.start
          : start - firstNumber.digitizedEnd + firstNumber.end,
    end:
      lastNumber === undefined
        ? end
        : end <= lastNumber.digitizedEnd
          ? lastNumber.end
          : end - lastNumber.digitizedEnd + lastNumber.end,
  }
}

/** Finds the last mapped number that starts at or before an offset. */
function findLastAtOrBefore(mappedNumbers: readonly MappedNumber[], offset: number): MappedNumber | undefined {
  let low = 0
  let high = mappedNumbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((mappedNumbers[middle]?.digitizedStart ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return mappedNumbers[low - 1]
}
