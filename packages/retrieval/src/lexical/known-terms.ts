import { stopWords } from './detect-language.ts'
import { foldMarks } from './fold-text.ts'
import type { SearchIndex } from './search-index.ts'
import { stemWord, TONAL_LANGUAGE } from './stem-word.ts'
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
    for (const form of new Set([token.text, word])) terms.add(stemWord(language, form))
  }
  return known(terms).sort()
}

/** `word` is without marks. */
export function isFunctionWord(word: string, language: string): boolean {
  return stopWords.get(language)?.has(word) ?? false
}

/**
 * Counts beside the passages that there are, as if they had none of the words: in a knowledge base of three passages a word that
 * one of them has is rare, too.
 */
const ASSUMED_PASSAGES = 20

/** The inverse document frequency of BM25, above 0. A word that no passage has is as rare as one that a single passage has. */
export function rarity(frequency: number, chunkCount: number): number {
  const counted = Math.max(1, frequency)
  return Math.log(1 + (chunkCount + ASSUMED_PASSAGES - counted + 0.5) / (counted + 0.5))
}
