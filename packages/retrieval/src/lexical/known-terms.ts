import { foldMarks } from './fold-text.ts'
import type { SearchIndex } from './search-index.ts'
import { stemWord, TONAL_LANGUAGE } from './stem-word.ts'
import { stopWords } from './stop-words.ts'
import type { Token } from './tokenize.ts'

/** How many passages all indexes have. */
export function chunkCountOf(indexes: readonly SearchIndex[]): number {
  return indexes.reduce((sum, index) => sum + index.chunkCount, 0)
}

/** In how many passages of all indexes a term stands. */
export function frequencyOf(term: string, indexes: readonly SearchIndex[]): number {
  return indexes.reduce((sum, index) => sum + index.frequencyOf(term), 0)
}

/**
 * The terms that a word of a question is indexed under: those under which documents have the same word, and its stems in the
 * languages that the question may be in.
 */
export function termsOfWord(token: Token, indexes: readonly SearchIndex[], languages: readonly string[]): string[] {
  const known = (terms: Iterable<string>): string[] =>
    [...terms].filter((term) => indexes.some((index) => index.frequencyOf(term) > 0))
  if (token.kind !== 'word') return known([token.text])
  const word = foldMarks(token.text)
  if (word !== token.text && languages.includes(TONAL_LANGUAGE)) {
    const exact = known([token.text])
    if (exact.length > 0) return exact
  }
  const terms = new Set(indexes.flatMap((index) => index.termsOf(word)))
  for (const language of languages) {
    for (const form of new Set([token.text, word])) {
      const stem = stemWord(language, form)
      // A stemmer of another language may cut a word to a function word, which it is not.
      if (stem === word || !isFunctionWord(stem, language)) terms.add(stem)
    }
  }
  const found = known(terms)
  return found.length === 0 && languages.includes('de') ? known(umlautVariants(word)) : found.sort()
}

/** `word` is without marks. */
export function isFunctionWord(word: string, language: string): boolean {
  return stopWords.get(language)?.has(word) ?? false
}

/** `Oeffnung` is `Öffnung` to somebody without the key. */
function umlautVariants(word: string): string[] {
  const form = word.replace(/([aou])e/g, '$1')
  return form === word ? [] : [form, stemWord('de', form)]
}
