import { stopWords } from './detect-language.ts'
import { foldDiacritics } from './fold-text.ts'
import type { SearchIndex } from './search-index.ts'
import { stemWord, TONAL_LANGUAGE } from './stem-word.ts'
import type { Token } from './tokenize.ts'

/** Counts the passages in all indexes. */
export function countChunks(indexes: readonly SearchIndex[]): number {
  return indexes.reduce((sum, index) => sum + index.chunkCount, 0)
}

/** Returns the number of passages, in all indexes, that contain a term. */
export function getFrequency(term: string, indexes: readonly SearchIndex[]): number {
  return indexes.reduce((sum, index) => sum + index.getFrequency(term), 0)
}

/**
 * Returns the indexed terms for a query word: the terms that documents use for it, and its stems in `languages`.
 */
export function findWordTerms(token: Token, indexes: readonly SearchIndex[], languages: readonly string[]): string[] {
  const filterKnown = (terms: Iterable<string>): string[] =>
    [...terms].filter((term) => indexes.some((index) => index.getFrequency(term) > 0))
  if (token.kind !== 'word') return filterKnown([token.text])
  const word = foldDiacritics(token.text)
  if (word !== token.text && languages.includes(TONAL_LANGUAGE)) {
    const exactTerms = filterKnown([token.text])
    if (exactTerms.length > 0) return exactTerms
  }
  const terms = new Set(indexes.flatMap((index) => index.findTerms(word)))
  for (const language of languages) {
    for (const form of new Set([token.text, word])) terms.add(stemWord(language, form))
  }
  return filterKnown(terms).sort()
}

/** Whether a word is a function word of a language. `word` must not have diacritics. */
export function isFunctionWord(word: string, language: string): boolean {
  return stopWords.get(language)?.has(word) ?? false
}

/** Number of passages added to the total, so that words can be rare in a very small knowledge base. */
const ASSUMED_PASSAGES = 20

/** Computes the BM25 inverse document frequency, always above 0. A frequency of 0 counts as 1. */
export function computeRarity(frequency: number, chunkCount: number): number {
  const count = Math.max(1, frequency)
  return Math.log(1 + (chunkCount + ASSUMED_PASSAGES - count + 0.5) / (count + 0.5))
}
