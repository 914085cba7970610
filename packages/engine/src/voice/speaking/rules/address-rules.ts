import type { SpokenLanguage } from '../languages/spoken-language.ts'
import {
  type CharacterClass,
  createRule,
  DIGIT,
  formatCode,
  formatDigits,
  LETTER,
  SIGN,
  type SpeechRule,
} from './speech-rule.ts'

const TOP_LEVEL_DOMAINS =
  'com|org|net|io|ai|app|dev|info|biz|edu|gov|example|co|uk|de|at|ch|fr|es|it|pt|nl|be|eu|us|ca|au|in|br|mx|jp'
/** Maximum length of a path that is spoken. Longer paths are omitted. */
const MAX_PATH_LENGTH = 60

/** Returns the rules for web and email addresses, phone numbers and IP addresses. */
export function createAddressRules(language: SpokenLanguage): readonly SpeechRule[] {
  const { words } = language
  return [
    createRule(['letter', 'digit'], EMAIL, ({ groups = {} }) => {
      return `${spellAddressPart(language, groups.local ?? '')} ${words.at} ${spellAddressPart(language, groups.domain ?? '')}`
    }),
    createRule(LETTER, 'https?:\\/\\/[^\\s<>"]*[\\p{L}\\p{N}\\/]', ([address]) => formatAddress(language, address)),
    createRule(LETTER, 'www\\.[^\\s<>"]*[\\p{L}\\p{N}\\/]', ([address]) => formatAddress(language, address)),
    createRule(['letter', 'digit'], { pattern: HOST, flags: 'i' }, ([address]) =>
      /^[\d.]+$/.test(address) ? null : formatAddress(language, address),
    ),
    createRule(DIGIT, '\\d{1,3}(?:\\.\\d{1,3}){3}(?!\\d|\\.\\d)', ([address]) =>
      address
        .split('.')
        .map((part) => language.formatCardinal(Number(part)))
        .join(` ${words.dot} `),
    ),
    ...listPhonePatterns(language).map(([startClasses, pattern]) =>
      createRule(startClasses, `${pattern}(?![\\p{L}\\p{N}]|[.,:/-]\\d)`, ([number]) => formatPhone(language, number)),
    ),
  ]
}

const EMAIL = '(?<local>[\\p{L}\\p{N}._%+-]{1,64})@(?<domain>[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63}){1,8})'
const HOST =
  `[a-z0-9][a-z0-9-]{0,62}(?:\\.[a-z0-9-]{1,63}){0,6}\\.(?:${TOP_LEVEL_DOMAINS})` +
  '(?:\\/[^\\s<>"]*[\\p{L}\\p{N}\\/])?(?![\\p{L}\\p{N}]|\\.\\p{L})'

function listPhonePatterns(language: SpokenLanguage): readonly (readonly [readonly CharacterClass[], string])[] {
  // With spaces as thousands separators, three groups of three digits are a number.
  const groupsOfThree: readonly [readonly CharacterClass[], string] = [DIGIT, '\\d{3} \\d{3} \\d{3}']
  return [...PHONE_PATTERNS, ...(language.groupSeparators.includes(' ') ? [] : [groupsOfThree])]
}

const PHONE_PATTERNS: readonly (readonly [readonly CharacterClass[], string])[] = [
  [SIGN, '\\+\\d{1,3}(?:[ ./-]?\\(?\\d{1,5}\\)?){1,6}'],
  [SIGN, '\\(0?\\d{2,5}\\)[ /-]?\\d{2,4}(?:[ .-]?\\d{2,5}){0,3}'],
  [DIGIT, '(?:1[ .-])?\\d{3}[ .-]\\d{3}[ .-]\\d{4}'],
  [DIGIT, '\\d{3}-\\d{4}'],
  [DIGIT, '0\\d{1,4}(?:[ /-]\\d{2,8}){1,5}'],
  [DIGIT, '0\\d(?:\\.\\d{2}){4}'],
]

function formatPhone(language: SpokenLanguage, number: string): string | null {
  const groups = number.match(/\d+/g) ?? []
  const digits = groups.join('').length
  if (digits < 7 || digits > 16) return null
  const spokenGroups = groups.map((group) =>
    group.length > 5 ? formatCode(language, group) : formatDigits(language, group),
  )
  return `${number.startsWith('+') ? `${language.words.plus} ` : ''}${spokenGroups.join(', ')}`
}

function formatAddress(language: SpokenLanguage, address: string): string {
  const [host = '', ...path] = address
    .replace(/^https?:\/\//i, '')
    .replace(/^www\./i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '')
    .split('/')
  const [name = host] = host.split(':', 1)
  const parts = path.join('/').length > MAX_PATH_LENGTH ? [] : path
  return [name, ...parts].map((part) => spellAddressPart(language, part)).join(` ${language.words.slash} `)
}

/** Spells a part of an address with the names of its symbols. */
function spellAddressPart(language: SpokenLanguage, part: string): string {
  const { dot, dash, underscore, plus } = language.words
  const symbolNames: Readonly<Record<string, string>> = { '.': dot, '-': dash, _: underscore, '+': plus }
  return part
    .replace(/[._+-]/g, (symbol) => ` ${symbolNames[symbol]} `)
    .replace(
      /\d+/g,
      (digits) => ` ${digits.length <= 2 ? language.formatCardinal(Number(digits)) : formatDigits(language, digits)} `,
    )
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}
