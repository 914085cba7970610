import type { SpokenLanguage } from '../languages/spoken-language.ts'
import {
  type CharacterClass,
  createRule,
  DIGIT,
  LETTER,
  SIGN,
  type SpeechRule,
  sayCode,
  sayDigits,
} from './speech-rule.ts'

const ENDINGS =
  'com|org|net|io|ai|app|dev|info|biz|edu|gov|example|co|uk|de|at|ch|fr|es|it|pt|nl|be|eu|us|ca|au|in|br|mx|jp'
/** Maximum length of a spoken path. */
const MAX_PATH_LENGTH = 60

/** Returns the rules for web and email addresses, phone numbers and IP addresses. */
export function createAddressRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  return [
    createRule(['letter', 'digit'], EMAIL, ({ groups = {} }) => {
      return `${spell(language, groups.local ?? '')} ${words.at} ${spell(language, groups.domain ?? '')}`
    }),
    createRule(LETTER, 'https?:\\/\\/[^\\s<>"]*[\\p{L}\\p{N}\\/]', ([address]) => sayAddress(language, address)),
    createRule(LETTER, 'www\\.[^\\s<>"]*[\\p{L}\\p{N}\\/]', ([address]) => sayAddress(language, address)),
    createRule(['letter', 'digit'], { pattern: HOST, flags: 'i' }, ([address]) =>
      /^[\d.]+$/.test(address) ? null : sayAddress(language, address),
    ),
    createRule(DIGIT, '\\d{1,3}(?:\\.\\d{1,3}){3}(?!\\d|\\.\\d)', ([address]) =>
      address
        .split('.')
        .map((part) => language.formatCardinal(Number(part)))
        .join(` ${words.dot} `),
    ),
    ...listPhonePatterns(language).map(([startClasses, pattern]) =>
      createRule(startClasses, `${pattern}(?![\\p{L}\\p{N}]|[.,:/-]\\d)`, ([number]) => sayPhone(language, number)),
    ),
  ]
}

const EMAIL = '(?<local>[\\p{L}\\p{N}._%+-]{1,64})@(?<domain>[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63}){1,8})'
const HOST =
  `[a-z0-9][a-z0-9-]{0,62}(?:\\.[a-z0-9-]{1,63}){0,6}\\.(?:${ENDINGS})` +
  '(?:\\/[^\\s<>"]*[\\p{L}\\p{N}\\/])?(?![\\p{L}\\p{N}]|\\.\\p{L})'

function listPhonePatterns({ groupMarks }: SpokenLanguage): readonly (readonly [readonly CharacterClass[], string])[] {
  // With spaces as thousands separators, three groups of three digits are a number.
  const groupsOfThree: readonly [readonly CharacterClass[], string] = [DIGIT, '\\d{3} \\d{3} \\d{3}']
  return [...PHONES, ...(groupMarks.includes(' ') ? [] : [groupsOfThree])]
}

const PHONES: readonly (readonly [readonly CharacterClass[], string])[] = [
  [SIGN, '\\+\\d{1,3}(?:[ ./-]?\\(?\\d{1,5}\\)?){1,6}'],
  [SIGN, '\\(0?\\d{2,5}\\)[ /-]?\\d{2,4}(?:[ .-]?\\d{2,5}){0,3}'],
  [DIGIT, '(?:1[ .-])?\\d{3}[ .-]\\d{3}[ .-]\\d{4}'],
  [DIGIT, '\\d{3}-\\d{4}'],
  [DIGIT, '0\\d{1,4}(?:[ /-]\\d{2,8}){1,5}'],
  [DIGIT, '0\\d(?:\\.\\d{2}){4}'],
]

function sayPhone(language: SpokenLanguage, number: string): string | null {
  const groups = number.match(/\d+/g) ?? []
  const digits = groups.join('').length
  if (digits < 7 || digits > 16) return null
  const spoken = groups.map((group) => (group.length > 5 ? sayCode(language, group) : sayDigits(language, group)))
  return `${number.startsWith('+') ? `${language.words.plus} ` : ''}${spoken.join(', ')}`
}

function sayAddress(language: SpokenLanguage, address: string): string {
  const [host = '', ...path] = address
    .replace(/^https?:\/\//i, '')
    .replace(/^www\./i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '')
    .split('/')
  const [name = host] = host.split(':', 1)
  const parts = path.join('/').length > MAX_PATH_LENGTH ? [] : path
  return [name, ...parts].map((part) => spell(language, part)).join(` ${language.words.slash} `)
}

/** Spells a part of an address with the names of its symbols. */
function spell(language: SpokenLanguage, part: string): string {
  const { dot, dash, underscore, plus } = language.words
  const signs: Readonly<Record<string, string>> = { '.': dot, '-': dash, _: underscore, '+': plus }
  return part
    .replace(/[._+-]/g, (sign) => ` ${signs[sign]} `)
    .replace(
      /\d+/g,
      (digits) => ` ${digits.length <= 2 ? language.formatCardinal(Number(digits)) : sayDigits(language, digits)} `,
    )
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}
