import type { Counted } from './spoken-language.ts'

/** What French, Spanish, Italian and Portuguese have in common. */

/** "un euro, euros" of a word with this article. */
export function countedNoun(article: string): (word: string, many?: string) => Counted {
  return (word, many = `${word}s`) => [`${article} ${word}`, many]
}

/** Measures that are named alike up to their spelling, which is given in this order. */
export function metricUnits(names: {
  readonly kilometers: Counted
  readonly meters: Counted
  readonly centimeters: Counted
  readonly millimeters: Counted
  readonly squareMeters: Counted
  readonly kilograms: Counted
  readonly grams: Counted
  readonly milligrams: Counted
  readonly liters: Counted
  readonly milliliters: Counted
  readonly degrees: Counted
  readonly minutes: Counted
  readonly hours: Counted
  readonly perHour: string
}): Readonly<Record<string, Counted>> {
  const { kilometers, degrees } = names
  const withSuffix = ([one, many]: Counted, words: string): Counted => [`${one} ${words}`, `${many} ${words}`]
  return {
    'km/h': withSuffix(kilometers, names.perHour),
    km: kilometers,
    m: names.meters,
    cm: names.centimeters,
    mm: names.millimeters,
    'm²': names.squareMeters,
    kg: names.kilograms,
    g: names.grams,
    mg: names.milligrams,
    l: names.liters,
    ml: names.milliliters,
    '°C': degrees,
    '°': degrees,
    min: names.minutes,
    h: names.hours,
  }
}
