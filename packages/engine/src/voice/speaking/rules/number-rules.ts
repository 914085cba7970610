import type { CountedNoun, SpokenLanguage } from '../languages/spoken-language.ts'
import {
  buildAlternation,
  buildNumberPattern,
  createRule,
  DIGIT,
  formatCode,
  formatDigits,
  formatNumber,
  formatWholeNumber,
  getLastWord,
  LETTER,
  MINUS,
  NUMBER,
  SIGN,
  type SpeechRule,
  stripSeparators,
  WORD_END,
} from './speech-rule.ts'

/** Words that introduce a code, in all languages. */
const CODE_WORDS =
  /(?:nummer|number|order|code|kode|pin|plz|zip|postcode|postleitzahl|id|reference|ref|account|ticket|num[eé]ro|número|commande|código|codice|pedido|ordine|bestelling)(?: (?:is|ist|est|es|è|é|lautet))?[:#]? *#?$/iu

/** Returns the rules for codes, fractions, ordinals, years and all other numbers. */
export function createNumberRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  const number = buildNumberPattern(language)
  const yearWords = `(?<=(?<!\\p{L})${language.yearWords} )`
  return [
    createRule(['letter', 'digit'], CODE, ([code]) => formatAlphanumericCode(language, code)),
    createRule(
      DIGIT,
      `(?:${buildAlternation(Object.keys(language.fractions))})(?![\\p{L}\\p{N}/])`,
      ([text]) => language.fractions[text] ?? null,
    ),
    createRule(DIGIT, `(\\d{1,4})(?<mark>${language.ordinalSuffix})(?!\\p{L})`, (match, precedingText) => {
      const [text, digits] = match
      const followingText = match.input.slice(match.index + text.length).trimStart()
      if (language.isOrdinal?.(getLastWord(precedingText), followingText) === false) return null
      const ordinal = Number(digits) === 0 ? null : language.formatOrdinal(Number(digits), getLastWord(precedingText))
      return text.endsWith('ª') ? (ordinal?.replace(/o$/, 'a') ?? null) : ordinal
    }),
    createRule(DIGIT, { pattern: `${yearWords}(1[1-9]\\d\\d)${NUMBER_END}`, flags: 'i' }, ([, digits]) =>
      language.formatYear(Number(digits)),
    ),
    createRule(DIGIT, `\\d{4,}${NUMBER_END}`, ([digits], precedingText) => {
      const isCode = digits.length > 9 || CODE_WORDS.test(precedingText.slice(-40)) || /^0/.test(digits)
      return isCode ? formatCode(language, digits) : null
    }),
    // A number from 1900 to 2099 without a thousands separator is usually a year.
    createRule(DIGIT, `(?:19|20)\\d\\d${NUMBER_END}`, ([digits]) => language.formatYear(Number(digits))),
    createRule(SIGN, `# ?(\\d+)${WORD_END}`, ([, digits = '']) => {
      const spokenText = digits.length > 4 ? formatCode(language, digits) : language.formatCardinal(Number(digits))
      return `${words.number} ${spokenText}`
    }),
    createRule(
      DIGIT,
      '(?<=(?:^|\\n)\\s*)(\\d{1,2})[.)](?= )',
      ([, digits]) => `${language.formatCardinal(Number(digits))},`,
    ),
    createRule(DIGIT, '\\d+(?:\\.\\d+){2,}(?![\\p{L}\\p{N}])', ([version]) => {
      if (new RegExp(`^\\d{1,3}(?:[${language.groupSeparators}]\\d{3})+$`).test(version)) return null
      return version
        .split('.')
        .map((part) => formatWholeNumber(language, part))
        .join(` ${words.dot} `)
    }),
    createRule(NUMBER, `${MINUS}${number}(?![\\p{L}\\p{N}])`, ({ groups = {} }) => {
      const { minus, whole = '', fraction } = groups
      return `${minus === undefined ? '' : `${words.minus} `}${formatNumber(language, whole, fraction)}`
    }),
  ]
}

const NUMBER_END = '(?![\\p{L}\\p{N}]|[.,:]\\d)'
const CODE =
  '(?=[A-Z0-9-]{0,40}\\d)(?=[A-Z0-9-]{0,40}[A-Z])[A-Z0-9]{1,20}(?:-[A-Z0-9]{1,20}){0,8}(?![\\p{L}\\p{N}]|[.,]\\d)'

/** Spells out a code, with a comma in place of each dash, or returns `null` if the code contains a word. */
function formatAlphanumericCode(language: SpokenLanguage, code: string): string | null {
  if (/[A-Z]{5}/.test(code)) return null
  const [, letters, number] = /^([A-Z]+)(\d{1,2})$/.exec(code) ?? []
  if (letters !== undefined) return `${[...letters].join(' ')} ${language.formatCardinal(Number(number))}`
  return code
    .split('-')
    .map((part) => [...part].map((char) => (/\d/.test(char) ? formatDigits(language, char) : char)).join(' '))
    .join(', ')
}

