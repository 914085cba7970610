/** Endings of nouns and adjectives, longest first, without marks. */
const ENDINGS: Readonly<Record<'bg' | 'cs' | 'pl', readonly string[]>> = {
  bg: longestFirst(`а е и о у я ъ ът ят та то те ат ия ият ията ите ето ото ата ята ове овете еве евете овци ища ищата ни ния
    ният ната ното ните на но ен`),
  pl: longestFirst(`a e i o u y ie ia ii iu om em ow ym im ej ach ami ego emu ymi imi ych ich iami iach owi owie owa owe owy
    owych owego owej owym ac al ala ali alo`),
  cs: longestFirst(`a e i o u y ou em im ym um am ech ach ich ych ami emi imi ymi ho eho emu iho imu ete ovi ove ova ovy
    ovych ovou at it al ala ali il ila ili`),
}

function longestFirst(endings: string): string[] {
  return endings.split(/\s+/).sort((left, right) => right.length - left.length || (left < right ? -1 : 1))
}

const MIN_STEM_LENGTH = 4

/** A word without the ending of its case, person or article. A light stemmer of our own: `word` is lower case and without marks. */
export function stemSlavic(language: 'bg' | 'cs' | 'pl', word: string): string {
  for (const ending of ENDINGS[language]) {
    if (word.length - ending.length >= MIN_STEM_LENGTH && word.endsWith(ending)) return word.slice(0, -ending.length)
  }
  return word
}
