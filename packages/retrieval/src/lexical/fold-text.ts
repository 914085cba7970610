/** Normalizes width, ligatures and case. Keeps diacritics, which stemmers need. */
export function lowerCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFC')
}

/** Replacements for letters that are not on every keyboard. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ё: 'е',
  ґ: 'г',
  ς: 'σ',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ى: 'ي',
  ـ: '',
}

const LETTER = /[ßæœøđðłıþёґςأإآىـ]/g
const NON_ASCII = /[^\0-\x7f]/
/** Latin and Greek diacritics, and Hebrew and Arabic vowel signs. In other scripts, diacritics distinguish words. */
const MARK = /(?<=\p{Script=Latin}|\p{Script=Greek})\p{Script=Inherited}+|[\u0591-\u05c7]|[\u064b-\u0652]|\u0670/gu

/** Removes optional diacritics from a lower-case word for comparison. */
export function foldDiacritics(word: string): string {
  if (!NON_ASCII.test(word)) return word
  const letters = word.replace(LETTER, (letter) => LETTERS[letter] ?? letter)
  return letters.normalize('NFD').replace(MARK, '').normalize('NFC')
}
