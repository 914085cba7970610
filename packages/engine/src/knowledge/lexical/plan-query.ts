import type { WeightedText } from '../../ports.ts'
import { type DraftWord, draftText } from './draft-words.ts'
import { findNearTerms, type TermShares } from './find-near-terms.ts'
import { chunkCountOf, frequencyOf } from './known-terms.ts'
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
  readonly terms: TermShares
  /** Terms of other words that mean much the same; how rare the word is, is told without them where it is known itself. */
  readonly related: TermShares
}

/** How many words of a question are searched for. */
const MAX_PLANNED = 192
const MAX_CORRECTED = 8
/** What function words count beside content words of the same rarity. */
const FUNCTION_WEIGHT = 0.2
/** Languages of fewer of the sources than this share are ignored when a question is stemmed. */
const MIN_LANGUAGE_SHARE = 0.05

/** Finds out what terms of the indexes a question asks for. Texts are given newest first. */
export function planQuery(indexes: readonly SearchIndex[], texts: readonly WeightedText[]): PlannedWord[] {
  const languages = commonLanguages(indexes)
  const drafts = new Map<string, DraftWord>()
  for (const [age, text] of texts.entries()) {
    if (text.weight > 0) draftText(text, { indexes, languages, drafts, isNew: age === 0 })
  }
  const kept = mostTelling([...drafts.values()], indexes)
  correctUnknown(kept, indexes, languages)
  return kept.flatMap((draft) => (draft.parts.length > 0 ? draft.parts : [draft])).map(plannedWord)
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

function plannedWord({ weight, light, isNew, terms, related }: DraftWord): PlannedWord {
  return {
    weight: light ? weight * FUNCTION_WEIGHT : weight,
    kind: light ? 'function' : 'content',
    isNew,
    terms,
    related,
  }
}

/** Of very long questions the words that count most; those that no passage has come last. */
function mostTelling(drafts: readonly DraftWord[], indexes: readonly SearchIndex[]): readonly DraftWord[] {
  if (drafts.length <= MAX_PLANNED) return drafts
  const chunkCount = chunkCountOf(indexes)
  const worth = new Map(
    drafts.map((draft) => {
      const frequency = Math.max(0, ...[...draft.terms.keys()].map((term) => frequencyOf(term, indexes)))
      return [draft, frequency === 0 ? 0 : plannedWord(draft).weight * rarity(frequency, chunkCount)]
    }),
  )
  return [...drafts].sort((left, right) => (worth.get(right) ?? 0) - (worth.get(left) ?? 0)).slice(0, MAX_PLANNED)
}

/** Words that no passage has are taken for others that are like them, or for two words written as one. */
function correctUnknown(
  drafts: readonly DraftWord[],
  indexes: readonly SearchIndex[],
  languages: readonly string[],
): void {
  const unknown = drafts.filter((draft) => draft.terms.size === 0 && !draft.light && draft.token.kind !== 'number')
  for (const draft of unknown.slice(0, MAX_CORRECTED)) {
    const near = findNearTerms(draft.token, indexes, languages)
    if (near.parts === null) for (const [term, share] of near.terms) draft.terms.set(term, share)
    else {
      for (const terms of near.parts) {
        draft.parts.push({ ...draft, weight: draft.weight / near.parts.length, terms: new Map(terms), parts: [] })
      }
    }
  }
}
