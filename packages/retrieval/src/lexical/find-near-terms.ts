import { foldMarks } from './fold-text.ts'
import { frequencyOf, isFunctionWord, termsOfWord } from './known-terms.ts'
import type { NearWord } from './near-words.ts'
import type { SearchIndex } from './search-index.ts'
import type { Token } from './tokenize.ts'

/** Terms with the share of a word that they are worth. */
export type TermWeights = ReadonlyMap<string, number>

/** What an unknown word is taken for. */
export interface NearTerms {
  readonly terms: TermWeights
  /** The words that it is written of, function words left out; `null` when it is taken for one. */
  readonly parts: readonly TermWeights[] | null
}

const MIN_LENGTH_FOR_ONE_EDIT = 4
const MIN_LENGTH_FOR_TWO_EDITS = 8
const MIN_PREFIX_LENGTH = 3
const MIN_COMPOUND_PART_LENGTH = 3
const MIN_LAST_COMPOUND_PART_LENGTH = 2
const MAX_TERMS = 8

const ONE_EDIT_WEIGHT = 0.8
const TWO_EDITS_WEIGHT = 0.6
const PREFIX_WEIGHT = 0.7
const SUBSTRING_WEIGHT = 0.9

/** Finds what an unknown word may have been meant as: the same whatever order the indexes were filled in. */
export function findNearTerms(token: Token, indexes: readonly SearchIndex[], languages: readonly string[]): NearTerms {
  const word = foldMarks(token.text)
  if (token.kind === 'gram') {
    const near = findNearWords(word, { distance: 0, isPrefix: false, isSubstring: true }, indexes)
    return { terms: bestTerms(near, SUBSTRING_WEIGHT, indexes), parts: null }
  }
  const { length } = word
  const distance = length >= MIN_LENGTH_FOR_TWO_EDITS ? 2 : length >= MIN_LENGTH_FOR_ONE_EDIT ? 1 : 0
  const near = findNearWords(word, { distance, isPrefix: length >= MIN_PREFIX_LENGTH, isSubstring: false }, indexes)
  const prefixMatches = near.filter(({ kind }) => kind === 'contains')
  const oneEdit = near.filter((one) => isNearMatch(one, 1))
  if (oneEdit.length > 0 || prefixMatches.length > 0) {
    const terms = new Map(bestTerms(prefixMatches, PREFIX_WEIGHT, indexes))
    for (const [term, share] of bestTerms(oneEdit, ONE_EDIT_WEIGHT, indexes)) terms.set(term, share)
    return { terms, parts: null }
  }
  const parts = partsOf(word, indexes, languages)
  if (parts !== null) return { terms: new Map(), parts }
  return {
    terms: bestTerms(
      near.filter((one) => isNearMatch(one, 2)),
      TWO_EDITS_WEIGHT,
      indexes,
    ),
    parts: null,
  }
}

type NearMatch = Pick<NearWord, 'kind' | 'distance'> & { readonly terms: readonly string[] }

function isNearMatch(near: NearMatch, distance: number): boolean {
  // A word one letter longer begins with the shorter one as well.
  return near.distance === distance && near.kind === 'distance'
}

function findNearWords(
  word: string,
  pattern: { readonly distance: number; readonly isPrefix: boolean; readonly isSubstring: boolean },
  indexes: readonly SearchIndex[],
): NearMatch[] {
  return indexes.flatMap((index) => index.nearWords({ word, ...pattern }))
}

/** The terms of the most frequent words; of equally frequent ones those that come first in the alphabet. */
function bestTerms(near: readonly NearMatch[], share: number, indexes: readonly SearchIndex[]): TermWeights {
  const terms = [...new Set(near.flatMap((one) => one.terms))]
    .map((term) => ({ term, frequency: frequencyOf(term, indexes) }))
    .sort((left, right) => right.frequency - left.frequency || (left.term < right.term ? -1 : 1))
  return new Map(terms.slice(0, MAX_TERMS).map(({ term }) => [term, share]))
}

/** Two known words that make the unknown one, an `s` between them left out if need be; those of the most equal lengths. */
function partsOf(
  word: string,
  indexes: readonly SearchIndex[],
  languages: readonly string[],
): readonly TermWeights[] | null {
  const isLight = (part: string): boolean => languages.some((language) => isFunctionWord(part, language))
  let best: { readonly shortest: number; readonly parts: readonly TermWeights[] } | null = null
  for (let cut = MIN_COMPOUND_PART_LENGTH; cut <= word.length - MIN_LAST_COMPOUND_PART_LENGTH; cut++) {
    const rest = word.slice(cut)
    const remainders =
      rest.startsWith('s') && rest.length > MIN_LAST_COMPOUND_PART_LENGTH ? [rest, rest.slice(1)] : [rest]
    for (const right of remainders) {
      const shortest = Math.min(cut, right.length)
      if (best !== null && shortest <= best.shortest) continue
      const parts = [word.slice(0, cut), right].map((text) => termsOfWord({ text, kind: 'word' }, indexes, languages))
      if (parts.some((terms) => terms.length === 0)) continue
      const distinctive = parts.filter((_terms, at) => !isLight(at === 0 ? word.slice(0, cut) : right))
      if (distinctive.length === 0) continue
      best = { shortest, parts: distinctive.map((terms) => new Map(terms.map((term) => [term, ONE_EDIT_WEIGHT]))) }
    }
  }
  return best?.parts ?? null
}
