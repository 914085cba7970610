import { getFrequency } from './known-terms.ts'
import type { SearchIndex } from './search-index.ts'

/** Terms and the weights of their matches, at most 1. */
export type TermWeights = ReadonlyMap<string, number>

const MIN_LENGTH_FOR_ONE_EDIT = 4
const MIN_LENGTH_FOR_TWO_EDITS = 8
const MAX_TERMS = 8
const WEIGHT_BY_EDITS = [1, 0.8, 0.6] as const

/** Finds the indexed terms one edit away from an unknown word, or two edits away if the word is long. */
export function findSimilarTerms(word: string, indexes: readonly SearchIndex[]): TermWeights {
  const limit = word.length >= MIN_LENGTH_FOR_TWO_EDITS ? 2 : word.length >= MIN_LENGTH_FOR_ONE_EDIT ? 1 : 0
  if (limit === 0) return new Map()
  const matches = indexes.flatMap((index) => index.findSimilarWords(word, limit))
  const minDistance = matches.some(({ distance }) => distance === 1) ? 1 : 2
  const terms = [...new Set(matches.flatMap(({ distance, terms }) => (distance === minDistance ? terms : [])))]
    .map((term) => ({ term, frequency: getFrequency(term, indexes) }))
    .sort((left, right) => right.frequency - left.frequency || (left.term < right.term ? -1 : 1))
  return new Map(terms.slice(0, MAX_TERMS).map(({ term }) => [term, WEIGHT_BY_EDITS[minDistance]]))
}
