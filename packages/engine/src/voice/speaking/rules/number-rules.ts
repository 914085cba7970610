import type { SpokenLanguage } from '../languages/spoken-language.ts'
import {
  anyOf,
  DIGIT,
  lastWord,
  MINUS,
  NUMBER,
  numberPattern,
  rule,
  SIGN,
  type SpeechRule,
  sayCode,
  sayDigits,
  sayNumber,
  sayWhole,
  WORD_END,
} from './speech-rule.ts'

/** Words behind which figures are a code, in any of the languages. */
const CODE_WORDS =
  /(?:nummer|number|order|code|kode|pin|plz|zip|postcode|postleitzahl|id|reference|ref|account|ticket|num[eé]ro|número|commande|código|codice|pedido|ordine|bestelling)(?: (?:is|ist|est|es|è|é|lautet))?[:#]? *#?$/iu

/** Codes, fractions, ordinals, years and all other numbers. */
export function numberRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  const number = numberPattern(language)
  const yearWords = `(?<=(?<!\\p{L})${language.yearWords} )`
  return [
    rule(['letter', 'figure'], CODE, ([code]) => sayLettersAndDigits(language, code)),
    rule(
      DIGIT,
      `(?:${anyOf(Object.keys(language.fractions))})(?![\\p{L}\\p{N}/])`,
      ([written]) => language.fractions[written] ?? null,
    ),
    rule(DIGIT, `(\\d{1,4})(?<mark>${language.ordinalMark})(?!\\p{L})`, (match, before) => {
      const [written, digits] = match
      const following = match.input.slice(match.index + written.length).trimStart()
      if (language.isOrdinal?.(lastWord(before), following) === false) return null
      const spoken = Number(digits) === 0 ? null : language.ordinal(Number(digits), lastWord(before))
      return written.endsWith('ª') ? (spoken?.replace(/o$/, 'a') ?? null) : spoken
    }),
    rule(DIGIT, { pattern: `${yearWords}(1[1-9]\\d\\d)${NUMBER_END}`, flags: 'i' }, ([, digits]) =>
      language.year(Number(digits)),
    ),
    rule(DIGIT, `\\d{4,}${NUMBER_END}`, ([digits], before) => {
      const isCode = digits.length > 9 || CODE_WORDS.test(before.slice(-40)) || /^0/.test(digits)
      return isCode ? sayCode(language, digits) : null
    }),
    // What it is without a mark between the thousands, most of the time.
    rule(DIGIT, `(?:19|20)\\d\\d${NUMBER_END}`, ([digits]) => language.year(Number(digits))),
    rule(SIGN, `# ?(\\d+)${WORD_END}`, ([, digits = '']) => {
      const spoken = digits.length > 4 ? sayCode(language, digits) : language.cardinal(Number(digits))
      return `${words.number} ${spoken}`
    }),
    rule(DIGIT, '(?<=(?:^|\\n)\\s*)(\\d{1,2})[.)](?= )', ([, digits]) => `${language.cardinal(Number(digits))},`),
    rule(DIGIT, '\\d+(?:\\.\\d+){2,}(?![\\p{L}\\p{N}])', ([version]) => {
      if (new RegExp(`^\\d{1,3}(?:[${language.groupMarks}]\\d{3})+$`).test(version)) return null
      return version
        .split('.')
        .map((part) => sayWhole(language, part))
        .join(` ${words.dot} `)
    }),
    rule(NUMBER, `${MINUS}${number}(?![\\p{L}\\p{N}])`, ({ groups = {} }) => {
      const { minus, whole = '', fraction } = groups
      return `${minus === undefined ? '' : `${words.minus} `}${sayNumber(language, whole, fraction)}`
    }),
  ]
}

const NUMBER_END = '(?![\\p{L}\\p{N}]|[.,:]\\d)'
const CODE =
  '(?=[A-Z0-9-]{0,40}\\d)(?=[A-Z0-9-]{0,40}[A-Z])[A-Z0-9]{1,20}(?:-[A-Z0-9]{1,20}){0,8}(?![\\p{L}\\p{N}]|[.,]\\d)'

/** Letters and figures one by one, a pause where a dash stands; `null` for what is read as a word. */
function sayLettersAndDigits(language: SpokenLanguage, code: string): string | null {
  if (/[A-Z]{5}/.test(code)) return null
  const [, letters, number] = /^([A-Z]+)(\d{1,2})$/.exec(code) ?? []
  if (letters !== undefined) return `${[...letters].join(' ')} ${language.cardinal(Number(number))}`
  return code
    .split('-')
    .map((part) => [...part].map((sign) => (/\d/.test(sign) ? sayDigits(language, sign) : sign)).join(' '))
    .join(', ')
}
