/** Expected sound of a word. */
export interface SpokenWeight {
  /** Duration in average letters; each vowel group adds one. */
  readonly length: number
  /** Vowels heard separately; 0.5 for one that is often silent, 0 if the spelling does not show it. */
  readonly syllables: number
  /** Fricatives in most languages. */
  readonly hisses: number
  /** Punctuation follows the word. */
  readonly hasPunctuation: boolean
}

/** Extra length before punctuation and at the end of a text, in letters. */
const PUNCTUATION_LENGTH = 2.5

/** Duration of a word in its place, in letters. */
export function lengthInText({ length, hasPunctuation }: SpokenWeight, isLast: boolean): number {
  return length + (hasPunctuation || isLast ? PUNCTUATION_LENGTH : 0)
}

const PUNCTUATION = /[.!?…:,;–—-]["'”’»)]*$/
const VOWELS = /[aeiouyæœøıаеиоуыэюяієαεηιουω]+/g
const SILENT_ENDING = /[^aeiouy]e[sd]?\P{L}*$/u
const HISSES = /sch|sh?|z+|x|ch(?=[ei])|c(?=[eiy])|[сзшщжцчσς]/g
/** One character is about one syllable. */
const SYLLABIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
const SYLLABLE_LENGTH = 3
/** Letters of scripts that do not write vowels. */
const VOWELLESS_LETTER_LENGTH = 1.35
const DIGIT = { length: 5, syllables: 1.2 }
const SYMBOL = { length: 7, syllables: 2 }

/** Weighs a word by letters and vowels; digits, symbols and spelled letters weigh more. */
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
