/** A phrase for exactly one, the number included ("one dollar"), and the word behind any other number. */
export type Counted = readonly [one: string, many: string]

/** An amount of money: its unit and the hundredth of it. */
export interface SpokenCurrency {
  readonly major: Counted
  /** `null`: there is none. */
  readonly minor: Counted | null
}

/** `month` counts from 1. */
export interface SpokenDate {
  readonly day: number
  readonly month: number
  readonly year: number | null
}

/** "million" and the like. */
export interface Magnitude {
  /** As it stands behind a number that is not one. */
  readonly word: string
  readonly factor: number
}

export interface SpokenTime {
  readonly hour: number
  readonly minute: number
  /** As it is written, "a.m." or "p.m."; `null` without it, and in languages that name no halves: their hours are those of 24. */
  readonly half: 'am' | 'pm' | null
}

/** How a language says what is written in figures and signs. */
export interface SpokenLanguage {
  readonly decimalMark: '.' | ','
  /** Marks that set thousands apart, as the inside of a character class. */
  readonly groupMarks: string
  /** From 0 to 999,999,999,999,999. */
  cardinal(value: number): string
  /** A number from 1 on; `null` where the language has no short way to say it. `before`: the word in front of it. */
  ordinal(value: number, before: string): string | null
  /** What an ordinal ends with in writing, as a regular expression. */
  readonly ordinalMark: string
  /** Whether figures with an ordinal mark are an ordinal where they stand between these words; always, where there is no such. */
  isOrdinal?(before: string, following: string): boolean
  year(value: number): string
  /** A spoken number and the noun it counts, where more than a space joins them. */
  withNoun?(spoken: string, noun: string): string
  readonly months: readonly string[]
  /** Written short, without the full stop. */
  readonly shortMonths: readonly string[]
  /** `before`: the word in front of it. */
  date(date: SpokenDate, before: string): string
  /** The day of a month whose name is spoken as it is written. */
  day(value: number, before: string): string
  /** Between the day and the name of the month in writing, as a regular expression. */
  readonly dayMark: string
  time(time: SpokenTime): string
  /** Has words for "a.m." and "p.m.". */
  readonly hasMeridiem: boolean
  /** Written behind a time of day, as a regular expression. */
  readonly timeMark: string
  /** Words in front of two figures, a full stop and two figures that make them a time of day, as a regular expression. */
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
  /** Between the units and the hundredths of an amount. */
  readonly moneyConjunction: string
  /** Written behind a number, by the way they are written. */
  readonly magnitudes: Readonly<Record<string, Magnitude>>
  readonly units: Readonly<Record<string, Counted>>
  /** Written without the full stop, which is optional unless it is part of the key; upper and lower case count. */
  readonly abbreviations: Readonly<Record<string, string>>
  /** Words in front of four figures that make them a year, as a regular expression. */
  readonly yearWords: string
  /** What only this language does: a regular expression, and what is said for it. */
  readonly specialCases: readonly (readonly [pattern: string, spoken: string])[]
  /** "3,50" is said as "three comma fifty". */
  readonly readsFractionsAsNumbers: boolean
  readonly fractions: Readonly<Record<string, string>>
}

/** Splits a number below 10^15 into its groups of thousands, highest first, without empty ones. */
export function splitThousands(value: number): readonly { readonly power: number; readonly value: number }[] {
  const groups: { power: number; value: number }[] = []
  for (let power = 0, rest = value; rest > 0; power += 1, rest = Math.floor(rest / 1000)) {
    if (rest % 1000 > 0) groups.unshift({ power, value: rest % 1000 })
  }
  return groups
}
