/** Numbers as people say them and speech recognition writes them down, one table for each language. */

export interface NumberWords {
  /** Digits of each word; ordinals keep a sign behind them so that they stay days of a month. */
  readonly digits: ReadonlyMap<string, string>
  /** Tens that a unit may follow: "forty seven". */
  readonly tens: ReadonlyMap<string, number>
  /** Words that double or triple the next digit. */
  readonly repeats: ReadonlyMap<string, number>
  /** How many words in a row are taken for a number; fewer are words of other kinds. */
  readonly minWords: number
}

const digitsOf = (words: string): [string, string][] =>
  words
    .split(' ')
    .flatMap((alternatives, digit) => alternatives.split('/').map((word): [string, string] => [word, String(digit)]))

const ENGLISH_TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const ENGLISH_TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'
const ENGLISH_ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'
const ENGLISH: NumberWords = {
  digits: new Map([
    ...digitsOf('zero/oh/o/nought one two three four five six seven eight nine'),
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

/** Every number from 10 to 99, which German writes as one word. */
function germanPairs(): [string, string][] {
  const teens = GERMAN_TEENS.map((word, index): [string, string] => [word, String(10 + index)])
  const rest = GERMAN_TENS.flatMap((tens, index) =>
    GERMAN_UNITS.map((unit, digit): [string, string] => {
      return [unit === '' ? tens : `${unit}und${tens}`, String(20 + index * 10 + digit)]
    }),
  )
  return [...teens, ...rest]
}

/** Years of those who are alive, and the days of a month with their endings. */
function germanDates(): [string, string][] {
  const pairs: [string, string][] = [
    ...GERMAN_UNITS.slice(1).map((word, index): [string, string] => [index === 0 ? 'eins' : word, `0${index + 1}`]),
    ...germanPairs(),
  ]
  const years = pairs.flatMap(([word, digits]): [string, string][] => [
    [`neunzehnhundert${word}`, `19${digits}`],
    [`zweitausend${word}`, `20${digits}`],
    [`zweitausendund${word}`, `20${digits}`],
  ])
  const irregular = ['ers', 'zwei', 'drit', 'vier', 'fünf', 'sechs', 'sieb', 'ach', 'neun', 'zehn', 'elf', 'zwölf']
  const days = [...irregular, ...GERMAN_TEENS.slice(3)].map((word, index): [string, number] => [`${word}te`, index + 1])
  const late = germanPairs()
    .filter(([, digits]) => Number(digits) >= 20 && Number(digits) <= 31)
    .map(([word, digits]): [string, number] => [`${word}ste`, Number(digits)])
  const ordinals = [...days, ...late].flatMap(([word, day]) =>
    [word, `${word}n`, `${word}r`].map((form): [string, string] => [form, `${day}.`]),
  )
  return [['zweitausend', '2000'], ['neunzehnhundert', '1900'], ...years, ...ordinals]
}

const GERMAN: NumberWords = {
  digits: new Map([
    ...digitsOf('null eins zwei/zwo drei vier fünf sechs sieben acht neun'),
    ...germanPairs(),
    ...germanDates(),
  ]),
  tens: new Map(),
  repeats: new Map([
    ['doppel', 2],
    ['zweimal', 2],
    ['dreimal', 3],
  ]),
  minWords: 1,
}

/** Of other languages only digits one by one. */
const singleDigits = (words: string): NumberWords => ({
  digits: new Map(digitsOf(words)),
  tens: new Map(),
  repeats: new Map([
    ['double', 2],
    ['doble', 2],
    ['doppio', 2],
    ['dubbel', 2],
  ]),
  minWords: 4,
})

export const NUMBER_WORDS: readonly NumberWords[] = [
  ENGLISH,
  GERMAN,
  singleDigits('zéro un/une deux trois quatre cinq six sept huit neuf'),
  singleDigits('cero uno/una dos tres cuatro cinco seis siete ocho nueve'),
  singleDigits('zero uno due tre quattro cinque sei sette otto nove'),
  singleDigits('nul een/één twee drie vier vijf zes zeven acht negen'),
]
