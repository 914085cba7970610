import { findNearTerms, type TermWeights } from './find-near-terms.ts'
import { chunkCountOf, frequencyOf } from './known-terms.ts'
import type { WeightedText } from './query-words.ts'
import { addCandidates, type CandidateWord } from './query-words.ts'
import { rarity } from './rarity.ts'
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
  correctUnknownWords(kept, indexes, languages)
  return kept.flatMap((candidate) => (candidate.parts.length > 0 ? candidate.parts : [candidate])).map(plannedWord)
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

/** Words that no passage has are taken for others that are like them, or for two words written as one. */
function correctUnknownWords(
  candidates: readonly CandidateWord[],
  indexes: readonly SearchIndex[],
  languages: readonly string[],
): void {
  const unknown = candidates.filter(
    (candidate) => candidate.terms.size === 0 && !candidate.light && candidate.token.kind !== 'number',
  )
  for (const candidate of unknown.slice(0, MAX_CORRECTED_WORDS)) {
    const near = findNearTerms(candidate.token, indexes, languages)
    if (near.parts === null) for (const [term, share] of near.terms) candidate.terms.set(term, share)
    else {
      for (const terms of near.parts) {
        candidate.parts.push({
          ...candidate,
          weight: candidate.weight / near.parts.length,
          terms: new Map(terms),
          parts: [],
        })
      }
    }
  }
}
