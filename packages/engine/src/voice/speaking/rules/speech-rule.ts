import type { SpokenLanguage } from '../languages/spoken-language.ts'

export type CharacterClass = 'letter' | 'digit' | 'dash' | 'sign'

export function getCharacterClass(text: string, position: number): CharacterClass {
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0)
  if (/\p{N}/u.test(character)) return 'digit'
  if (/\p{L}/u.test(character)) return 'letter'
  return /[-−–]/.test(character) ? 'dash' : 'sign'
}

/** A rule that converts matching text to its spoken form. */
export interface SpeechRule {
  /** Classes of the characters at which a match can start. */
  readonly startClasses: readonly CharacterClass[]
  /** Sticky pattern, which matches at the current position. */
  readonly pattern: RegExp
  /** Returns the spoken text, or `null` if the rule does not apply. `precedingText` ends at the match. */
  readonly toSpoken: (match: RegExpExecArray, precedingText: string) => string | null
}

/** Creates a rule from a regular expression with the `u` flag. */
export function createRule(
  startClasses: readonly CharacterClass[],
  source: string | { readonly pattern: string; readonly flags: 'i' },
  toSpoken: SpeechRule['toSpoken'],
): SpeechRule {
  const { pattern, flags } = typeof source === 'string' ? { pattern: source, flags: '' } : source
  return { startClasses, pattern: new RegExp(pattern, `yu${flags}`), toSpoken }
}

export const DIGIT = ['digit'] as const
export const LETTER = ['letter'] as const
export const SIGN = ['sign'] as const
export const NUMBER = ['digit', 'dash'] as const

/** Matches the sign of a negative number, but not a dash between numbers or words. */
export const MINUS = '(?<minus>[-−](?<![\\p{L}\\p{N}%)€].|(?:[\\p{N}%)€]|\\d ?[ap]\\.?m\\.?) .))?'

/** Matches a position that no letter or digit follows. */
export const WORD_END = '(?![\\p{L}\\p{N}])'

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Builds a pattern that matches any of the texts and prefers the longest. */
export function buildAlternation(texts: readonly string[]): string {
  return [...texts]
    .sort((first, second) => second.length - first.length)
    .map(escapePattern)
    .join('|')
}

/**
 * Builds a pattern for numbers with the groups `whole` and `fraction`. One or two decimals may follow another language's
 * separator, because they cannot be a group of thousands.
 */
export function buildNumberPattern({ decimalSeparator, groupSeparators }: SpokenLanguage): string {
  const foreignMark = decimalSeparator === '.' ? ',' : '.'
  const foreignSeparator = `(?<!\\d[.,]\\d+)${escapePattern(foreignMark)}(?=\\d{1,2}(?!\\d|[.,]\\d))`
  return `(?<whole>\\d{1,3}(?:[${groupSeparators}]\\d{3})+(?!\\d)|\\d+)(?:(?:${escapePattern(decimalSeparator)}|${foreignSeparator})(?<fraction>\\d+))?`
}

/** Returns the words for each digit. */
export function formatDigits(language: SpokenLanguage, digits: string): string {
  return [...digits].map((digit) => language.formatCardinal(Number(digit))).join(' ')
}

/** Returns the words for each digit, with a comma after each group of three or four. */
export function formatCode(language: SpokenLanguage, digits: string): string {
  const groupSize = digits.length % 4 === 0 || digits.length % 3 === 1 ? 4 : 3
  const groups = digits.length <= 4 ? [digits] : (digits.match(new RegExp(`\\d{1,${groupSize}}`, 'g')) ?? [])
  return groups.map((group) => formatDigits(language, group)).join(', ')
}

/** Removes the separators from a number's whole part. */
export function stripSeparators(whole: string): string {
  return whole.replace(/\D/g, '')
}

/** Returns the words for a whole number. Very large numbers and numbers with a leading 0 are spoken digit by digit. */
export function formatWholeNumber(language: SpokenLanguage, whole: string): string {
  const digits = stripSeparators(whole)
  if (digits.length > 15 || /^0\d/.test(digits)) return formatCode(language, digits)
  return language.formatCardinal(Number(digits))
}

export function formatNumber(language: SpokenLanguage, whole: string, fraction: string | undefined): string {
  const spokenWhole = formatWholeNumber(language, whole)
  if (fraction === undefined) return spokenWhole
  const isReadAsNumber = language.readsFractionsAsNumbers && fraction.length <= 2 && !fraction.startsWith('0')
  const spokenFraction = isReadAsNumber ? language.formatCardinal(Number(fraction)) : formatDigits(language, fraction)
  return `${spokenWhole} ${language.words.point} ${spokenFraction}`
}

/** Returns the last word of a text, without punctuation. */
export function getLastWord(precedingText: string): string {
  return /(?<![\p{L}\p{M}])([\p{L}\p{M}]+)[.,:]?\s*$/u.exec(precedingText.slice(-40))?.[1] ?? ''
}
