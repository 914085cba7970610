import type { PersonalRange } from './word-patterns.ts'

/** Spoken numbers of one language, as transcribers write them. */
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

/** Lists the German numbers from 10 to 99, which are written as one word. */
function listGermanTwoDigitNumbers(): [string, string][] {
  const teens = GERMAN_TEENS.map((word, index): [string, string] => [word, String(10 + index)])
  const compoundTens = GERMAN_TENS.flatMap((tens, index) =>
    GERMAN_UNITS.map((unit, digit): [string, string] => {
      return [unit === '' ? tens : `${unit}und${tens}`, String(20 + index * 10 + digit)]
    }),
  )
  return [...teens, ...compoundTens]
}

/** Lists the German words for the years from 1900 on and for the days of the month. */
function listGermanDates(): [string, string][] {
  const twoDigitNumbers: [string, string][] = [
    ...GERMAN_UNITS.slice(1).map((word, index): [string, string] => [index === 0 ? 'eins' : word, `0${index + 1}`]),
    ...listGermanTwoDigitNumbers(),
  ]
  const years = twoDigitNumbers.flatMap(([word, digits]): [string, string][] => [
    [`neunzehnhundert${word}`, `19${digits}`],
    [`zweitausend${word}`, `20${digits}`],
    [`zweitausendund${word}`, `20${digits}`],
  ])
  const irregularStems = ['ers', 'zwei', 'drit', 'vier', 'fünf', 'sechs', 'sieb', 'ach', 'neun', 'zehn', 'elf', 'zwölf']
  const days = [...irregularStems, ...GERMAN_TEENS.slice(3)].map((word, index): [string, number] => [
    `${word}te`,
    index + 1,
  ])
  const laterDays = listGermanTwoDigitNumbers()
    .filter(([, digits]) => Number(digits) >= 20 && Number(digits) <= 31)
    .map(([word, digits]): [string, number] => [`${word}ste`, Number(digits)])
  const ordinals = [...days, ...laterDays].flatMap(([word, day]) =>
    [word, `${word}n`, `${word}r`].map((form): [string, string] => [form, `${day}.`]),
  )
  return [['zweitausend', '2000'], ['neunzehnhundert', '1900'], ...years, ...ordinals]
}

