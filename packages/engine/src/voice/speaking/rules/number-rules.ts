import type { Counted, SpokenLanguage } from '../languages/spoken-language.ts'
import {
  buildAlternation,
  buildNumberPattern,
  createRule,
  DIGIT,
  getLastWord,
  LETTER,
  MINUS,
  NUMBER,
  SIGN,
  type SpeechRule,
  sayCode,
  sayDigits,
  sayNumber,
  sayWhole,
  stripSeparators,
  WORD_END,
} from './speech-rule.ts'

/** Words before a code, in all languages. */
const CODE_WORDS =
  /(?:nummer|number|order|code|kode|pin|plz|zip|postcode|postleitzahl|id|reference|ref|account|ticket|num[eé]ro|número|commande|código|codice|pedido|ordine|bestelling)(?: (?:is|ist|est|es|è|é|lautet))?[:#]? *#?$/iu

/** Returns the rules for codes, fractions, ordinals, years and all other numbers. */
export function createNumberRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  const number = buildNumberPattern(language)
  const yearWords = `(?<=(?<!\\p{L})${language.yearWords} )`
  return [
    createRule(['letter', 'digit'], CODE, ([code]) => sayLettersAndDigits(language, code)),
    createRule(
      DIGIT,
      `(?:${buildAlternation(Object.keys(language.fractions))})(?![\\p{L}\\p{N}/])`,
      ([written]) => language.fractions[written] ?? null,
    ),
    createRule(DIGIT, `(\\d{1,4})(?<mark>${language.ordinalMark})(?!\\p{L})`, (match, precedingText) => {
      const [written, digits] = match
      const following = match.input.slice(match.index + written.length).trimStart()
      if (language.isOrdinal?.(getLastWord(precedingText), following) === false) return null
      const spoken = Number(digits) === 0 ? null : language.formatOrdinal(Number(digits), getLastWord(precedingText))
      return written.endsWith('ª') ? (spoken?.replace(/o$/, 'a') ?? null) : spoken
    }),
    createRule(DIGIT, { pattern: `${yearWords}(1[1-9]\\d\\d)${NUMBER_END}`, flags: 'i' }, ([, digits]) =>
      language.formatYear(Number(digits)),
    ),
    createRule(DIGIT, `\\d{4,}${NUMBER_END}`, ([digits], precedingText) => {
      const isCode = digits.length > 9 || CODE_WORDS.test(precedingText.slice(-40)) || /^0/.test(digits)
      return isCode ? sayCode(language, digits) : null
    }),
    // A number from 1900 to 2099 without a thousands separator is usually a year.
    createRule(DIGIT, `(?:19|20)\\d\\d${NUMBER_END}`, ([digits]) => language.formatYear(Number(digits))),
    createRule(SIGN, `# ?(\\d+)${WORD_END}`, ([, digits = '']) => {
      const spoken = digits.length > 4 ? sayCode(language, digits) : language.formatCardinal(Number(digits))
      return `${words.number} ${spoken}`
    }),
    createRule(
      DIGIT,
      '(?<=(?:^|\\n)\\s*)(\\d{1,2})[.)](?= )',
      ([, digits]) => `${language.formatCardinal(Number(digits))},`,
    ),
    createRule(DIGIT, '\\d+(?:\\.\\d+){2,}(?![\\p{L}\\p{N}])', ([version]) => {
      if (new RegExp(`^\\d{1,3}(?:[${language.groupMarks}]\\d{3})+$`).test(version)) return null
      return version
        .split('.')
        .map((part) => sayWhole(language, part))
        .join(` ${words.dot} `)
    }),
    createRule(NUMBER, `${MINUS}${number}(?![\\p{L}\\p{N}])`, ({ groups = {} }) => {
      const { minus, whole = '', fraction } = groups
      return `${minus === undefined ? '' : `${words.minus} `}${sayNumber(language, whole, fraction)}`
    }),
  ]
}

const NUMBER_END = '(?![\\p{L}\\p{N}]|[.,:]\\d)'
const CODE =
  '(?=[A-Z0-9-]{0,40}\\d)(?=[A-Z0-9-]{0,40}[A-Z])[A-Z0-9]{1,20}(?:-[A-Z0-9]{1,20}){0,8}(?![\\p{L}\\p{N}]|[.,]\\d)'

/** Speaks letters and digits separately with pauses at dashes. Returns `null` if the code reads as a word. */
function sayLettersAndDigits(language: SpokenLanguage, code: string): string | null {
  if (/[A-Z]{5}/.test(code)) return null
  const [, letters, number] = /^([A-Z]+)(\d{1,2})$/.exec(code) ?? []
  if (letters !== undefined) return `${[...letters].join(' ')} ${language.formatCardinal(Number(number))}`
  return code
    .split('-')
    .map((part) => [...part].map((sign) => (/\d/.test(sign) ? sayDigits(language, sign) : sign)).join(' '))
    .join(', ')
}

