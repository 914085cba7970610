import type { Counted } from './spoken-language.ts'

/** What French, Spanish, Italian and Portuguese have in common. */

/** "un euro, euros" of a word with this article. */
export function countedWith(article: string): (word: string, many?: string) => Counted {
  return (word, many = `${word}s`) => [`${article} ${word}`, many]
}

/** Measures that are named alike up to their spelling, which is given in this order. */
export function metricUnits(names: {
  readonly kilometres: Counted
  readonly metres: Counted
  readonly centimetres: Counted
  readonly millimetres: Counted
  readonly squareMetres: Counted
  readonly kilograms: Counted
  readonly grams: Counted
  readonly milligrams: Counted
  readonly litres: Counted
  readonly millilitres: Counted
  readonly degrees: Counted
  readonly minutes: Counted
  readonly hours: Counted
  readonly perHour: string
}): Readonly<Record<string, Counted>> {
  const { kilometres, degrees } = names
  const behind = ([one, many]: Counted, words: string): Counted => [`${one} ${words}`, `${many} ${words}`]
  return {
    'km/h': behind(kilometres, names.perHour),
    km: kilometres,
    m: names.metres,
    cm: names.centimetres,
    mm: names.millimetres,
    'm²': names.squareMetres,
    kg: names.kilograms,
    g: names.grams,
    mg: names.milligrams,
    l: names.litres,
    ml: names.millilitres,
    '°C': degrees,
    '°': degrees,
    min: names.minutes,
    h: names.hours,
  }
}
