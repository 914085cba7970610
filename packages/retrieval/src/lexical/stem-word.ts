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
import { foldDiacritics } from './fold-text.ts'

/** Endings of nouns and adjectives, longest first, without diacritics. */
const ENDINGS: Readonly<Record<'bg' | 'cs' | 'pl', readonly string[]>> = {
  bg: sortLongestFirst(`а е и о у я ъ ът ят та то те ат ия ият ията ите ето ото ата ята ове овете еве евете овци ища ищата ни ния
    ният ната ното ните на но ен`),
  pl: sortLongestFirst(`a e i o u y ie ia ii iu om em ow ym im ej ach ami ego emu ymi imi ych ich iami iach owi owie owa owe owy
    owych owego owej owym ac al ala ali alo`),
  cs: sortLongestFirst(`a e i o u y ou em im ym um am ech ach ich ych ami emi imi ymi ho eho emu iho imu ete ovi ove ova ovy
    ovych ovou at it al ala ali il ila ili`),
}

function sortLongestFirst(endings: string): string[] {
  return endings.split(/\s+/).sort((left, right) => right.length - left.length || (left < right ? -1 : 1))
}

const MIN_SLAVIC_STEM_LENGTH = 4

/** Removes a case, person or article ending. `word` must be in lower case without diacritics. */
function stemSlavic(language: 'bg' | 'cs' | 'pl', word: string): string {
  for (const ending of ENDINGS[language]) {
    if (word.length - ending.length >= MIN_SLAVIC_STEM_LENGTH && word.endsWith(ending))
      return word.slice(0, -ending.length)
  }
  return word
}

/** Stemmers require lower-case words with diacritics. Stems can have diacritics. */
const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  // The library's Bulgarian stemmer throws an error for any string.
  bg: (word) => stemSlavic('bg', foldDiacritics(word)),
  cs: (word) => stemSlavic('cs', foldDiacritics(word)),
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
  pl: (word) => stemSlavic('pl', foldDiacritics(word)),
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sv: swedish,
  tr: turkish,
  uk: ukrainian,
}

const MIN_STEM_LENGTH = 3
/** Vietnamese does not inflect, and its diacritics distinguish words. */
export const TONAL_LANGUAGE = 'vi'

/** Languages (ISO 639-1) with a stemmer. */
export const STEMMED_LANGUAGES: readonly string[] = Object.keys(STEMMERS)

/** Returns the stem of a word without diacritics. Languages without a stemmer use the folded word. */
export function stemWord(language: string, word: string): string {
  if (language === TONAL_LANGUAGE) return word
  const folded = foldDiacritics(word)
  if (folded.length <= MIN_STEM_LENGTH) return folded
  const stem = foldDiacritics(STEMMERS[language]?.(word) ?? word)
  // Stems of one or two letters would match too much.
  return stem.length < MIN_STEM_LENGTH ? folded : stem
}