const GERMAN: NumberWords = {
  digits: new Map([
    ...toDigitEntries('null eins zwei/zwo drei vier fünf sechs sieben acht neun'),
    ...listGermanTwoDigitNumbers(),
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

/** Creates the table of a language with only single digits. */
const createSingleDigitTable = (words: string): NumberWords => ({
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
  createSingleDigitTable('zéro un/une deux trois quatre cinq six sept huit neuf'),
  createSingleDigitTable('cero uno/una dos tres cuatro cinco seis siete ocho nueve'),
  createSingleDigitTable('zero uno due tre quattro cinque sei sette otto nove'),
  createSingleDigitTable('nul een/één twee drie vier vijf zes zeven acht negen'),
]

/** A text with its numbers in digits, and a mapping back to the original text. */
interface DigitizedText {
  readonly text: string
  /** Maps a range of `text` to the original text. */
  readonly toOriginalRange: (range: PersonalRange) => PersonalRange
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

interface NumberRun {
  readonly numbers: readonly SpokenNumber[]
  /** Index of the first word after the number. */
  readonly nextIndex: number
  /** Number of words. */
  readonly spokenWordCount: number
}

interface MappedNumber extends SpokenNumber {
  readonly digitizedStart: number
  readonly digitizedEnd: number
}

const WORD = /[\p{L}\p{M}]+|\d+/gu
/** Separators between words of one number. */
const WORD_GAP = /^[ \u00a0,.\-–]{1,3}$/
/** Words for separators between digits, and fillers. */
const SEPARATOR_WORD =
  /^(?:dash|hyphen|minus|strich|bindestrich|tiret|guion|guión|trattino|streepje|u[hm]+|ähm?|euh|eh)$/
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
  for (let firstIndex = 0; firstIndex < words.length; ) {
    const run = findNumberRun(text, words, firstIndex)
    const isCounting = run !== null && isCountingUp(run.numbers)
    for (const [index, number] of run !== null && run.spokenWordCount > 0 ? run.numbers.entries() : []) {
      if (index === 0 || isCounting) digitText += text.slice(position, number.start)
      const digitizedStart = digitText.length
      digitText += number.digits
      mappedNumbers.push({ ...number, digitizedStart, digitizedEnd: digitText.length })
      position = number.end
    }
    firstIndex = run?.nextIndex ?? firstIndex + 1
  }
  if (mappedNumbers.length === 0) return null
  return { text: digitText + text.slice(position), toOriginalRange: (range) => toOriginalRange(mappedNumbers, range) }
}

/** Finds the longest run in any language. The word "plus" before the run becomes a plus sign. */
function findNumberRun(text: string, words: readonly Word[], firstIndex: number): NumberRun | null {
  const plusWord = words[firstIndex]?.text === 'plus' ? words[firstIndex] : undefined
  let longestRun: NumberRun | null = null
  for (const language of NUMBER_WORDS) {
    const run = readNumberRun(language, { text, words, first: plusWord === undefined ? firstIndex : firstIndex + 1 })
    if (run !== null && run.numbers.length > (longestRun?.numbers.length ?? 0)) longestRun = run
  }
  if (plusWord === undefined || longestRun === null) return longestRun
  if (longestRun.numbers.length < MIN_AFTER_PLUS) return null
  return { ...longestRun, numbers: [{ start: plusWord.start, end: plusWord.end, digits: '+' }, ...longestRun.numbers] }
}

interface ScanPosition {
  readonly text: string
  readonly words: readonly Word[]
  readonly first: number
}

/** Reads the number words of a language from a position. Returns null if there are too few. */
function readNumberRun(language: NumberWords, { text, words, first: firstIndex }: ScanPosition): NumberRun | null {
  const numbers: SpokenNumber[] = []
  let spokenWordCount = 0
  let hasVagueWord = false
  let nextIndex = firstIndex
  for (let index = firstIndex; index < words.length && index - firstIndex < MAX_WORDS; ) {
    const word = words[index]
    const previousWord = words[index - 1]
    if (word === undefined) break
    if (index > firstIndex && previousWord !== undefined && !WORD_GAP.test(text.slice(previousWord.end, word.start)))
      break
    const match = readNumberAt(language, words, index)
    if (match === null && numbers.length > 0 && SEPARATOR_WORD.test(word.text)) {
      index += 1
      continue
    }
    // A day of a month is a separate number.
    const isDay = match !== null && /\D$/.test(match.digits)
    if (match === null || (isDay && numbers.length > 0)) break
    numbers.push({ start: word.start, end: words[index + match.count - 1]?.end ?? word.end, digits: match.digits })
    if (!/^\d/.test(word.text)) spokenWordCount += 1
    hasVagueWord ||= VAGUE_WORD.test(word.text)
    index += match.count
    nextIndex = index
    if (isDay) break
  }
  if (numbers.length === 0) return null
  return spokenWordCount > 0 && spokenWordCount < (hasVagueWord ? MIN_AFTER_PLUS : language.minWords)
    ? null
    : { numbers, nextIndex, spokenWordCount }
}

/** Reads one number at a position and its word count: "five", "forty seven", "double zero". */
function readNumberAt(
  { digits, tens, repeats }: NumberWords,
  words: readonly Word[],
  index: number,
): { digits: string; count: number } | null {
  const word = words[index]?.text ?? ''
  const followingDigits = digits.get(words[index + 1]?.text ?? '') ?? ''
  const isUnit = /^\d$/.test(followingDigits)
  const repeatCount = repeats.get(word)
  if (repeatCount !== undefined && isUnit) return { digits: followingDigits.repeat(repeatCount), count: 2 }
  const tensValue = tens.get(word)
  if (tensValue !== undefined) {
    if (/^[1-9]$/.test(followingDigits)) return { digits: String(tensValue + Number(followingDigits)), count: 2 }
    // For example, "twenty fourth".
    if (/^[1-9]th$/.test(followingDigits)) return { digits: `${tensValue + Number(followingDigits[0])}th`, count: 2 }
    return { digits: String(tensValue), count: 1 }
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
