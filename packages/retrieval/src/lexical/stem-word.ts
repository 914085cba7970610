import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian'
import { foldMarks } from './fold-text.ts'
import { stemSlavic } from './slavic-stem.ts'

/** Lower-case words with their marks go in, stems with or without marks come out. */
const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  // The library's Bulgarian stemmer writes into the word and throws on strings.
  bg: (word) => stemSlavic('bg', foldMarks(word)),
  cs: (word) => stemSlavic('cs', foldMarks(word)),
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  hu: hungarian,
  it: italian,
  nl: dutch,
  no: norwegian,
  pl: (word) => stemSlavic('pl', foldMarks(word)),
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sv: swedish,
  tr: turkish,
  uk: ukrainian,
}

const MIN_STEM_LENGTH = 3
/** Vietnamese: marks tell its words apart, and nothing is inflected. */
export const TONAL_LANGUAGE = 'vi'

/** The languages (ISO 639-1) that have a stemmer. */
export const STEMMED_LANGUAGES: readonly string[] = Object.keys(STEMMERS)

/** What the forms of a word have in common, without marks; the word itself in a language that has no stemmer. */
export function stemWord(language: string, word: string): string {
  if (language === TONAL_LANGUAGE) return word
  const folded = foldMarks(word)
  if (folded.length <= MIN_STEM_LENGTH) return folded
  const stem = foldMarks(STEMMERS[language]?.(word) ?? word)
  // Stemmers cut some words to a letter or two, where everything looks alike.
  return stem.length < MIN_STEM_LENGTH ? folded : stem
}