/** Returns the rules for money, percentages and units. */
export function createAmountRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  const number = buildNumberPattern(language)
  const currency = `(?<currency>${buildAlternation(Object.keys(language.currencies))})`
  const magnitude = `(?: ?(?<magnitude>${buildAlternation(Object.keys(language.magnitudes))})(?![\\p{L}\\p{N}]))`
  const formatMatch = ({ groups = {} }: RegExpExecArray) => formatMoney(language, groups)
  return [
    createRule(
      ['sign', 'letter', 'dash'],
      `${MINUS}${currency} ?${number}${magnitude}?(?![\\p{L}\\p{N}])`,
      formatMatch,
    ),
    createRule(NUMBER, `${MINUS}${number}${magnitude}? ?${currency}(?![\\p{L}\\p{N}])`, formatMatch),
    createRule(NUMBER, `${MINUS}${number}[ \\u00A0\\u202F]?%`, ({ groups = {} }) => {
      return `${formatSign(language, groups)}${formatMatchedNumber(language, groups)} ${words.percent}`
    }),
    createRule(
      NUMBER,
      `${MINUS}${number} ?(?<unit>${buildAlternation(Object.keys(language.units))})(?![\\p{L}\\p{N}²³/])`,
      ({ groups = {} }) => {
        const unit = language.units[groups.unit ?? '']
        return unit === undefined ? null : formatSign(language, groups) + formatCount(language, groups, unit)
      },
    ),
  ]
}

/** The smallest number that is too large to have a name. */
const MIN_UNNAMED_NUMBER = 1e15

type MatchGroups = Readonly<Record<string, string | undefined>>

function formatSign(language: SpokenLanguage, groups: MatchGroups): string {
  return groups.minus === undefined ? '' : `${language.words.minus} `
}

function formatMatchedNumber(language: SpokenLanguage, { whole = '', fraction }: MatchGroups): string {
  return formatNumber(language, whole, fraction)
}

/** Returns the words for a number and its noun. */
function formatCount(language: SpokenLanguage, groups: MatchGroups, [singular, plural]: CountedNoun): string {
  if (groups.fraction === undefined && stripSeparators(groups.whole ?? '') === '1') return singular
  const spokenText = formatMatchedNumber(language, groups)
  return groups.fraction === undefined ? joinNoun(language, spokenText, plural) : `${spokenText} ${plural}`
}

function joinNoun(language: SpokenLanguage, spokenText: string, noun: string): string {
  return language.joinNoun?.(spokenText, noun) ?? `${spokenText} ${noun}`
}

function formatMoney(language: SpokenLanguage, groups: MatchGroups): string | null {
  const currency = language.currencies[groups.currency ?? '']
  if (currency === undefined) return null
  const { major, minor } = currency
  const prefix = formatSign(language, groups)
  const { whole = '', fraction } = groups
  const magnitude = language.magnitudes[groups.magnitude ?? '']
  if (magnitude !== undefined) {
    const value = Number(stripSeparators(whole)) * magnitude.factor
    if (fraction === undefined && value < MIN_UNNAMED_NUMBER)
      return prefix + formatCount(language, { whole: String(value) }, major)
    return prefix + joinNoun(language, `${formatMatchedNumber(language, groups)} ${magnitude.word}`, major[1])
  }
  if (fraction === undefined || fraction.length !== 2 || minor === null)
    return prefix + formatCount(language, groups, major)
  const hundredths = Number(fraction)
  const majorUnits = formatCount(language, { whole }, major)
  if (hundredths === 0) return prefix + majorUnits
  const minorUnits = formatCount(language, { whole: String(hundredths) }, minor)
  return (
    prefix +
    (Number(stripSeparators(whole)) === 0 ? minorUnits : `${majorUnits}${language.moneyConjunction}${minorUnits}`)
  )
}

/** Returns the rules for abbreviations and symbols. */
export function createWordRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words, abbreviations } = language
  const createSymbolRule = (pattern: string, spokenText: string) => createRule(SIGN, pattern, () => spokenText)
  return [
    ...language.specialCases.map(([pattern, spokenText]) =>
      createRule(pattern.startsWith('§') ? SIGN : LETTER, pattern, ([text]) => spokenText + getPeriodPlaceholder(text)),
    ),
    createRule(LETTER, `(?:${buildAlternation(Object.keys(abbreviations))})(?![\\p{L}\\p{N}])`, ([text]) => {
      const spokenText = abbreviations[text]
      return spokenText === undefined ? null : spokenText + getPeriodPlaceholder(text)
    }),
    createRule(['dash'], '[-–](?<=[\\d%ap€]m?\\.? ?.)(?= ?[$€£]?\\d)', () => ` ${words.to} `),
    createSymbolRule('&', ` ${words.and} `),
    createSymbolRule('\\+(?=[\\s\\d]|$)', ` ${words.plus} `),
    createSymbolRule('=', ` ${words.equals} `),
    createSymbolRule('[×*](?= ?\\d)', ` ${words.times} `),
    createSymbolRule('[~≈](?= ?[$€£]?\\d)', `${words.about} `),
    createSymbolRule('@(?=\\s|$)', ` ${words.at} `),
    createSymbolRule('\\/(?=\\p{L})', ' '),
  ]
}

/** Returns a placeholder for a final period, which may also end the sentence. */
function getPeriodPlaceholder(text: string): string {
  return text.endsWith('.') ? '\u0000' : ''
}
