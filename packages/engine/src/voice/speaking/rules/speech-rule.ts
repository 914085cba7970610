import type { SpokenLanguage } from '../languages/spoken-language.ts'

/** What a piece of text begins with: a letter, a figure, a minus or dash, any other sign. */
export type CharacterClass = 'letter' | 'figure' | 'dash' | 'sign'

/** What the character at a place is. */
export function characterClassAt(text: string, position: number): CharacterClass {
  const first = String.fromCodePoint(text.codePointAt(position) ?? 0)
  if (/\p{N}/u.test(first)) return 'figure'
  if (/\p{L}/u.test(first)) return 'letter'
  return /[-−–]/.test(first) ? 'dash' : 'sign'
}

/** Words for a piece of text that is not written as it is spoken. */
export interface SpeechRule {
  /** It is not tried where anything else stands. */
  readonly startClasses: readonly CharacterClass[]
  /** Sticky: it is tried at every place that does not stand within a word or a number. */
  readonly pattern: RegExp
  /** `null`: the piece is something else after all. `before` is the text in front of it. */
  readonly say: (match: RegExpExecArray, before: string) => string | null
}

/** A rule of a regular expression in the notation with `u`. */
export function rule(
  startClasses: readonly CharacterClass[],
  given: string | { readonly pattern: string; readonly flags: 'i' },
  say: SpeechRule['say'],
): SpeechRule {
  const { pattern, flags } = typeof given === 'string' ? { pattern: given, flags: '' } : given
  return { startClasses, pattern: new RegExp(pattern, `yu${flags}`), say }
}

export const DIGIT = ['figure'] as const
export const LETTER = ['letter'] as const
export const SIGN = ['sign'] as const
export const NUMBER = ['figure', 'dash'] as const

/** A sign of a negative number, not a dash between two, nor one within a word. */
export const MINUS = '(?<minus>[-−](?<![\\p{L}\\p{N}%)€].|(?:[\\p{N}%)€]|\\d ?[ap]\\.?m\\.?) .))?'

/** No letter or figure follows. */
export const WORD_END = '(?![\\p{L}\\p{N}])'

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** One of these, longest first. */
export function anyOf(texts: readonly string[]): string {
  return [...texts]
    .sort((one, other) => other.length - one.length)
    .map(escaped)
    .join('|')
}

/**
 * A number as a language writes it, in the groups `whole` and `fraction`. One or two decimals may stand behind the mark that
 * others use for them: as many never are a group of thousands.
 */
export function numberPattern({ decimalMark, groupMarks }: SpokenLanguage): string {
  const foreignMark = decimalMark === '.' ? ',' : '.'
  const foreign = `(?<!\\d[.,]\\d+)${escaped(foreignMark)}(?=\\d{1,2}(?!\\d|[.,]\\d))`
  return `(?<whole>\\d{1,3}(?:[${groupMarks}]\\d{3})+(?!\\d)|\\d+)(?:(?:${escaped(decimalMark)}|${foreign})(?<fraction>\\d+))?`
}

/** Figures one by one. */
export function sayDigits(language: SpokenLanguage, digits: string): string {
  return [...digits].map((digit) => language.cardinal(Number(digit))).join(' ')
}

/** Figures one by one, with a pause behind each group of three or four. */
export function sayCode(language: SpokenLanguage, digits: string): string {
  const size = digits.length % 4 === 0 || digits.length % 3 === 1 ? 4 : 3
  const groups = digits.length <= 4 ? [digits] : (digits.match(new RegExp(`\\d{1,${size}}`, 'g')) ?? [])
  return groups.map((group) => sayDigits(language, group)).join(', ')
}

/** The whole part of a number without the marks between its groups. */
export function plainDigits(whole: string): string {
  return whole.replace(/\D/g, '')
}

/** Numbers that no name was made for, and those that begin with 0, are read figure by figure. */
export function sayWhole(language: SpokenLanguage, whole: string): string {
  const digits = plainDigits(whole)
  if (digits.length > 15 || /^0\d/.test(digits)) return sayCode(language, digits)
  return language.cardinal(Number(digits))
}

export function sayNumber(language: SpokenLanguage, whole: string, fraction: string | undefined): string {
  const spoken = sayWhole(language, whole)
  if (fraction === undefined) return spoken
  const short = language.readsFractionsAsNumbers && fraction.length <= 2 && !fraction.startsWith('0')
  const spokenFraction = short ? language.cardinal(Number(fraction)) : sayDigits(language, fraction)
  return `${spoken} ${language.words.point} ${spokenFraction}`
}

/** The last word in front of a place, without punctuation. */
export function lastWord(before: string): string {
  return /(?<![\p{L}\p{M}])([\p{L}\p{M}]+)[.,:]?\s*$/u.exec(before.slice(-40))?.[1] ?? ''
}
