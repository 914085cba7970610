/** The phrase for exactly one ("one dollar"), and the noun after any other number. */
export type Counted = readonly [one: string, many: string]

/** A currency and its hundredth. */
export interface SpokenCurrency {
  readonly major: Counted
  /** `null` if there is none. */
  readonly minor: Counted | null
}

/** `month` counts from 1. */
export interface SpokenDate {
  readonly day: number
  readonly month: number
  readonly year: number | null
}

/** For example "million". */
export interface Magnitude {
  /** Form after numbers other than one. */
  readonly word: string
  readonly factor: number
}

export interface SpokenTime {
  readonly hour: number
  readonly minute: number
  /** "a.m." or "p.m." as written; `null` without it and in languages that use 24 hours. */
  readonly half: 'am' | 'pm' | null
}

/** How a language speaks numbers and symbols. */
export interface SpokenLanguage {
  readonly decimalMark: '.' | ','
  /** Thousands separators, as the inside of a character class. */
  readonly groupMarks: string
  /** Supports 0 to 999,999,999,999,999. */
  cardinal(value: number): string
  /** An ordinal from 1 on after the word `before`; `null` if there is no short form. */
  ordinal(value: number, before: string): string | null
  /** Suffix of written ordinals, as a regular expression. */
  readonly ordinalMark: string
  /** Whether a number with an ordinal suffix is an ordinal between these words; always if absent. */
  isOrdinal?(before: string, following: string): boolean
  year(value: number): string
  /** Joins a spoken number and its noun; by default with a space. */
  withNoun?(spoken: string, noun: string): string
  readonly months: readonly string[]
  /** Abbreviations without the period. */
  readonly shortMonths: readonly string[]
  /** `before` is the previous word. */
  date(date: SpokenDate, before: string): string
  /** The day before or after the name of a month. */
  day(value: number, before: string): string
  /** Text between a day and the name of a month, as a regular expression. */
  readonly dayMark: string
  time(time: SpokenTime): string
  /** Distinguishes "a.m." and "p.m.". */
  readonly hasMeridiem: boolean
  /** Suffix of times, as a regular expression. */
  readonly timeMark: string
  /** Words that turn a following "9.30" into a time, as a regular expression. */
  readonly hourWords?: string
  readonly words: {
    readonly point: string
    readonly minus: string
    readonly plus: string
    readonly equals: string
    readonly times: string
    readonly and: string
    readonly to: string
    readonly about: string
    readonly percent: string
    readonly number: string
    readonly at: string
    readonly dot: string
    readonly slash: string
    readonly dash: string
    readonly underscore: string
  }
  readonly currencies: Readonly<Record<string, SpokenCurrency>>
  /** Joins the units and hundredths of an amount. */
  readonly moneyConjunction: string
  /** Words after a number, by spelling. */
  readonly magnitudes: Readonly<Record<string, Magnitude>>
  readonly units: Readonly<Record<string, Counted>>
  /** Keys omit the final period, which is optional unless included; case-sensitive. */
  readonly abbreviations: Readonly<Record<string, string>>
  /** Words that turn four following digits into a year, as a regular expression. */
  readonly yearWords: string
  /** Language-specific patterns and their spoken form. */
  readonly specialCases: readonly (readonly [pattern: string, spoken: string])[]
  /** Speaks "3,50" as "three comma fifty". */
  readonly readsFractionsAsNumbers: boolean
  readonly fractions: Readonly<Record<string, string>>
}

/** Splits a number below 10^15 into groups of thousands, highest first, without empty ones. */
export function splitThousands(value: number): readonly { readonly power: number; readonly value: number }[] {
  const groups: { power: number; value: number }[] = []
  for (let power = 0, rest = value; rest > 0; power += 1, rest = Math.floor(rest / 1000)) {
    if (rest % 1000 > 0) groups.unshift({ power, value: rest % 1000 })
  }
  return groups
}
