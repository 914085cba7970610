import { stopWords } from './detect-language.ts'
import { foldMarks } from './fold-text.ts'
import type { SearchIndex } from './search-index.ts'
import { stemWord, TONAL_LANGUAGE } from './stem-word.ts'
import type { Token } from './tokenize.ts'

/** Passages in all indexes. */
export function countChunks(indexes: readonly SearchIndex[]): number {
  return indexes.reduce((sum, index) => sum + index.chunkCount, 0)
}

/** Passages with a term in all indexes. */
export function getFrequency(term: string, indexes: readonly SearchIndex[]): number {
  return indexes.reduce((sum, index) => sum + index.getFrequency(term), 0)
}

/**
 * Indexed terms for a word of a question: those that documents have for the same word, and its stems in `languages`.
 */
export function findTermsOfWord(token: Token, indexes: readonly SearchIndex[], languages: readonly string[]): string[] {
  const filterKnown = (terms: Iterable<string>): string[] =>
    [...terms].filter((term) => indexes.some((index) => index.getFrequency(term) > 0))
  if (token.kind !== 'word') return filterKnown([token.text])
  const word = foldMarks(token.text)
  if (word !== token.text && languages.includes(TONAL_LANGUAGE)) {
    const exact = filterKnown([token.text])
    if (exact.length > 0) return exact
  }
  const terms = new Set(indexes.flatMap((index) => index.findTerms(word)))
  for (const language of languages) {
    for (const form of new Set([token.text, word])) terms.add(stemWord(language, form))
  }
  return filterKnown(terms).sort()
}

/** `word` has no marks. */
export function isFunctionWord(word: string, language: string): boolean {
  return stopWords.get(language)?.has(word) ?? false
}

/** Virtual passages without any of the words, so that a word stays rare in a knowledge base of three passages. */
const ASSUMED_PASSAGES = 20

/** Inverse document frequency of BM25, above 0. A word without passages counts as one with a single passage. */
export function computeRarity(frequency: number, chunkCount: number): number {
  const counted = Math.max(1, frequency)
  return Math.log(1 + (chunkCount + ASSUMED_PASSAGES - counted + 0.5) / (counted + 0.5))
}
