/** What looks alike becomes the same: width, ligatures and case. Marks stay, since stemmers read them. */
export function lowerCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFC')
}

/** Letters that are no letter with a mark, but are written without it by those who lack the key. */
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
/** Marks on Latin and Greek letters, vowel signs of Hebrew and Arabic; those of other scripts tell words apart. */
const MARK = /(?<=\p{Script=Latin}|\p{Script=Greek})\p{Script=Inherited}+|[\u0591-\u05c7]|[\u064b-\u0652]|\u0670/gu

/** A lower-case word as it is compared: without diacritics that people leave out. */
export function foldMarks(word: string): string {
  if (!NON_ASCII.test(word)) return word
  const letters = word.replace(LETTER, (letter) => LETTERS[letter] ?? letter)
  return letters.normalize('NFD').replace(MARK, '').normalize('NFC')
}
