/** How a word is expected to sound. */
export interface SpokenWeight {
  /** How long it takes, in letters of an ordinary word; each group of vowels counts as one more. */
  readonly length: number
  /** Vowels that are heard apart from each other; a half is one that is often silent. 0: its writing does not tell. */
  readonly syllables: number
  /** Sounds that hiss in most languages. */
  readonly hisses: number
  /** A mark stands behind it. */
  readonly hasPunctuation: boolean
}

/** What is drawn out before a mark and at the end of a text takes as long as so many letters. */
const PUNCTUATION_LENGTH = 2.5

/** How long a word takes where it stands, in letters. */
export function lengthInText({ length, hasPunctuation }: SpokenWeight, isLast: boolean): number {
  return length + (hasPunctuation || isLast ? PUNCTUATION_LENGTH : 0)
}

const PUNCTUATION = /[.!?…:,;–—-]["'”’»)]*$/
const VOWELS = /[aeiouyæœøıаеиоуыэюяієαεηιουω]+/g
const SILENT_ENDING = /[^aeiouy]e[sd]?\P{L}*$/u
const HISSES = /sch|sh?|z+|x|ch(?=[ei])|c(?=[eiy])|[сзшщжцчσς]/g
/** One character is a syllable, or close to one. */
const SYLLABIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
const SYLLABLE_LENGTH = 3
/** Letters without vowels around them that are not left out, but never written. */
const VOWELLESS_LETTER_LENGTH = 1.35
const DIGIT = { length: 5, syllables: 1.2 }
const SYMBOL = { length: 7, syllables: 2 }

/** Weighs a word by its letters and vowels; digits, signs and letters that are named one by one are longer than they look. */
export function weighWord(word: string): SpokenWeight {
  const plain = word.toLowerCase().normalize('NFKD')
  const digits = count(plain, /\p{N}/gu)
  const signs = count(plain, /[%&+=@#$€£]/g)
  const { length, syllables } = weighLetters(word, plain)
  return {
    length: Math.max(1, length + digits * DIGIT.length + signs * SYMBOL.length),
    syllables: syllables + digits * DIGIT.syllables + signs * SYMBOL.syllables,
    hisses: count(plain, HISSES),
    hasPunctuation: PUNCTUATION.test(word),
  }
}

function weighLetters(word: string, plain: string): Pick<SpokenWeight, 'length' | 'syllables'> {
  const whole = count(word, SYLLABIC)
  if (whole > 0) return { length: whole * SYLLABLE_LENGTH, syllables: whole }
  const letters = count(plain, /\p{L}/gu)
  const groups = count(plain, VOWELS)
  if (groups > 0) {
    return { length: letters + groups, syllables: groups - (groups > 1 && SILENT_ENDING.test(plain) ? 0.5 : 0) }
  }
  const isSpelled = /^\P{L}*[A-Z]/u.test(word)
  if (isSpelled) return { length: letters * SYLLABLE_LENGTH, syllables: letters }
  return { length: letters * VOWELLESS_LETTER_LENGTH, syllables: 0 }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
