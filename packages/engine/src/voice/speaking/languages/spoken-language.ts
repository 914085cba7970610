/** The phrase for exactly one ("one dollar") and the noun after any other number. */
export type CountedNoun = readonly [singular: string, plural: string]

interface SpokenCurrency {
  readonly major: CountedNoun
  /** The hundredth of the currency, or `null` if there is none. */
  readonly minor: CountedNoun | null
}

/** `month` counts from 1. */
export interface SpokenDate {
  readonly day: number
  readonly month: number
  readonly year: number | null
}

/** A magnitude such as "million". */
interface Magnitude {
  /** Form after numbers other than one. */
  readonly word: string
  readonly factor: number
}

export interface SpokenTime {
  readonly hour: number
  readonly minute: number
  /** The written "a.m." or "p.m.", or `null` if it is absent or the language uses a 24-hour clock. */
  readonly meridiem: 'am' | 'pm' | null
}

const SYMBOLS = 'point minus plus equals times and to about percent number at dot slash dash underscore'
type Words<List> = List extends `${infer First} ${infer Rest}` ? First | Words<Rest> : List

/** A language's rules for speaking numbers and symbols. */
export interface SpokenLanguage {
  readonly decimalSeparator: '.' | ','
  /** Thousands separators, as the content of a character class in a regular expression. */
  readonly groupSeparators: string
  /** Returns the words for a number from 0 to 999,999,999,999,999. */
  formatCardinal(value: number): string
  /** Returns the ordinal of a number from 1, inflected for the previous word, or `null` if there is no short form. */
  formatOrdinal(value: number, previousWord: string): string | null
  /** Suffix of written ordinals, as a regular expression. */
  readonly ordinalSuffix: string
  /** Whether a number with an ordinal suffix is an ordinal in this context. Omitted if it always is. */
  isOrdinal?(previousWord: string, followingText: string): boolean
  formatYear(value: number): string
  /** Joins a spoken number and its noun. The default joins them with a space. */
  joinNoun?(spokenNumber: string, noun: string): string
  readonly months: readonly string[]
  /** Month abbreviations without the period. */
  readonly shortMonths: readonly string[]
  formatDate(date: SpokenDate, previousWord: string): string
  /** Returns the words for the day before or after a month name. */
  formatDay(value: number, previousWord: string): string
  /** Text between a day and a month name, as a regular expression. */
  readonly daySeparator: string
  formatTime(time: SpokenTime): string
  /** Whether times distinguish "a.m." and "p.m.". */
  readonly hasMeridiem: boolean
  /** Suffix of times, as a regular expression. */
  readonly timeSuffix: string
  /** Words after which "9.30" is a time, as a regular expression. */
  readonly hourWords?: string
  readonly words: Readonly<Record<Words<typeof SYMBOLS>, string>>
  readonly currencies: Readonly<Record<string, SpokenCurrency>>
  /** Text between the units and hundredths of an amount. */
  readonly moneyConjunction: string
  /** Magnitudes by their written forms. */
  readonly magnitudes: Readonly<Record<string, Magnitude>>
  readonly units: Readonly<Record<string, CountedNoun>>
  /** Abbreviations and their spoken forms. Case-sensitive keys omit the final period, which is optional unless included. */
  readonly abbreviations: Readonly<Record<string, string>>
  /** Words after which four digits are a year, as a regular expression. */
  readonly yearWords: string
  /** Language-specific patterns and their spoken forms. */
  readonly specialCases: readonly (readonly [pattern: string, spokenText: string])[]
  /** Whether "3,50" is spoken as "three comma fifty". */
  readonly readsFractionsAsNumbers: boolean
  readonly fractions: Readonly<Record<string, string>>
}

const splitEntries = (list: string) => list.split('|').map((entry) => entry.trim())

/** Parses a word list such as "Dr.=Doctor | Mr.=Mister". */
export function parseWordTable(list: string): Readonly<Record<string, string>> {
  return Object.fromEntries(splitEntries(list).map((entry) => entry.split('=')))
}

/** Parses the spoken symbols, in the order of {@link SYMBOLS}. */
export function parseSpokenSymbols(list: string): SpokenLanguage['words'] {
  const words = splitEntries(list)
  return Object.fromEntries(SYMBOLS.split(' ').map((name, index) => [name, words[index]])) as SpokenLanguage['words']
}

/** Splits a number below 10^15 into groups of thousands, highest first, omitting empty groups. */
export function splitThousands(value: number): readonly { readonly power: number; readonly value: number }[] {
  const groups: { power: number; value: number }[] = []
  for (let power = 0, remainder = value; remainder > 0; power += 1, remainder = Math.floor(remainder / 1000)) {
    if (remainder % 1000 > 0) groups.unshift({ power, value: remainder % 1000 })
  }
  return groups
}

/** Parses entries such as "lb;lbs=one pound, pounds" into pairs of a key and its values. */
function parseListTable(list: string): readonly (readonly [key: string, values: readonly string[]])[] {
  return splitEntries(list).flatMap((entry) => {
    const [keys = '', values = ''] = entry.split('=')
    return keys.split(';').map((key) => [key, values.split(', ')] as const)
  })
}

/** Parses a list such as "ft=one foot, feet". */
export function parseCountedTable(list: string): Readonly<Record<string, CountedNoun>> {
  return Object.fromEntries(
    parseListTable(list).map(([key, [singular = '', plural = '']]) => [key, [singular, plural]]),
  )
}

/** Parses a list such as "$=one dollar, dollars, one cent, cents". */
export function parseCurrencyTable(list: string): Readonly<Record<string, SpokenCurrency>> {
  return Object.fromEntries(
    parseListTable(list).map(([key, [singular = '', plural = '', minorSingular = '', minorPlural]]) => [
      key,
      { major: [singular, plural], minor: minorPlural === undefined ? null : [minorSingular, minorPlural] },
    ]),
  )
}

/** Parses a list such as "M;million=million, 1e6". */
export function parseMagnitudeTable(list: string): Readonly<Record<string, Magnitude>> {
  return Object.fromEntries(
    parseListTable(list).map(([key, [word = '', factor]]) => [key, { word, factor: Number(factor) }]),
  )
}
