import type { SpokenLanguage, SpokenTime } from '../languages/spoken-language.ts'
import { buildAlternation, createRule, DIGIT, getLastWord, LETTER, type SpeechRule, WORD_END } from './speech-rule.ts'

/** Returns the rules for dates and times. Month names remain separate words, so that partly heard dates can be reported. */
export function createDateRules(language: SpokenLanguage, monthFirst: boolean): readonly SpeechRule[] {
  return [
    ...createTimeRules(language),
    ...createNumericDateRules(language, monthFirst),
    ...createMonthNameRules(language),
  ]
}

/** Returns the rules for numeric dates. */
function createNumericDateRules(language: SpokenLanguage, monthFirst: boolean): readonly SpeechRule[] {
  return [
    createRule(DIGIT, `(\\d{4})-(\\d{2})-(\\d{2})(?![\\d-])`, ([, year, month, day], precedingText) =>
      sayDate(language, { year, month, day }, precedingText),
    ),
    createRule(
      DIGIT,
      `(\\d{1,2})\\/(\\d{1,2})\\/(\\d{4}|\\d{2})(?![\\d/])`,
      ([, first, second, year], precedingText) => {
        const [preferred, alternative] = monthFirst ? [first, second] : [second, first]
        return (
          sayDate(language, { year, month: preferred, day: alternative }, precedingText) ??
          sayDate(language, { year, month: alternative, day: preferred }, precedingText)
        )
      },
    ),
    createRule(
      DIGIT,
      `(\\d{1,2})([.-])(\\d{1,2})\\2(\\d{4})(?![\\d.-]\\d)`,
      ([, first, mark, second, year], precedingText) =>
        monthFirst && mark === '-'
          ? sayDate(language, { year, month: first, day: second }, precedingText)
          : sayDate(language, { year, month: second, day: first }, precedingText),
    ),
  ]
}

interface WrittenDate {
  readonly year: string | undefined
  readonly month: string | undefined
  readonly day: string | undefined
}

function sayDate(language: SpokenLanguage, written: WrittenDate, precedingText: string): string | null {
  const [month, day, year] = [Number(written.month), Number(written.day), Number(written.year)]
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  const fullYear = written.year?.length === 2 ? year + (year < 70 ? 2000 : 1900) : year
  return language.formatDate({ day, month, year: fullYear }, getLastWord(precedingText))
}

/** Returns the rules for days and years next to a month name. */
function createMonthNameRules(language: SpokenLanguage): readonly SpeechRule[] {
  const shortMonths = language.shortMonths.filter((month) => month !== '-')
  const names = `(?:${buildAlternation([...language.months, ...shortMonths])})`
  const sayDay = ([, digits]: RegExpExecArray, precedingText: string) =>
    Number(digits) >= 1 && Number(digits) <= 31 ? language.formatDay(Number(digits), getLastWord(precedingText)) : null
  const getFullName = ({ groups = {} }: RegExpExecArray) =>
    language.months[language.shortMonths.indexOf(groups.month ?? '')] ?? null
  const afterDay = `(?:\\d{1,2}${language.dayMark.trimEnd()}|\\d{1,2}),? `
  return [
    createRule(DIGIT, `(\\d{1,2})(?:${language.dayMark})(?=${names}${WORD_END})`, (match, precedingText) => {
      const spoken = sayDay(match, precedingText)
      return spoken === null ? null : `${spoken}${getTextAfterDay(match[0])}`
    }),
    createRule(
      DIGIT,
      `(?<=(?<!\\p{L})${names}\\.? )(\\d{1,2})(?:${language.ordinalMark})?(?![\\p{L}\\p{N}]|[.,:/]\\d| ?%)`,
      sayDay,
    ),
    createRule(
      DIGIT,
      `(?<=(?<!\\p{L})${names}\\.? (?:(?:de|del) )?(?:${afterDay})?)(\\d{4})${WORD_END}`,
      ([, digits]) => language.formatYear(Number(digits)),
    ),
    createRule(LETTER, `(?<month>${buildAlternation(shortMonths)})(?:\\.(?= ?\\d)|(?= \\d))`, getFullName),
    createRule(LETTER, `(?<=\\d\\.? )(?<month>${buildAlternation(shortMonths)})(?:\\.|${WORD_END})`, getFullName),
  ]
}

/** Returns the words and the space between day and month. */
function getTextAfterDay(written: string): string {
  const words = /(?<!\p{L})\p{L}+ ?$/u.exec(written.replace(/^\d+(?:st|nd|rd|th|er|º|ª)?/u, ''))?.[0] ?? ''
  return words === '' ? ' ' : ` ${words}`
}

function createTimeRules(language: SpokenLanguage): readonly SpeechRule[] {
  const half = '(?: ?(?<half>[apAP])\\.?[mM](?:\\.|(?![\\p{L}\\p{N}])))'
  const mark = language.timeMark === '' ? '' : `(?:${language.timeMark}(?!\\p{L}))`
  const say = ({ 0: written, groups = {} }: RegExpExecArray): string | null => {
    const time = readTime(language, groups)
    return time === null ? null : language.formatTime(time) + (/m\.$/i.test(written) ? '\u0000' : '')
  }
  const optionalSuffix = mark === '' ? `${half}?` : `(?:${half}|${mark})?`
  const rules = [
    createRule(DIGIT, `(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::\\d{2})?${optionalSuffix}(?!\\p{N}|:\\d)`, say),
    createRule(DIGIT, `(?<hour>\\d{1,2})${half}`, say),
  ]
  if (mark !== '') {
    rules.push(
      createRule(DIGIT, `(?<hour>\\d{1,2}) ?h ?(?<minute>\\d{2})(?![\\p{L}\\p{N}])`, say),
      createRule(DIGIT, `(?<hour>\\d{1,2})(?:\\.(?<minute>\\d{2}))?${mark}`, say),
    )
  }
  if (language.hourWords !== undefined) rules.push(createRule(DIGIT, buildUnmarkedTime(language.hourWords), say))
  return rules
}

/**
 * Returns the pattern for hours and minutes separated by a period, which count as a time only after `words`. Amounts do not
 * count.
 */
function buildUnmarkedTime(words: string): string {
  return `(?<=(?<!\\p{L})(?:${words}) )(?<hour>\\d{1,2})\\.(?<minute>\\d{2})(?![\\p{L}\\p{N}]|[.,:]\\d| ?(?:[%°]|\\p{Sc}))`
}

function readTime(language: SpokenLanguage, groups: Readonly<Record<string, string | undefined>>): SpokenTime | null {
  const hour = Number(groups.hour)
  const minute = Number(groups.minute ?? 0)
  const letter = groups.half?.toLowerCase()
  if (hour > 24 || minute > 59 || (letter !== undefined && (hour > 12 || hour < 1))) return null
  if (letter === undefined) return { hour, minute, half: null }
  if (language.hasMeridiem) return { hour, minute, half: letter === 'a' ? 'am' : 'pm' }
  return { hour: (hour % 12) + (letter === 'a' ? 0 : 12), minute, half: null }
}
