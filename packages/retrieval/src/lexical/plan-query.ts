import { computeRarity, countChunks, getFrequency } from './known-terms.ts'
import { findSimilarTerms, type TermWeights } from './near-terms.ts'
import { addCandidates, type CandidateWord, type WeightedText } from './query-words.ts'
import type { SearchIndex } from './search-index.ts'

/** A word of a question. */
export interface PlannedWord {
  /** Weight relative to the other words, regardless of rarity. */
  readonly weight: number
  /** `content` words select passages. `function` words do so only if the query has no content words. */
  readonly kind: 'content' | 'function'
  /** Whether the newest text contains it; only these words affect the score. */
  readonly isNew: boolean
  /** Terms that match the word, with weights. */
  readonly terms: TermWeights
  /** Synonyms. They affect the word's rarity only if the word itself is unknown. */
  readonly synonyms: TermWeights
}

/** Maximum number of words searched for. */
const MAX_PLANNED_WORDS = 192
const MAX_CORRECTED_WORDS = 8
/** Weight of function words relative to content words of the same rarity. */
const FUNCTION_WORD_WEIGHT = 0.2
/** Languages with a smaller share of sources are not used to stem a query. */
const MIN_LANGUAGE_SHARE = 0.05

/** Plans which terms to search for. `texts` are newest first. */
export function planQuery(indexes: readonly SearchIndex[], texts: readonly WeightedText[]): PlannedWord[] {
  const languages = findCommonLanguages(indexes)
  const candidates = new Map<string, CandidateWord>()
  for (const [age, text] of texts.entries()) {
    if (text.weight > 0) addCandidates(text, { indexes, languages, candidates, isNew: age === 0 })
  }
  const plannedCandidates = limitCandidates([...candidates.values()], indexes)
  correctUnknownWords(plannedCandidates, indexes)
  return plannedCandidates.map(toPlannedWord)
}

/** Returns the sorted languages of the indexes, except languages of few sources, which are likely detection errors. */
function findCommonLanguages(indexes: readonly SearchIndex[]): string[] {
  const counts = new Map<string, number>()
  let total = 0
  for (const index of indexes) {
    total += index.sourceCount
    for (const [language, count] of index.languages) counts.set(language, (counts.get(language) ?? 0) + count)
  }
  return [...counts].flatMap(([language, count]) => (count >= total * MIN_LANGUAGE_SHARE ? [language] : [])).sort()
}

function toPlannedWord({ weight, isStopWord, isNew, terms, synonyms }: CandidateWord): PlannedWord {
  return {
    weight: isStopWord ? weight * FUNCTION_WORD_WEIGHT : weight,
    kind: isStopWord ? 'function' : 'content',
    isNew,
    terms,
    synonyms,
  }
}

/** Limits a very long query to its most distinctive words. Words that no passage contains come last. */
function limitCandidates(
  candidates: readonly CandidateWord[],
  indexes: readonly SearchIndex[],
): readonly CandidateWord[] {
  if (candidates.length <= MAX_PLANNED_WORDS) return candidates
  const chunkCount = countChunks(indexes)
  const importance = new Map(
    candidates.map((candidate) => {
      const frequency = Math.max(0, ...[...candidate.terms.keys()].map((term) => getFrequency(term, indexes)))
      return [candidate, frequency === 0 ? 0 : toPlannedWord(candidate).weight * computeRarity(frequency, chunkCount)]
    }),
  )
  return [...candidates]
    .sort((left, right) => (importance.get(right) ?? 0) - (importance.get(left) ?? 0))
    .slice(0, MAX_PLANNED_WORDS)
}

/** Corrects the spelling of words that no passage contains. */
function correctUnknownWords(candidates: readonly CandidateWord[], indexes: readonly SearchIndex[]): void {
  const words = candidates.filter(
    ({ token, terms, isStopWord }) => terms.size === 0 && !isStopWord && token.kind === 'word',
  )
  for (const { word, terms } of words.slice(0, MAX_CORRECTED_WORDS)) {
    for (const [term, weight] of findSimilarTerms(word, indexes)) terms.set(term, weight)
  }
}
