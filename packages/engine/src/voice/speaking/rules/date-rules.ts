import type { SpokenLanguage, SpokenTime } from '../languages/spoken-language.ts'
import { buildAlternation, createRule, DIGIT, getLastWord, LETTER, type SpeechRule, WORD_END } from './speech-rule.ts'

/** Returns the rules for dates and times. Month names remain separate words, so that partly heard dates can be reported. */
export function createDateRules(language: SpokenLanguage, isMonthFirst: boolean): readonly SpeechRule[] {
  return [
    ...createTimeRules(language),
    ...createNumericDateRules(language, isMonthFirst),
    ...createMonthNameRules(language),
  ]
}

function createNumericDateRules(language: SpokenLanguage, isMonthFirst: boolean): readonly SpeechRule[] {
  return [
    createRule(DIGIT, `(\\d{4})-(\\d{2})-(\\d{2})(?![\\d-])`, ([, year, month, day], precedingText) =>
      formatWrittenDate(language, { year, month, day }, precedingText),
    ),
    createRule(
      DIGIT,
      `(\\d{1,2})\\/(\\d{1,2})\\/(\\d{4}|\\d{2})(?![\\d/])`,
      ([, first, second, year], precedingText) => {
        const [month, day] = isMonthFirst ? [first, second] : [second, first]
        return (
          formatWrittenDate(language, { year, month, day }, precedingText) ??
          formatWrittenDate(language, { year, month: day, day: month }, precedingText)
        )
      },
    ),
    createRule(
      DIGIT,
      `(\\d{1,2})([.-])(\\d{1,2})\\2(\\d{4})(?![\\d.-]\\d)`,
      ([, first, mark, second, year], precedingText) =>
        isMonthFirst && mark === '-'
          ? formatWrittenDate(language, { year, month: first, day: second }, precedingText)
          : formatWrittenDate(language, { year, month: second, day: first }, precedingText),
    ),
  ]
}

interface WrittenDate {
  readonly year: string | undefined
  readonly month: string | undefined
  readonly day: string | undefined
}

function formatWrittenDate(language: SpokenLanguage, writtenDate: WrittenDate, precedingText: string): string | null {
  const [month, day, year] = [Number(writtenDate.month), Number(writtenDate.day), Number(writtenDate.year)]
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  const fullYear = writtenDate.year?.length === 2 ? year + (year < 70 ? 2000 : 1900) : year
  return language.formatDate({ day, month, year: fullYear }, getLastWord(precedingText))
}

/** Returns the rules for days and years next to a month name. */
function createMonthNameRules(language: SpokenLanguage): readonly SpeechRule[] {
  const shortMonths = language.shortMonths.filter((month) => month !== '-')
  const monthNames = `(?:${buildAlternation([...language.months, ...shortMonths])})`
  const formatMatchedDay = ([, digits]: RegExpExecArray, precedingText: string) =>
    Number(digits) >= 1 && Number(digits) <= 31 ? language.formatDay(Number(digits), getLastWord(precedingText)) : null
  const getFullName = ({ groups = {} }: RegExpExecArray) =>
    language.months[language.shortMonths.indexOf(groups.month ?? '')] ?? null
  const dayPattern = `(?:\\d{1,2}${language.daySeparator.trimEnd()}|\\d{1,2}),? `
  return [
    createRule(DIGIT, `(\\d{1,2})(?:${language.daySeparator})(?=${monthNames}${WORD_END})`, (match, precedingText) => {
      const spokenDay = formatMatchedDay(match, precedingText)
      return spokenDay === null ? null : `${spokenDay}${getTextAfterDay(match[0])}`
    }),
    createRule(
      DIGIT,
      `(?<=(?<!\\p{L})${monthNames}\\.? )(\\d{1,2})(?:${language.ordinalSuffix})?(?![\\p{L}\\p{N}]|[.,:/]\\d| ?%)`,
      formatMatchedDay,
    ),
    createRule(
      DIGIT,
      `(?<=(?<!\\p{L})${monthNames}\\.? (?:(?:de|del) )?(?:${dayPattern})?)(\\d{4})${WORD_END}`,
      ([, digits]) => language.formatYear(Number(digits)),
    ),
    createRule(LETTER, `(?<month>${buildAlternation(shortMonths)})(?:\\.(?= ?\\d)|(?= \\d))`, getFullName),
    createRule(LETTER, `(?<=\\d\\.? )(?<month>${buildAlternation(shortMonths)})(?:\\.|${WORD_END})`, getFullName),
  ]
}

