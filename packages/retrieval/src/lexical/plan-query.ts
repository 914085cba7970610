import { chunkCountOf, frequencyOf, rarity } from './known-terms.ts'
import { findNearTerms, type TermWeights } from './near-terms.ts'
import { addCandidates, type CandidateWord, type WeightedText } from './query-words.ts'
import type { SearchIndex } from './search-index.ts'

/** A word of a question. */
export interface PlannedWord {
  /** What it counts beside the others, before its rarity. */
  readonly weight: number
  /** `content`: passages are found by it. `function`: not by it alone, unless the question has no other words. */
  readonly kind: 'content' | 'function'
  /** Whether the newest text has it: only these words count for the score of a passage. */
  readonly isNew: boolean
  /** Terms that count as the word, with the share of it that they are worth. */
  readonly terms: TermWeights
  /** Terms of other words that mean much the same; how rare the word is, is told without them where it is known itself. */
  readonly related: TermWeights
}

/** How many words of a question are searched for. */
const MAX_PLANNED_WORDS = 192
const MAX_CORRECTED_WORDS = 8
/** What function words count beside content words of the same rarity. */
const FUNCTION_WORD_WEIGHT = 0.2
/** Languages of fewer of the sources than this share are ignored when a question is stemmed. */
const MIN_LANGUAGE_SHARE = 0.05

/** Finds out what terms of the indexes a question asks for. Texts are given newest first. */
export function planQuery(indexes: readonly SearchIndex[], texts: readonly WeightedText[]): PlannedWord[] {
  const languages = commonLanguages(indexes)
  const candidates = new Map<string, CandidateWord>()
  for (const [age, text] of texts.entries()) {
    if (text.weight > 0) addCandidates(text, { indexes, languages, candidates, isNew: age === 0 })
  }
  const kept = mostDistinctive([...candidates.values()], indexes)
  correctUnknownWords(kept, indexes)
  return kept.map(plannedWord)
}

/** Languages of passages in the indexes, sorted; those of a few sources are rather errors of detection. */
function commonLanguages(indexes: readonly SearchIndex[]): string[] {
  const counts = new Map<string, number>()
  let sources = 0
  for (const index of indexes) {
    sources += index.sourceCount
    for (const [language, count] of index.languages) counts.set(language, (counts.get(language) ?? 0) + count)
  }
  return [...counts].flatMap(([language, count]) => (count >= sources * MIN_LANGUAGE_SHARE ? [language] : [])).sort()
}

function plannedWord({ weight, light, isNew, terms, related }: CandidateWord): PlannedWord {
  return {
    weight: light ? weight * FUNCTION_WORD_WEIGHT : weight,
    kind: light ? 'function' : 'content',
    isNew,
    terms,
    related,
  }
}

/** Of very long questions the words that count most; those that no passage has come last. */
function mostDistinctive(
  candidates: readonly CandidateWord[],
  indexes: readonly SearchIndex[],
): readonly CandidateWord[] {
  if (candidates.length <= MAX_PLANNED_WORDS) return candidates
  const chunkCount = chunkCountOf(indexes)
  const importance = new Map(
    candidates.map((candidate) => {
      const frequency = Math.max(0, ...[...candidate.terms.keys()].map((term) => frequencyOf(term, indexes)))
      return [candidate, frequency === 0 ? 0 : plannedWord(candidate).weight * rarity(frequency, chunkCount)]
    }),
  )
  return [...candidates]
    .sort((left, right) => (importance.get(right) ?? 0) - (importance.get(left) ?? 0))
    .slice(0, MAX_PLANNED_WORDS)
}

/** Corrects the spelling of words that no passage has. */
function correctUnknownWords(candidates: readonly CandidateWord[], indexes: readonly SearchIndex[]): void {
  const unknown = candidates.filter(({ token, terms, light }) => terms.size === 0 && !light && token.kind === 'word')
  for (const { word, terms } of unknown.slice(0, MAX_CORRECTED_WORDS)) {
    for (const [term, share] of findNearTerms(word, indexes)) terms.set(term, share)
  }
}