/** Returns the rules for money, percentages and units. */
export function createAmountRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  const number = buildNumberPattern(language)
  const currency = `(?<currency>${buildAlternation(Object.keys(language.currencies))})`
  const magnitude = `(?: ?(?<magnitude>${buildAlternation(Object.keys(language.magnitudes))})(?![\\p{L}\\p{N}]))`
  const sayMatch = ({ groups = {} }: RegExpExecArray) => sayMoney(language, groups)
  return [
    createRule(['sign', 'letter', 'dash'], `${MINUS}${currency} ?${number}${magnitude}?(?![\\p{L}\\p{N}])`, sayMatch),
    createRule(NUMBER, `${MINUS}${number}${magnitude}? ?${currency}(?![\\p{L}\\p{N}])`, sayMatch),
    createRule(NUMBER, `${MINUS}${number}[ \\u00A0\\u202F]?%`, ({ groups = {} }) => {
      return `${saySign(language, groups)}${sayGroups(language, groups)} ${words.percent}`
    }),
    createRule(
      NUMBER,
      `${MINUS}${number} ?(?<unit>${buildAlternation(Object.keys(language.units))})(?![\\p{L}\\p{N}²³/])`,
      ({ groups = {} }) => {
        const unit = language.units[groups.unit ?? '']
        return unit === undefined ? null : saySign(language, groups) + sayCount(language, groups, unit)
      },
    ),
  ]
}

/** The first number without a name. */
const TOO_LARGE = 1e15

type Groups = Readonly<Record<string, string | undefined>>

function saySign(language: SpokenLanguage, groups: Groups): string {
  return groups.minus === undefined ? '' : `${language.words.minus} `
}

function sayGroups(language: SpokenLanguage, { whole = '', fraction }: Groups): string {
  return sayNumber(language, whole, fraction)
}

/** Speaks a number with its noun. */
function sayCount(language: SpokenLanguage, groups: Groups, [one, many]: Counted): string {
  if (groups.fraction === undefined && stripSeparators(groups.whole ?? '') === '1') return one
  const spoken = sayGroups(language, groups)
  return groups.fraction === undefined ? joinNoun(language, spoken, many) : `${spoken} ${many}`
}

function joinNoun(language: SpokenLanguage, spoken: string, noun: string): string {
  return language.joinNoun?.(spoken, noun) ?? `${spoken} ${noun}`
}

function sayMoney(language: SpokenLanguage, groups: Groups): string | null {
  const currency = language.currencies[groups.currency ?? '']
  if (currency === undefined) return null
  const { major, minor } = currency
  const prefix = saySign(language, groups)
  const { whole = '', fraction } = groups
  const magnitude = language.magnitudes[groups.magnitude ?? '']
  if (magnitude !== undefined) {
    const value = Number(stripSeparators(whole)) * magnitude.factor
    if (fraction === undefined && value < TOO_LARGE) return prefix + sayCount(language, { whole: String(value) }, major)
    return prefix + joinNoun(language, `${sayGroups(language, groups)} ${magnitude.word}`, major[1])
  }
  if (fraction === undefined || fraction.length !== 2 || minor === null)
    return prefix + sayCount(language, groups, major)
  const hundredths = Number(fraction)
  const majorUnits = sayCount(language, { whole }, major)
  if (hundredths === 0) return prefix + majorUnits
  const minorUnits = sayCount(language, { whole: String(hundredths) }, minor)
  return (
    prefix +
    (Number(stripSeparators(whole)) === 0 ? minorUnits : `${majorUnits}${language.moneyConjunction}${minorUnits}`)
  )
}

/** Returns the rules for abbreviations and symbols. */
export function createWordRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words, abbreviations } = language
  const createSignRule = (pattern: string, spoken: string) => createRule(SIGN, pattern, () => spoken)
  return [
    ...language.specialCases.map(([pattern, spoken]) =>
      createRule(pattern.startsWith('§') ? SIGN : LETTER, pattern, ([written]) => spoken + getTrailingStop(written)),
    ),
    createRule(LETTER, `(?:${buildAlternation(Object.keys(abbreviations))})(?![\\p{L}\\p{N}])`, ([written]) => {
      const spoken = abbreviations[written]
      return spoken === undefined ? null : spoken + getTrailingStop(written)
    }),
    createRule(['dash'], '[-–](?<=[\\d%ap€]m?\\.? ?.)(?= ?[$€£]?\\d)', () => ` ${words.to} `),
    createSignRule('&', ` ${words.and} `),
    createSignRule('\\+(?=[\\s\\d]|$)', ` ${words.plus} `),
    createSignRule('=', ` ${words.equals} `),
    createSignRule('[×*](?= ?\\d)', ` ${words.times} `),
    createSignRule('[~≈](?= ?[$€£]?\\d)', `${words.about} `),
    createSignRule('@(?=\\s|$)', ` ${words.at} `),
    createSignRule('\\/(?=\\p{L})', ' '),
  ]
}

/** Returns a placeholder for a period that may also end a sentence. */
function getTrailingStop(written: string): string {
  return written.endsWith('.') ? '\u0000' : ''
}
