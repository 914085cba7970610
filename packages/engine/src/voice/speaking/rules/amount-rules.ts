import type { Counted, SpokenLanguage } from '../languages/spoken-language.ts'
import { anyOf, MINUS, NUMBER, numberPattern, plainDigits, rule, type SpeechRule, sayNumber } from './speech-rule.ts'

/** Money, percentages, measures. */
export function amountRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  const number = numberPattern(language)
  const currency = `(?<currency>${anyOf(Object.keys(language.currencies))})`
  const magnitude = `(?: ?(?<magnitude>${anyOf(Object.keys(language.magnitudes))})(?![\\p{L}\\p{N}]))`
  const money = ({ groups = {} }: RegExpExecArray) => sayMoney(language, groups)
  return [
    rule(['sign', 'letter', 'dash'], `${MINUS}${currency} ?${number}${magnitude}?(?![\\p{L}\\p{N}])`, money),
    rule(NUMBER, `${MINUS}${number}${magnitude}? ?${currency}(?![\\p{L}\\p{N}])`, money),
    rule(NUMBER, `${MINUS}${number}[ \\u00A0\\u202F]?%`, ({ groups = {} }) => {
      return `${sign(language, groups)}${spokenNumber(language, groups)} ${words.percent}`
    }),
    rule(
      NUMBER,
      `${MINUS}${number} ?(?<unit>${anyOf(Object.keys(language.units))})(?![\\p{L}\\p{N}²³/])`,
      ({ groups = {} }) => {
        const unit = language.units[groups.unit ?? '']
        return unit === undefined ? null : sign(language, groups) + count(language, groups, unit)
      },
    ),
  ]
}

/** From here on numbers have no names. */
const TOO_LARGE = 1e15

type Groups = Readonly<Record<string, string | undefined>>

function sign(language: SpokenLanguage, groups: Groups): string {
  return groups.minus === undefined ? '' : `${language.words.minus} `
}

function spokenNumber(language: SpokenLanguage, { whole = '', fraction }: Groups): string {
  return sayNumber(language, whole, fraction)
}

/** So many of something. */
function count(language: SpokenLanguage, groups: Groups, [one, many]: Counted): string {
  if (groups.fraction === undefined && plainDigits(groups.whole ?? '') === '1') return one
  const spoken = spokenNumber(language, groups)
  return groups.fraction === undefined ? withNoun(language, spoken, many) : `${spoken} ${many}`
}

function withNoun(language: SpokenLanguage, spoken: string, noun: string): string {
  return language.withNoun?.(spoken, noun) ?? `${spoken} ${noun}`
}

function sayMoney(language: SpokenLanguage, groups: Groups): string | null {
  const currency = language.currencies[groups.currency ?? '']
  if (currency === undefined) return null
  const { major, minor } = currency
  const prefix = sign(language, groups)
  const { whole = '', fraction } = groups
  const magnitude = language.magnitudes[groups.magnitude ?? '']
  if (magnitude !== undefined) {
    const value = Number(plainDigits(whole)) * magnitude.factor
    if (fraction === undefined && value < TOO_LARGE) return prefix + count(language, { whole: String(value) }, major)
    return prefix + withNoun(language, `${spokenNumber(language, groups)} ${magnitude.word}`, major[1])
  }
  if (fraction === undefined || fraction.length !== 2 || minor === null) return prefix + count(language, groups, major)
  const hundredths = Number(fraction)
  const units = count(language, { whole }, major)
  if (hundredths === 0) return prefix + units
  const rest = count(language, { whole: String(hundredths) }, minor)
  return prefix + (Number(plainDigits(whole)) === 0 ? rest : `${units}${language.moneyConjunction}${rest}`)
}