/** Returns the text between a day and a month, including the spaces. */
function getTextAfterDay(writtenText: string): string {
  const words = /(?<!\p{L})\p{L}+ ?$/u.exec(writtenText.replace(/^\d+(?:st|nd|rd|th|er|º|ª)?/u, ''))?.[0] ?? ''
  return words === '' ? ' ' : ` ${words}`
}

function createTimeRules(language: SpokenLanguage): readonly SpeechRule[] {
  const meridiemPattern = '(?: ?(?<meridiem>[apAP])\\.?[mM](?:\\.|(?![\\p{L}\\p{N}])))'
  const suffixPattern = language.timeSuffix === '' ? '' : `(?:${language.timeSuffix}(?!\\p{L}))`
  const formatMatchedTime = ({ 0: writtenText, groups = {} }: RegExpExecArray): string | null => {
    const time = parseTime(language, groups)
    return time === null ? null : language.formatTime(time) + (/m\.$/i.test(writtenText) ? '\u0000' : '')
  }
  const optionalSuffix = suffixPattern === '' ? `${meridiemPattern}?` : `(?:${meridiemPattern}|${suffixPattern})?`
  const rules = [
    createRule(
      DIGIT,
      `(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::\\d{2})?${optionalSuffix}(?!\\p{N}|:\\d)`,
      formatMatchedTime,
    ),
    createRule(DIGIT, `(?<hour>\\d{1,2})${meridiemPattern}`, formatMatchedTime),
  ]
  if (suffixPattern !== '') {
    rules.push(
      createRule(DIGIT, `(?<hour>\\d{1,2}) ?h ?(?<minute>\\d{2})(?![\\p{L}\\p{N}])`, formatMatchedTime),
      createRule(DIGIT, `(?<hour>\\d{1,2})(?:\\.(?<minute>\\d{2}))?${suffixPattern}`, formatMatchedTime),
    )
  }
  if (language.hourWords !== undefined)
    rules.push(createRule(DIGIT, buildDottedTimePattern(language.hourWords), formatMatchedTime))
  return rules
}

/**
 * Builds a pattern for times such as "9.30", which count as times only after `words` and not before a percent, degree or
 * currency sign.
 */
function buildDottedTimePattern(words: string): string {
  return `(?<=(?<!\\p{L})(?:${words}) )(?<hour>\\d{1,2})\\.(?<minute>\\d{2})(?![\\p{L}\\p{N}]|[.,:]\\d| ?(?:[%°]|\\p{Sc}))`
}

function parseTime(language: SpokenLanguage, groups: Readonly<Record<string, string | undefined>>): SpokenTime | null {
  const hour = Number(groups.hour)
  const minute = Number(groups.minute ?? 0)
  const meridiemLetter = groups.meridiem?.toLowerCase()
  if (hour > 24 || minute > 59 || (meridiemLetter !== undefined && (hour > 12 || hour < 1))) return null
  if (meridiemLetter === undefined) return { hour, minute, meridiem: null }
  if (language.hasMeridiem) return { hour, minute, meridiem: meridiemLetter === 'a' ? 'am' : 'pm' }
  return { hour: (hour % 12) + (meridiemLetter === 'a' ? 0 : 12), minute, meridiem: null }
}
