import { foldMarks } from './fold-text.ts'
import { frequencyOf, isFunctionWord, termsOfWord } from './known-terms.ts'
import type { NearWord } from './near-words.ts'
import type { SearchIndex } from './search-index.ts'
import type { Token } from './tokenise.ts'

/** Terms with the share of a word that they are worth. */
export type TermShares = ReadonlyMap<string, number>

/** What an unknown word is taken for. */
export interface NearTerms {
  readonly terms: TermShares
  /** The words that it is written of, function words left out; `null` when it is taken for one. */
  readonly parts: readonly TermShares[] | null
}

const SHORTEST_CORRECTED = 4
const SHORTEST_CORRECTED_TWICE = 8
const SHORTEST_BEGINNING = 3
const SHORTEST_PART = 3
const SHORTEST_LAST_PART = 2
const MOST_TERMS = 8

const ONE_LETTER_SHARE = 0.8
const TWO_LETTERS_SHARE = 0.6
const BEGINNING_SHARE = 0.7
const CHARACTER_SHARE = 0.9

/** Finds what an unknown word may have been meant as: the same whatever order the indexes were filled in. */
export function findNearTerms(token: Token, indexes: readonly SearchIndex[], languages: readonly string[]): NearTerms {
  const word = foldMarks(token.text)
  if (token.kind === 'gram') {
    const near = likeWord(word, { distance: 0, beginning: false, within: true }, indexes)
    return { terms: bestOf(near, CHARACTER_SHARE, indexes), parts: null }
  }
  const { length } = word
  const distance = length >= SHORTEST_CORRECTED_TWICE ? 2 : length >= SHORTEST_CORRECTED ? 1 : 0
  const near = likeWord(word, { distance, beginning: length >= SHORTEST_BEGINNING, within: false }, indexes)
  const beginnings = near.filter(({ kind }) => kind === 'contains')
  const oneLetter = near.filter((one) => isNear(one, 1))
  if (oneLetter.length > 0 || beginnings.length > 0) {
    const terms = new Map(bestOf(beginnings, BEGINNING_SHARE, indexes))
    for (const [term, share] of bestOf(oneLetter, ONE_LETTER_SHARE, indexes)) terms.set(term, share)
    return { terms, parts: null }
  }
  const parts = partsOf(word, indexes, languages)
  if (parts !== null) return { terms: new Map(), parts }
  return {
    terms: bestOf(
      near.filter((one) => isNear(one, 2)),
      TWO_LETTERS_SHARE,
      indexes,
    ),
    parts: null,
  }
}

type Near = Pick<NearWord, 'kind' | 'distance'> & { readonly terms: readonly string[] }

function isNear(near: Near, distance: number): boolean {
  // A word one letter longer begins with the shorter one as well.
  return near.distance === distance && near.kind === 'distance'
}

function likeWord(
  word: string,
  pattern: { readonly distance: number; readonly beginning: boolean; readonly within: boolean },
  indexes: readonly SearchIndex[],
): Near[] {
  return indexes.flatMap((index) => index.nearWords({ word, ...pattern }))
}

/** The terms of the most frequent words; of equally frequent ones those that come first in the alphabet. */
function bestOf(near: readonly Near[], share: number, indexes: readonly SearchIndex[]): TermShares {
  const terms = [...new Set(near.flatMap((one) => one.terms))]
    .map((term) => ({ term, frequency: frequencyOf(term, indexes) }))
    .sort((left, right) => right.frequency - left.frequency || (left.term < right.term ? -1 : 1))
  return new Map(terms.slice(0, MOST_TERMS).map(({ term }) => [term, share]))
}

/** Two known words that make the unknown one, an `s` between them left out if need be; those of the most equal lengths. */
function partsOf(
  word: string,
  indexes: readonly SearchIndex[],
  languages: readonly string[],
): readonly TermShares[] | null {
  const isLight = (part: string): boolean => languages.some((language) => isFunctionWord(part, language))
  let best: { readonly shortest: number; readonly parts: readonly TermShares[] } | null = null
  for (let cut = SHORTEST_PART; cut <= word.length - SHORTEST_LAST_PART; cut++) {
    const rest = word.slice(cut)
    const rests = rest.startsWith('s') && rest.length > SHORTEST_LAST_PART ? [rest, rest.slice(1)] : [rest]
    for (const right of rests) {
      const shortest = Math.min(cut, right.length)
      if (best !== null && shortest <= best.shortest) continue
      const parts = [word.slice(0, cut), right].map((text) => termsOfWord({ text, kind: 'word' }, indexes, languages))
      if (parts.some((terms) => terms.length === 0)) continue
      const telling = parts.filter((_terms, at) => !isLight(at === 0 ? word.slice(0, cut) : right))
      if (telling.length === 0) continue
      best = { shortest, parts: telling.map((terms) => new Map(terms.map((term) => [term, ONE_LETTER_SHARE]))) }
    }
  }
  return best?.parts ?? null
}
